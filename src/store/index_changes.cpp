// Changes of an index in memory: its rows are taken out, some are added or left out, and an index is made of them
// again.
#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "build/source.h"
#include "index/index_parts.h"
#include "io/user_ids.h"
#include "store/store_model.h"
#include "summand/error.h"
#include "summand/vector_source.h"

namespace summand {
namespace {

void check_second(const char* what, const std::optional<Refinement>& second) {
    if (!second) return;
    require(!std::holds_alternative<RefineFile>(*second), what,
            ": Refine(flat) finds the vector of each row in the file that the index was built of; build it with "
            "Refine(fp32), Refine(fp16) or Refine(u8)");
    const auto* rows = std::get_if<RefineRows>(&*second);
    require(!rows || rows->format != RowFormat::sq8, what,
            ": the ranges of Refine(sq8) are those of the vectors that the index was built of; build it with "
            "Refine(fp16)");
}

// The same index whose lists name each vector by the rank of its id, `ids` in order.
Index by_rank(const Index& index, const std::vector<std::int64_t>& ids) {
    struct Storage {
        std::shared_ptr<const InvertedLists> lists;
        std::vector<std::uint64_t> ranks;
    };
    auto storage = std::make_shared<Storage>();
    storage->lists = IndexParts::lists(*index.inverted());
    const InvertedLists::Parts& parts = storage->lists->parts();
    for (const std::uint64_t id : parts.ids) {
        const auto rank = std::lower_bound(ids.begin(), ids.end(), static_cast<std::int64_t>(id)) - ids.begin();
        storage->ranks.push_back(static_cast<std::uint64_t>(rank));
    }
    return IndexParts::inverted(*index.inverted(), std::make_shared<const InvertedLists>(InvertedLists::Parts{
                                                       parts.packed, parts.begin, storage->ranks, storage}));
}

SegmentRows rows_of(const char* what, const Index& index, const StoreModel& model) {
    std::vector<std::int64_t> ids = index.ids();
    const auto twice = std::adjacent_find(ids.begin(), ids.end());
    require(twice == ids.end(), what, ": expected an index that has each id once, got one that has ",
            twice == ids.end() ? 0 : *twice, " twice");
    const bool named_by_row = IndexParts::ids(index) || index.flat() || index.refinement();
    SegmentRows rows = model.rows_of(named_by_row ? index : by_rank(index, ids));
    rows.ids = std::move(ids);
    return rows;
}

SegmentRows in_order(SegmentRows rows) {
    if (std::is_sorted(rows.ids.begin(), rows.ids.end())) return rows;
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows.ids[a] < rows.ids[b]; });
    SegmentRows result;
    append(rows, order, result);
    return result;
}

void append_all(const SegmentRows& from, SegmentRows& to) {
    std::vector<std::size_t> all(from.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    append(from, all, to);
}

// Rows whose ids `keeps` keeps.
SegmentRows kept_of(const SegmentRows& rows, const std::function<bool(std::int64_t)>& keeps) {
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (keeps(rows.ids[row])) kept.push_back(row);
    SegmentRows result;
    append(rows, kept, result);
    return result;
}

// `next`: larger than any id that ever was.
Index index_of(const StoreModel& model, SegmentRows rows, std::int64_t next) {
    rows = in_order(std::move(rows));
    Index index = rows.size() == 0 ? model.empty() : model.index_of(rows);
    const auto size = static_cast<std::int64_t>(rows.size());
    const std::int64_t first = size == 0 ? 0 : rows.ids.front();
    const bool consecutive = size == 0 || rows.ids.back() - first == size - 1;
    if (consecutive && first == 0 && next == size) return index;
    auto ids = std::make_shared<const std::vector<std::int64_t>>(std::move(rows.ids));
    RowIds named{first, ids->size()};
    if (!consecutive) named.values = *ids;
    IndexParts::set_ids(index, {named, next, ids});
    return index;
}

std::int64_t next_id(const Index& index) {
    if (IndexParts::ids(index)) return IndexParts::ids(index)->next;
    if (index.flat() || index.refinement()) return static_cast<std::int64_t>(index.size());
    const std::vector<std::int64_t> ids = index.ids();
    return ids.empty() ? 0 : ids.back() + 1;
}

SegmentRows encoded(const StoreModel& model, const VectorSource& vectors, const Execution& execution) {
    SegmentRows rows;
    for_each_chunk(vectors, execution, [&](const Matrix<float>& chunk, std::size_t first, const Execution& inner) {
        if (model.metric() == Metric::cosine)
            require_directions(chunk.view(), vectors, [&](std::size_t i) { return first + i; });
        SegmentRows part = model.encode(chunk.view(), inner);
        part.ids.resize(chunk.rows());
        append_all(part, rows);
    });
    return rows;
}

void check_ids(std::span<const std::int64_t> ids, std::size_t vectors) {
    require(ids.size() == vectors, "add: expected an id for each of ", vectors, " vectors, got ", ids.size());
    std::unordered_set<std::int64_t> seen;
    for (const std::int64_t id : ids) {
        require(id >= 0 && id <= kLargestId, "add: expected ids from 0 to 2^63 - 2, got ", id);
        require(seen.insert(id).second, "add: the id ", id, " is given twice");
    }
}

}  // namespace

