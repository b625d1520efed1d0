#include "store/segment.h"

#include <algorithm>
#include <numeric>

#include "base/byte_order.h"
#include "io/in_place.h"
#include "io/index_sections.h"
#include "io/metadata.h"
#include "io/packed_codes_file.h"
#include "io/user_ids.h"
#include "summand/error.h"
#include "summand/half.h"

namespace summand {
namespace {

FileStamp stamp_of(std::span<const std::byte> container) {
    return {container.size(), load_little<std::uint32_t>(&container[header::kCrc])};
}

bool consecutive(std::span<const std::int64_t> ids) {
    return ids.back() - ids.front() == static_cast<std::int64_t>(ids.size()) - 1;
}

void add_lists(ContainerWriter& writer, const InvertedLists& lists) {
    writer.add("lists", Element::uint64, {lists.parts().begin.size()}, lists.parts().begin);
    writer.add("ids", Element::uint64, {lists.size()}, lists.parts().ids);
}

void add_second(ContainerWriter& writer, const Refinement& second, std::uint64_t row_bytes) {
    const auto* rows = std::get_if<RefineRows>(&second);
    const auto bytes = rows ? rows->rows : std::as_bytes(std::get<RefineCodes>(second).rows);
    writer.add("second", Element::uint8, {bytes.size() / row_bytes, row_bytes}, bytes);
}

std::shared_ptr<const InvertedLists> read_lists(const IndexFile& file, const StoreModel& model, PackedSections packed) {
    InvertedLists::Parts lists{.packed = std::move(packed.codes), .ids = packed.ids, .owner = file.owner};
    lists.begin = in_place<std::uint64_t>(file.reader, file.bytes, "lists", Element::uint64,
                                          {model.model().cells()->cells() + 1});
    auto result = std::make_shared<const InvertedLists>(std::move(lists));
    if (!result->packed().parts().checks) positions_of(*result);  // throws unless they are the rows, each once
    return result;
}

void read_second(const IndexFile& file, const StoreModel& model, Index& index) {
    const auto bytes =
        in_place<std::byte>(file.reader, file.bytes, "second", Element::uint8, {index.size(), model.second_bytes()});
    const RefineModel& second = *model.model().second;
    if (second.rows)
        index.set_refinement(RefineRows{*second.rows, bytes, {}, file.owner});
    else
        index.set_refinement(RefineCodes{
            *second.quantizer, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, file.owner});
}

RowNames read_names(const IndexFile& file, std::size_t size) {
    if (!file.reader.has("names")) return {};
    RowNames names;
    names.begin = in_place<std::uint64_t>(file.reader, file.bytes, "name_begin", Element::uint64, {size + 1});
    names.order = in_place<std::uint64_t>(file.reader, file.bytes, "name_order", Element::uint64, {size});
    names.text = in_place<char>(file.reader, file.bytes, "names", Element::uint8, {names.begin.back()});
    const std::string problem = problem_of(names);
    file.reader.check(problem.empty(), problem);
    return names;
}

void read_sample(const IndexFile& file, const Fields& fields, std::size_t dimensions, Segment& segment) {
    const std::uint64_t sampled = fields.count("sample", 0, kLargestReservoir);
    if (sampled == 0) return;
    segment.sample_rows = in_place<std::uint64_t>(file.reader, file.bytes, "sample_rows", Element::uint64, {sampled});
    segment.sample =
        in_place<std::uint16_t>(file.reader, file.bytes, "sample", Element::float16, {sampled, dimensions});
    const auto& rows = segment.sample_rows;
    file.reader.check(std::adjacent_find(rows.begin(), rows.end(), std::greater_equal()) == rows.end() &&
                          rows.back() < segment.ids.size,
                      "section sample_rows is not in order, or names a row beyond the segment");
    file.reader.check(std::all_of(segment.sample.begin(), segment.sample.end(), is_finite_half),
                      "section sample holds a number that is not finite");
}

Segment read(const IndexFile& file, const StoreModel& model, std::uint64_t number, const FileStamp& stamp) {
    const ContainerReader& reader = file.reader;
    const FileStamp found = stamp_of(file.bytes);
    reader.check(found == stamp, "is not the segment that the manifest names: expected ", stamp.bytes,
                 " bytes with checksum ", stamp.crc, ", got ", found.bytes, " with ", found.crc);
    reader.expect(Kind::segment,
                  {"slots", "packed", "packed_tops", "bias", "bias_levels", "piece_sums", "lists", "sample_rows",
                   "sample", "ids", "user_ids", "name_begin", "names", "name_order", "second"});
    const Fields fields(reader, file.metadata, "segment");
    reader.check(fields.hash("model") == model.identity(), "is of model ", fields.text("model"), ", expected ",
                 hex(model.identity()));
    PackedSections packed = read_packed_codes(file, model.model().cells() ? IdsBeside::rows : IdsBeside::none);
    const std::size_t size = packed.codes->size();
    reader.check(size > 0, "holds no vectors");
    return file.named([&] {
        Index index = model.model().cells() ? model.with_tables(read_lists(file, model, std::move(packed)))
                                            : model.with_tables(std::move(packed.codes));
        if (model.model().second) read_second(file, model, index);
        Segment segment{number,     std::move(index), read_user_ids(file, fields, size), read_names(file, size),
                        file.owner, stamp};
        read_sample(file, fields, model.dimensions(), segment);
        return segment;
    });
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
    const InputFile file(path);
    Bytes head(std::min<std::uint64_t>(file.size(), header::kSize));
    file.read_at(0, head);
    require(head.size() == header::kSize, path, ": truncated: the header takes ", header::kSize,
            " bytes, the file has ", head.size());
    return {file.size(), load_little<std::uint32_t>(&head[header::kCrc])};
}

Segment segment_of(const StoreModel& model, const SegmentRows& rows) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows.ids[a] < rows.ids[b]; });
    struct Kept {
        SegmentRows rows;
        KeptNames names;
        std::vector<std::uint64_t> sample_rows;
    };
    auto kept = std::make_shared<Kept>();
    SegmentRows& in_order = kept->rows;
    append(rows, order, in_order);
    in_order.sample.shrink(reservoir_size(in_order.size()));
    Segment segment{.index = model.index_of(in_order), .owner = kept};
    segment.ids = {in_order.ids.front(), in_order.ids.size(), in_order.ids};
    if (!in_order.names.empty()) {
        kept->names = KeptNames(in_order.names);
        in_order.names.clear();
        segment.names = kept->names.view();
    }
    for (const std::int64_t id : in_order.sample.ids()) kept->sample_rows.push_back(*segment.ids.row_of(id));
    segment.sample_rows = kept->sample_rows;
    segment.sample = in_order.sample.halves();
    if (consecutive(in_order.ids)) segment.ids.values = {};
    return segment;
}

