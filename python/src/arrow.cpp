// Arrow columns through the C data interface and the PyCapsule protocol (arrow.apache.org/docs/format), without a line
// of Arrow itself: a column of lists of numbers, all of one length and without nulls.
#include <cstring>
#include <optional>
#include <string_view>

#include "arrays.h"
#include "summand/error.h"
#include "vectors.h"

// The structures of the interface, as its documentation lays them out.
extern "C" {
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace summand::python {
namespace {

/// Owns what the producer releases; `take` moves it out of a capsule, as the protocol asks.
template <class T>
struct Owned {
    T value = {};

    Owned() = default;
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (value.release) value.release(&value);
    }

    void take(nb::handle capsule, const char* name) {
        void* given = PyCapsule_GetPointer(capsule.ptr(), name);
        if (!given) throw nb::python_error();
        std::memcpy(&value, given, sizeof(T));
        static_cast<T*>(given)->release = nullptr;
    }
};

using SharedArray = std::shared_ptr<const Owned<ArrowArray>>;

/// What the lists of a column are.
struct ListType {
    enum class Kind { fixed, offsets32, offsets64 } kind = Kind::fixed;
    std::size_t length = 0;  // of each list, where it is fixed
    Element element = Element::f32;
};

std::optional<Element> element_of(std::string_view format) {
    constexpr std::pair<char, Element> kNames[] = {{'e', Element::f16}, {'f', Element::f32}, {'g', Element::f64},
                                                   {'C', Element::u8},  {'c', Element::i8},  {'S', Element::u16},
                                                   {'s', Element::i16}, {'I', Element::u32}, {'i', Element::i32},
                                                   {'L', Element::u64}, {'l', Element::i64}};
    for (const auto& [name, element] : kNames)
        if (format.size() == 1 && format[0] == name) return element;
    return {};
}

std::optional<ListType> list_type(const ArrowSchema& schema) {
    const std::string_view format = schema.format;
    ListType type;
    if (format.starts_with("+w:"))
        type.length = std::stoull(std::string(format.substr(3)));
    else if (format == "+l")
        type.kind = ListType::Kind::offsets32;
    else if (format == "+L")
        type.kind = ListType::Kind::offsets64;
    else
        return {};
    const std::optional<Element> element = element_of(schema.children[0]->format);
    if (!element) return {};
    type.element = *element;
    return type;
}

/// Where the lists are: the array itself, or a child of a struct, which is what a table is in a stream.
struct Column {
    ListType type;
    std::optional<std::size_t> child = {};
};

Column find_column(const ArrowSchema& schema) {
    if (const auto type = list_type(schema)) return {*type};
    std::optional<Column> found;
    if (std::string_view(schema.format) == "+s")
        for (std::int64_t c = 0; c < schema.n_children; ++c)
            if (const auto type = list_type(*schema.children[c])) {
                require(!found,
                        "vectors: the Arrow table has several columns of lists; give one of them, as in table[\"",
                        schema.children[c]->name, "\"]");
                found = Column{*type, static_cast<std::size_t>(c)};
            }
    require(found.has_value(), "vectors: expected an Arrow column of lists of numbers, got format '", schema.format,
            "'");
    return *found;
}

bool is_null(const ArrowArray& array, std::int64_t i) {
    if (array.null_count == 0 || array.n_buffers == 0 || !array.buffers[0]) return false;
    const std::int64_t bit = array.offset + i;
    return (static_cast<const std::uint8_t*>(array.buffers[0])[bit / 8] >> (bit % 8) & 1) == 0;
}

void require_no_nulls(const ArrowArray& array, std::int64_t first, std::int64_t count, const char* what) {
    for (std::int64_t i = first; i < first + count; ++i)
        require(!is_null(array, i), "vectors: ", what, " ", i, " of the Arrow column is null");
}

/// The length that all lists have; `first_value` becomes where the values of the first one begin.
template <class Offset>
std::size_t length_of_lists(const ArrowArray& lists, std::int64_t& first_value) {
    const auto* offsets = static_cast<const Offset*>(lists.buffers[1]) + lists.offset;
    first_value = offsets[0];
    const std::int64_t length = offsets[1] - offsets[0];
    for (std::int64_t i = 1; i < lists.length; ++i)
        require(offsets[i + 1] - offsets[i] == length, "vectors: expected lists of ", length,
                " values as in the first row of the Arrow column, got ", offsets[i + 1] - offsets[i], " in row ", i);
    return static_cast<std::size_t>(length);
}

class Pieces {
public:
    explicit Pieces(const ArrowSchema& schema) : column_(find_column(schema)) {}

    void add(const SharedArray& owner) {
        const ArrowArray& given = owner->value;
        const ArrowArray& lists = column_.child ? *given.children[*column_.child] : given;
        // The rows of a struct begin where its own offset says.
        ArrowArray rows = lists;
        if (column_.child) rows.offset += given.offset, rows.length = given.length;
        if (rows.length == 0) return;
        require_no_nulls(rows, 0, rows.length, "row");
        add_rows(rows, owner);
    }

    Vectors vectors() && { return Vectors(std::move(pieces_), columns_); }

private:
    void add_rows(const ArrowArray& rows, const SharedArray& owner) {
        std::size_t length = column_.type.length;
        auto first_value = rows.offset * static_cast<std::int64_t>(length);
        if (column_.type.kind == ListType::Kind::offsets32) length = length_of_lists<std::int32_t>(rows, first_value);
        if (column_.type.kind == ListType::Kind::offsets64) length = length_of_lists<std::int64_t>(rows, first_value);
        require(pieces_.empty() || length == columns_, "vectors: expected lists of ", columns_,
                " values as in the chunks before, got ", length);
        columns_ = length;
        const ArrowArray& values = *rows.children[0];
        require_no_nulls(values, first_value, rows.length * static_cast<std::int64_t>(length), "value");
        const auto bytes = static_cast<std::ptrdiff_t>(element_bytes(column_.type.element));
        pieces_.push_back(
            {.data = static_cast<const std::byte*>(values.buffers[1]) + bytes * (values.offset + first_value),
             .element = column_.type.element,
             .bytes_per_row = bytes * static_cast<std::ptrdiff_t>(length),
             .bytes_per_column = bytes,
             .rows = static_cast<std::size_t>(rows.length),
             .owner = owner});
    }

    Column column_;
    std::size_t columns_ = column_.type.length;
    std::vector<Piece> pieces_ = {};
};

}  // namespace

Vectors vectors_of_arrow_array(nb::handle schema_capsule, nb::handle array_capsule) {
    Owned<ArrowSchema> schema;
    schema.take(schema_capsule, "arrow_schema");
    const auto array = std::make_shared<Owned<ArrowArray>>();
    array->take(array_capsule, "arrow_array");
    Pieces pieces(schema.value);
    pieces.add(array);
    return std::move(pieces).vectors();
}

Vectors vectors_of_arrow_stream(nb::handle stream_capsule) {
    Owned<ArrowArrayStream> stream;
    stream.take(stream_capsule, "arrow_array_stream");
    const auto check = [&](int status) {
        if (status == 0) return;
        const char* reason = stream.value.get_last_error(&stream.value);
        throw Error(concatenate("vectors: the Arrow stream failed: ", reason ? reason : "no reason given"));
    };
    Owned<ArrowSchema> schema;
    check(stream.value.get_schema(&stream.value, &schema.value));
    Pieces pieces(schema.value);
    for (;;) {
        const auto array = std::make_shared<Owned<ArrowArray>>();
        check(stream.value.get_next(&stream.value, &array->value));
        if (!array->value.release) break;
        pieces.add(array);
    }
    return std::move(pieces).vectors();
}

}  // namespace summand::python