// Made once, since tables of words and cells take long; a change leaves the model as it is.
void Index::prepare_change(const char* what, std::uint64_t seed) {
    check_second(what, refinement_);
    if (!changing_model_ || changing_model_->seed() != seed)
        changing_model_ = std::make_shared<const StoreModel>(model_of(*this), metric(), seed);
}

void Index::replace_rows(Index changed) {
    changed.defaults_ = defaults_;
    changed.changing_model_ = changing_model_;
    *this = std::move(changed);
}

std::int64_t Index::add(const VectorSource& vectors, const AddOptions& options) {
    const std::int64_t first = next_id(*this);
    require(vectors.rows <= static_cast<std::size_t>(kLargestId - first) + 1, "add: expected at most ",
            kLargestId - first + 1, " more ids, got ", vectors.rows, " vectors");
    std::vector<std::int64_t> ids(vectors.rows);
    std::iota(ids.begin(), ids.end(), first);
    add(vectors, ids, options);
    return first;
}

void Index::add(const VectorSource& vectors, std::span<const std::int64_t> ids, const AddOptions& options) {
    check_ids(ids, vectors.rows);
    require(vectors.columns == dimensions() || vectors.rows == 0, "add: expected vectors of ", dimensions(),
            " dimensions, got ", vectors.columns);
    prepare_change("add", options.seed);
    const StoreModel& model = *changing_model_;
    SegmentRows rows = rows_of("add", *this, model);
    const RowIds there{0, rows.size(), rows.ids};
    const auto is_there = [&](std::int64_t id) { return !rows.ids.empty() && there.row_of(id).has_value(); };
    const bool some = std::any_of(ids.begin(), ids.end(), is_there);
    if (some && options.duplicates == Duplicates::refuse)
        throw Error(concatenate("add: the id ", *std::find_if(ids.begin(), ids.end(), is_there),
                                " is in the index already; replace it, or leave it out"));
    SegmentRows added = encoded(model, vectors, options.execution);
    added.ids.assign(ids.begin(), ids.end());
    if (some) {
        const std::unordered_set<std::int64_t> replaced(ids.begin(), ids.end());
        rows = kept_of(rows, [&](std::int64_t id) { return !replaced.contains(id); });
    }
    append_all(added, rows);
    const std::int64_t largest = ids.empty() ? -1 : *std::max_element(ids.begin(), ids.end());
    replace_rows(index_of(model, std::move(rows), std::max(next_id(*this), largest + 1)));
}

std::size_t Index::keep(const std::function<bool(std::int64_t id)>& keeps) {
    prepare_change("remove", changing_model_ ? changing_model_->seed() : AddOptions().seed);
    SegmentRows rows = kept_of(rows_of("remove", *this, *changing_model_), keeps);
    const std::size_t removed = size() - rows.size();
    if (removed > 0) replace_rows(index_of(*changing_model_, std::move(rows), next_id(*this)));
    return removed;
}

std::size_t Index::remove(std::span<const std::int64_t> ids) {
    const std::unordered_set<std::int64_t> gone(ids.begin(), ids.end());
    return keep([&](std::int64_t id) { return !gone.contains(id); });
}

std::size_t Index::remove(const IdFilter& ids) {
    return keep([&](std::int64_t id) { return !ids.keeps(id); });
}

}  // namespace summand