void write_segment(const std::string& path, const StoreModel& model, const Segment& segment) {
    ContainerWriter writer(Kind::segment);
    if (segment.index.inverted()) add_lists(writer, *IndexParts::lists(*segment.index.inverted()));
    const InvertedIndex* inverted = segment.index.inverted();
    add_packed_codes(writer, StoreModel::packed_of(segment.index),
                     inverted ? IndexParts::lists(*inverted)->parts().ids : std::span<const std::uint64_t>());
    if (segment.index.refinement()) add_second(writer, *segment.index.refinement(), model.second_bytes());
    const std::size_t sampled = segment.sample_rows.size();
    writer.metadata["segment"] = {{"model", hex(model.identity())}, {"sample", sampled}};
    if (sampled > 0) {
        writer.add("sample_rows", Element::uint64, {sampled}, segment.sample_rows);
        writer.add("sample", Element::float16, {sampled, model.dimensions()}, segment.sample);
    }
    add_user_ids(writer, "segment", segment.ids);
    if (!segment.names.empty()) {
        const RowNames& names = segment.names;
        writer.add("name_begin", Element::uint64, {names.begin.size()}, names.begin);
        writer.add("names", Element::uint8, {names.text.size()}, names.text);
        writer.add("name_order", Element::uint64, {names.order.size()}, names.order);
    }
    writer.finish(path, NameLasts::after_sync);
}

Segment read_segment(const std::string& path, const StoreModel& model, std::uint64_t number, const FileStamp& stamp,
                     Checking checking) {
    return read(IndexFile(mapped(path), path, checking), model, number, stamp);
}

Segment read_segment(std::span<const std::byte> bytes, const std::string& path, const StoreModel& model,
                     std::uint64_t number, const FileStamp& stamp) {
    return read(IndexFile(copied(bytes), path, Checking::at_once), model, number, stamp);
}

}  // namespace summand
