#include "store/store_model.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "index/residuals.h"
#include "index/row_store.h"
#include "summand/error.h"

namespace summand {
namespace {

template <class T>
std::uint64_t hashed(const std::vector<T>& values, std::uint64_t seed) {
    return hash64(values.data(), values.size() * sizeof(T), seed);
}

std::uint64_t identity_of(const IndexModel& model, Metric metric) {
    std::uint64_t hash = identity(model.quantizer());
    const auto add = [&](std::uint64_t number) { hash = hash64(&number, sizeof number, hash); };
    add(static_cast<std::uint64_t>(metric));
    if (const auto* inverted = std::get_if<InvertedModel>(&model.first)) {
        const Partition& cells = inverted->partition;
        add(static_cast<std::uint64_t>(inverted->coding));
        add(cells.dictionaries.count);
        hash = hashed(cells.dictionaries.rows.values(), hash);
        hash = hashed(cells.word_offsets, hash);
        hash = hashed(cells.groups.values(), hash);
        hash = hashed(cells.group_begin, hash);
    }
    if (model.second && model.second->quantizer) add(identity(*model.second->quantizer));
    if (model.second && model.second->rows) add(1 + static_cast<std::uint64_t>(*model.second->rows));
    return hash;
}

void check(const IndexModel& model, Metric metric) {
    const std::optional<Metric> own = model.metric();
    require(own ? metric == *own : metric != Metric::cosine, "create: expected a model trained with --metric ",
            name(metric), ", got one trained ", own ? concatenate("for ", name(*own)) : std::string("without it"));
    if (!model.second) return;
    require(model.second->quantizer || model.second->rows,
            "create: Refine(flat) reads vectors from one file, which an index that lives does not have; use "
            "Refine(fp32), Refine(fp16) or Refine(u8)");
    require(model.second->rows != RowFormat::sq8,
            "create: the ranges of Refine(sq8) are those of vectors that are not there yet; use Refine(fp16)");
}

std::size_t second_bytes_of(const IndexModel& model) {
    if (!model.second) return 0;
    if (model.second->quantizer) return model.second->quantizer->dictionaries.count;
    return row_bytes(*model.second->rows, model.dimensions());
}

Index empty_first(const IndexModel& model, Metric metric) {
    Codes none{{}, {}, identity(model.quantizer())};
    if (const auto* inverted = std::get_if<InvertedModel>(&model.first))
        return IndexParts::inverted(*inverted, listed(*inverted, {{}, std::move(none)}, {}));
    return FlatIndex(model.quantizer(), none, metric);
}

std::vector<std::int64_t> row_numbers(std::size_t size) {
    std::vector<std::int64_t> rows(size);
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    return rows;
}

std::span<const std::byte> second_of_index(const Index& index) {
    if (!index.refinement()) return {};
    if (const auto* codes = std::get_if<RefineCodes>(&*index.refinement())) return std::as_bytes(codes->rows);
    return std::get<RefineRows>(*index.refinement()).rows;
}

template <class T>
void append_rows(const std::vector<T>& from, std::span<const std::size_t> rows, std::size_t width, std::vector<T>& to) {
    for (const std::size_t row : rows) {
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(row * width);
        to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
}

}  // namespace

StoreModel::StoreModel(IndexModel model, Metric metric, std::uint64_t seed)
    : model_(std::move(model)),
      seed_(seed),
      identity_(identity_of(model_, metric)),
      second_bytes_(second_bytes_of(model_)),
      codes_model_(summand::identity(model_.quantizer())) {
    check(model_, metric);
    Index empty = empty_first(model_, metric);
    if (model_.second) empty.set_refinement(second_of(empty, {}));
    empty_ = std::make_unique<const Index>(std::move(empty));
}

const StoreModel::Encoders& StoreModel::encoders() const {
    std::call_once(encoders_made_, [&] {
        const EncodeOptions options{.seed = seed_};
        if (const auto* inverted = std::get_if<InvertedModel>(&model_.first))
            encoders_.cells.emplace(*inverted, options);
        else
            encoders_.flat.emplace(model_.quantizer(), options);
        if (model_.second && model_.second->quantizer) encoders_.second.emplace(*model_.second->quantizer, options);
    });
    return encoders_;
}

SegmentRows StoreModel::encode(MatrixView<float> vectors, const Execution& execution) const {
    require(vectors.columns() == dimensions(), "add: expected vectors of ", dimensions(), " dimensions, got ",
            vectors.columns());
    SegmentRows rows;
    Codes codes;
    if (encoders().cells) {
        CellCodes encoded = encoders().cells->encode(vectors, execution);
        rows.cells = std::move(encoded.cells);
        codes = std::move(encoded.codes);
    } else {
        codes = encoders().flat->encode(vectors, execution);
    }
    rows.codes = codes.rows.values();
    rows.bias = std::move(codes.bias);
    rows.ids = row_numbers(vectors.rows());
    if (model_.second) encode_second(vectors, execution, rows);
    rows.ids.clear();
    return rows;
}

void StoreModel::encode_second(MatrixView<float> vectors, const Execution& execution, SegmentRows& rows) const {
    if (model_.second->rows) {
        RowRanges fit(*model_.second->rows, metric(), dimensions());
        fit.add(vectors, 0);
        RowStore store(*model_.second->rows, metric(), dimensions(), vectors.rows());
        store.add(vectors, 0);
        const RefineRows stored = std::move(store).finish();
        rows.second.assign(stored.rows.begin(), stored.rows.end());
        return;
    }
    SegmentRows first = rows;
    const Residuals residuals(index_of(first));
    const Matrix<float> left = residuals(vectors, rows.ids, execution);
    const Codes codes = encoders().second->encode(left.view(), execution);
    const auto bytes = std::as_bytes(std::span(codes.rows.values()));
    rows.second.assign(bytes.begin(), bytes.end());
}

Index StoreModel::with_tables(std::shared_ptr<const PackedCodes> packed) const {
    return IndexParts::flat(*empty_->flat(), std::move(packed));
}

Index StoreModel::with_tables(std::shared_ptr<const InvertedLists> lists) const {
    return IndexParts::inverted(*empty_->inverted(), std::move(lists));
}

const PackedCodes& StoreModel::packed_of(const Index& index) {
    return index.flat() ? *IndexParts::packed(*index.flat()) : IndexParts::lists(*index.inverted())->packed();
}

// What lies in the order of rows, as `second` does, goes to the order of positions where the index keeps vectors so.
Refinement StoreModel::second_of(const Index& first, const std::vector<std::byte>& second) const {
    struct Storage {
        AlignedBuffer<std::byte> bytes;
    };
    auto storage = std::make_shared<Storage>(Storage{AlignedBuffer<std::byte>(second.size())});
    std::byte* bytes = storage->bytes.data();
    const InvertedLists* lists =
        model_.second->rows && first.inverted() ? IndexParts::lists(*first.inverted()).get() : nullptr;
    for (std::size_t i = 0; i * second_bytes_ < second.size(); ++i) {
        const std::size_t row = lists ? static_cast<std::size_t>(lists->id(i)) : i;
        std::memcpy(bytes + i * second_bytes_, second.data() + row * second_bytes_, second_bytes_);
    }
    const std::span<const std::byte> kept(bytes, second.size());
    if (model_.second->rows) return RefineRows{*model_.second->rows, kept, {}, storage};
    return RefineCodes{
        *model_.second->quantizer, {reinterpret_cast<const std::uint8_t*>(kept.data()), kept.size()}, storage};
}

Index StoreModel::index_of(const SegmentRows& rows) const {
    const Quantizer& quantizer = model_.quantizer();
    const std::size_t M = quantizer.dictionaries.count;
    const std::size_t size = rows.codes.size() / M;
    Codes codes{Matrix<std::uint8_t>(size, M, rows.codes), rows.bias, codes_model_};
    Index index = [&] {
        if (const auto* inverted = std::get_if<InvertedModel>(&model_.first))
            return with_tables(listed(*inverted, {rows.cells, std::move(codes)}, row_numbers(size), &packed()));
        return with_tables(PackedCodes::pack_like(packed(), codes, quantizer, metric(), planes_of_flat(codes)));
    }();
    if (!rows.second.empty()) index.set_refinement(second_of(index, rows.second));
    return index;
}

SegmentRows StoreModel::rows_of(const Index& index) const {
    const PackedCodes& packed = packed_of(index);
    const std::size_t M = packed.dictionaries(), size = index.size();
    const bool biased = model_.quantizer().bias == Bias::stored;
    const InvertedLists* lists = index.inverted() ? IndexParts::lists(*index.inverted()).get() : nullptr;
    packed.require_sound();
    if (lists) positions_of(*lists);  // throws unless they hold the rows, each once
    const bool by_position = lists && model_.second && model_.second->rows;
    const std::span<const std::byte> second = second_of_index(index);
    SegmentRows rows;
    rows.cells.resize(lists ? size : 0);
    rows.codes.resize(size * M);
    rows.bias.resize(biased ? size : 0);
    rows.second.resize(size * second_bytes_);
    std::size_t cell = 0;
    for (std::size_t position = 0; position < size; ++position) {
        const std::size_t row = lists ? static_cast<std::size_t>(lists->id(position)) : position;
        if (lists) {
            while (lists->end(cell) <= position) ++cell;
            rows.cells[row] = static_cast<std::uint32_t>(cell);
        }
        packed.read_words(position, rows.codes.data() + row * M);
        if (biased) rows.bias[row] = packed.bias(position);
        if (second_bytes_ > 0)
            std::memcpy(rows.second.data() + row * second_bytes_,
                        second.data() + (by_position ? position : row) * second_bytes_, second_bytes_);
    }
    return rows;
}

CellCodes StoreModel::first_of(SegmentRows rows) const {
    const std::size_t M = model_.quantizer().dictionaries.count, size = rows.codes.size() / M;
    return {std::move(rows.cells),
            {Matrix<std::uint8_t>(size, M, std::move(rows.codes)), std::move(rows.bias), codes_model_}};
}

void append(const SegmentRows& from, std::span<const std::size_t> rows, SegmentRows& to) {
    const std::size_t size = std::max<std::size_t>(1, from.size());
    append_rows(from.ids, rows, 1, to.ids);
    append_rows(from.cells, rows, from.cells.size() / size, to.cells);
    append_rows(from.codes, rows, from.codes.size() / size, to.codes);
    append_rows(from.bias, rows, from.bias.size() / size, to.bias);
    append_rows(from.names, rows, from.names.size() / size, to.names);
    append_rows(from.second, rows, from.second.size() / size, to.second);
    if (from.sample.size() == 0) return;
    if (rows.size() == from.size()) return to.sample.add(from.sample, [](std::int64_t) { return true; });
    std::unordered_set<std::int64_t> wanted;
    for (const std::size_t row : rows) wanted.insert(from.ids[row]);
    to.sample.add(from.sample, [&](std::int64_t id) { return wanted.contains(id); });
}

}  // namespace summand
