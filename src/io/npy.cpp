// NumPy's .npy, versions 1 to 3, two dimensions in C order:
//
//     | "\x93NUMPY" | major, minor | uint16 or uint32 length | {'descr': '<f4', 'fortran_order': False, 'shape': (n,
//     d), }
#include "io/npy.h"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/byte_order.h"
#include "io/source.h"
#include "summand/error.h"

namespace summand {

namespace {

constexpr std::size_t kLongestHeader = 1 << 16;  // NumPy writes 118 bytes; long ones belong to record types

/// The text after `'key':`, without blanks before it.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& path) {
    const std::size_t found = header.find(concatenate("'", key, "'"));
    require(found != std::string_view::npos, path, ": the npy header has no '", key, "': ", header);
    std::string_view rest = header.substr(found + key.size() + 2);
    const std::size_t begin = rest.find_first_not_of(" :");
    return begin == std::string_view::npos ? std::string_view{} : rest.substr(begin);
}

Stored element_type(std::string_view text, const std::string& path) {
    for (const NpyType& known : kNpyTypes)
        if (text.starts_with(known.name)) return known.type;
    throw Error(concatenate(path, ": npy elements are ", text.substr(0, text.find(',')),
                            ", expected one of '<f4' '<f2' '<f8' '|u1' '|i1' '<u2' '<i2' '<u4' '<i4' '<u8' '<i8'"));
}

std::optional<std::uint64_t> number_at(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return value;
}

/// Parses "(rows, columns)", or "(rows,)" of a list; anything else is an error.
Shape parse_shape(std::string_view text, const std::string& path) {
    const std::string_view shown = text.substr(0, text.find(')') + 1);
    const auto fail = [&] {
        throw Error(concatenate(path, ": npy shape ", shown, ", expected two dimensions (n, d)"));
    };
    if (!text.starts_with('(')) fail();
    text.remove_prefix(1);
    const auto rows = number_at(text);
    if (!rows || !text.starts_with(',')) fail();
    text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.starts_with(')')) return {*rows, 1, Stored::float32, true};
    const auto columns = number_at(text);
    if (!columns) fail();
    if (text.starts_with(',')) text.remove_prefix(1);
    if (!text.starts_with(')')) fail();
    return {*rows, *columns, Stored::float32};
}

/// Where the text of the header begins and how long it is.
struct Extent {
    std::size_t begin;
    std::size_t length;
};

Extent header_extent(const ByteSource& file, const std::string& path) {
    require(file.size() > 0, path, ": the file is empty");
    std::array<std::byte, 12> start;
    require(file.size() >= start.size(), path, ": truncated: an npy header takes more than ", file.size(), " bytes");
    file.read_at(0, start);
    require(std::memcmp(start.data(), kNpyMagic.data(), kNpyMagic.size()) == 0, path,
            ": does not begin as an npy file does");
    const int version = std::to_integer<int>(start[6]);
    require(version >= 1 && version <= 3, path, ": npy version ", version, ", expected 1, 2 or 3");
    const Extent extent = version == 1 ? Extent{10, load_little<std::uint16_t>(&start[8])}
                                       : Extent{12, load_little<std::uint32_t>(&start[8])};
    require(extent.length <= kLongestHeader && extent.length <= file.size() - extent.begin, path,
            ": the npy header claims ", extent.length, " bytes of a file of ", file.size());
    return extent;
}

}  // namespace

SourcePointer open_npy(std::unique_ptr<ByteSource> file, const std::string& path) {
    const Extent extent = header_extent(*file, path);
    std::string header(extent.length, ' ');
    file->read_at(extent.begin, std::as_writable_bytes(std::span(header)));

    Shape shape = parse_shape(value_of(header, "shape", path), path);
    shape.type = element_type(value_of(header, "descr", path), path);
    require(value_of(header, "fortran_order", path).starts_with("False"), path,
            ": npy in Fortran order, expected C order (numpy.ascontiguousarray)");
    return open_rows(std::move(file), path, extent.begin + extent.length, shape);
}

}  // namespace summand
