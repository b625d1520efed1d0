// An index of either kind with its second layer and the defaults of its search.
#include <cstring>
#include <filesystem>

#include "base/aligned.h"
#include "index/index_parts.h"
#include "io/formats.h"
#include "io/in_place.h"
#include "io/index_sections.h"
#include "io/mapped_file.h"
#include "io/metadata.h"
#include "io/user_ids.h"
#include "summand/index.h"

namespace summand {

KeptBytes copied(std::span<const std::byte> bytes) {
    auto copy = std::make_shared<AlignedBuffer<std::byte>>(bytes.size());
    if (!bytes.empty()) std::memcpy(copy->data(), bytes.data(), bytes.size());
    return {{copy->data(), copy->size()}, copy};
}

KeptBytes mapped(const std::string& path) {
    auto file = std::make_shared<MappedFile>(path);
    return {file->bytes(), file};
}

namespace {

namespace fs = std::filesystem;

void add_second(ContainerWriter& writer, const RefineCodes& codes, const Index& index) {
    const std::size_t M = codes.quantizer.dictionaries.count;
    Bytes model = save(codes.quantizer);
    const std::size_t length = model.size();
    writer.add("refine_model", Element::uint8, {length}, std::move(model));
    writer.add("refine_codes", Element::uint8, {index.size(), M}, codes.rows);
    writer.metadata["refine"] = {{"with", "codes"}, {"model_bytes", length}};
}

void add_second(ContainerWriter& writer, const RefineFile& file, const Index&) {
    writer.add("refine_sample", Element::float32, {file.sample.rows(), file.columns}, file.sample.values());
    writer.metadata["refine"] = {
        {"with", "file"}, {"path", file.path}, {"vectors", file.rows}, {"sample", file.sample.rows()}};
}

Element element_of(RowFormat format) {
    return format == RowFormat::fp32 ? Element::float32 : format == RowFormat::fp16 ? Element::float16 : Element::uint8;
}

void add_second(ContainerWriter& writer, const RefineRows& rows, const Index& index) {
    const std::size_t size = index.size(), dimensions = index.dimensions();
    writer.add("refine_rows", element_of(rows.format), {size, dimensions}, rows.rows);
    if (!rows.ranges.empty()) writer.add("refine_ranges", Element::float32, {2, dimensions}, rows.ranges);
    writer.metadata["refine"] = {{"with", "rows"}, {"format", name(rows.format)}};
}

// What is left to the defaults of the program is not written.
void add_defaults(ContainerWriter& writer, const SearchParameters& defaults) {
    nlohmann::json& fields = writer.metadata["index"];
    if (defaults.probes > 0) fields["probes"] = defaults.probes;
    if (defaults.reach > 0) fields["reach"] = defaults.reach;
    if (defaults.candidates > 0) fields["candidates"] = defaults.candidates;
    if (defaults.refine) fields["refine"] = *defaults.refine;
}

void with_container(const Index& index, const FinishContainer& finish) {
    const auto finish_all = [&](ContainerWriter& writer) {
        if (index.refinement())
            std::visit([&](const auto& second) { add_second(writer, second, index); }, *index.refinement());
        add_defaults(writer, index.defaults());
        if (const auto& own = IndexParts::ids(index)) {
            add_user_ids(writer, "index", own->rows);
            writer.metadata["index"]["next_id"] = own->next;
        }
        finish(writer);
    };
    std::visit([&](const auto& first) { with_container(first, finish_all); }, *IndexParts::first(index));
}

RefineCodes read_codes_of(const IndexFile& file, const Fields& fields, std::size_t size) {
    const auto model =
        in_place<std::byte>(file.reader, file.bytes, "refine_model", Element::uint8, {fields.count("model_bytes")});
    RefineCodes codes{.quantizer = load_quantizer(model, file.name + ": refine_model"), .owner = file.owner};
    codes.rows = in_place<std::uint8_t>(file.reader, file.bytes, "refine_codes", Element::uint8,
                                        {size, codes.quantizer.dictionaries.count});
    return codes;
}

RefineRows read_rows_of(const IndexFile& file, const Fields& fields, const Index& index) {
    const std::string text = fields.text("format");
    const std::optional<RowFormat> format = row_format(text);
    file.reader.check(format.has_value(), "metadata refine.format is '", text, "', expected fp32, fp16, sq8 or u8");
    RefineRows rows{.format = *format, .owner = file.owner};
    rows.rows = in_place<std::byte>(file.reader, file.bytes, "refine_rows", element_of(*format),
                                    {index.size(), index.dimensions()});
    if (*format == RowFormat::sq8)
        rows.ranges =
            in_place<float>(file.reader, file.bytes, "refine_ranges", Element::float32, {2, index.dimensions()});
    return rows;
}

// Where an index comes from, and what its file does not say.
struct Opening {
    std::string folder;
    OpenOptions options = {};
    Checking checking = Checking::at_once;
};

Matrix<float> read_sample(const IndexFile& file, const Fields& fields, const Index& index) {
    const std::uint64_t rows = fields.count("sample");
    const auto values = file.reader.values<float>("refine_sample", Element::float32, {rows, index.dimensions()});
    Matrix<float> sample(rows, index.dimensions());
    std::copy(values.begin(), values.end(), sample.data());
    return sample;
}

// Reads nothing, and says why.
RefineFile missing_file(const std::string& name, const std::string& path) {
    const std::string why =
        concatenate(name, ": the vectors of Refine(flat) are not in ", path,
                    ": No such file; say where they are now (--refine-file), or search without them (refine 0)");
    return {.read = [why](std::span<const std::int64_t>) -> Matrix<float> { throw Error(why); }};
}

// Opens the file anew, which must be the one that the index was built with. Where nobody says that it is elsewhere, it
// may be missing until a search needs it.
RefineFile read_file_of(const IndexFile& file, const Fields& fields, const Index& index, const Opening& opening) {
    const std::string stored = fields.text("path"), &given = opening.options.vectors;
    const std::uint64_t rows = fields.count("vectors");
    Matrix<float> sample = read_sample(file, fields, index);
    const fs::path expected = fs::path(opening.folder) / parse_vector_path(stored).file;
    RefineFile found;
    if (given.empty() && !fs::exists(expected)) {
        found = missing_file(file.name, expected.string());
    } else {
        found = file.named([&] { return given.empty() ? refine_file(stored, opening.folder) : refine_file(given); });
        const std::string meant =
            concatenate("the vectors of Refine(flat) in ", found.path, " are not those of the index: ");
        file.reader.check(found.rows == rows && found.columns == index.dimensions(), meant, "expected ", rows, " of ",
                          index.dimensions(), " dimensions, got ", found.rows, " of ", found.columns);
        file.reader.check(found.sample == sample, meant, "some of their values are others");
    }
    return {stored, rows, index.dimensions(), std::move(sample), std::move(found.read)};
}

void read_second(const IndexFile& file, const Opening& opening, Index& index) {
    const Fields fields(file.reader, file.metadata, "refine");
    const std::string with = fields.text("with");
    file.reader.check(with == "codes" || with == "file" || with == "rows", "metadata refine.with is '", with,
                      "', expected codes, file or rows");
    Refinement second;
    if (with == "codes")
        second = read_codes_of(file, fields, index.size());
    else if (with == "rows")
        second = read_rows_of(file, fields, index);
    else
        second = read_file_of(file, fields, index, opening);
    file.named([&] { index.set_refinement(std::move(second)); });
}

SearchParameters read_defaults(const Fields& fields) {
    SearchParameters defaults;
    if (fields.has("probes")) defaults.probes = fields.count("probes");
    if (fields.has("reach")) defaults.reach = fields.number("reach");
    if (fields.has("candidates")) defaults.candidates = fields.count("candidates");
    if (fields.has("refine")) defaults.refine = fields.count("refine");
    return defaults;
}

// Ids that are not the rows' numbers; `next_id` says that there are some.
void read_ids(const IndexFile& file, const Fields& fields, Index& index) {
    RowIds rows = read_user_ids(file, fields, index.size());
    const std::uint64_t least = rows.size == 0 ? 0 : static_cast<std::uint64_t>(rows[rows.size - 1]) + 1;
    const std::uint64_t next = fields.count("next_id", least, static_cast<std::uint64_t>(kLargestId) + 1);
    IndexParts::set_ids(index, {rows, static_cast<std::int64_t>(next), file.owner});
}

Index load_from(KeptBytes kept, std::string_view name, const Opening& opening) {
    const IndexFile file(std::move(kept), name, opening.checking);
    Index index =
        file.reader.kind() == Kind::inverted ? Index(read_inverted_index(file)) : Index(read_flat_index(file));
    if (file.metadata.contains("refine")) read_second(file, opening, index);
    const Fields fields(file.reader, file.metadata, "index");
    file.named([&] { index.set_defaults(read_defaults(fields)); });
    if (fields.has("next_id")) read_ids(file, fields, index);
    return index;
}

}  // namespace

RefineFile refine_file(const std::string& path, const std::string& folder) {
    constexpr std::size_t kSampled = 16;
    const VectorPath parts = parse_vector_path(path);
    require(!parts.standard(), path, ": expected a file that can be read again, got standard input");
    const std::string array = parts.array.empty() ? "" : ":" + parts.array;
    const std::string file_name = (fs::path(folder) / parts.file).string();
    auto reader = std::make_shared<const VectorReader>(parts.prefix + file_name + array);
    RefineFile file{.path = path, .rows = reader->rows(), .columns = reader->columns()};
    const std::size_t count = std::min(kSampled, file.rows);
    file.sample = Matrix<float>(count, file.columns);
    std::vector<std::int64_t> sampled(count);
    for (std::size_t i = 1; i < count; ++i) sampled[i] = static_cast<std::int64_t>(i * (file.rows - 1) / (count - 1));
    file.sample = reader->read_rows(sampled);
    file.read = [reader](std::span<const std::int64_t> ids) { return reader->read_rows(ids); };
    return file;
}

std::vector<std::byte> Index::to_bytes() const {
    Bytes bytes;
    with_container(*this, [&](ContainerWriter& writer) { bytes = writer.finish(); });
    return bytes;
}

void Index::save(const std::string& path) const {
    with_container(*this, [&](ContainerWriter& writer) { writer.finish(path); });
}

Index Index::from_bytes(std::span<const std::byte> bytes, std::string_view name) {
    return load_from(copied(bytes), name, {});
}

Index Index::open(const std::string& path, const OpenOptions& options) {
    return load_from(mapped(path), path, {fs::path(path).parent_path().string(), options, Checking::on_first_use});
}

void verify_index(const std::string& path) { load_from(mapped(path), path, {fs::path(path).parent_path().string()}); }

}  // namespace summand
