#include "store/snapshot.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "base/parallel.h"
#include "index/collectors.h"
#include "index/flat_search.h"
#include "index/second_layer.h"
#include "model/transform.h"
#include "summand/error.h"

namespace summand {
namespace {

IdFilter filter_of(std::span<const std::uint64_t> words) {
    return IdFilter::bitmap({reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes()});
}

std::vector<std::uint64_t> all_but(const RowSet& dead) {
    std::vector<std::uint64_t> words(dead.words().begin(), dead.words().end());
    for (std::uint64_t& word : words) word = ~word;
    return words;
}

// The rows of one segment that are alive and that the user wants; null: all.
class Wanted {
public:
    Wanted(const LiveSegment& live, const IdFilter* filter) {
        if (!filter) {
            used_ = live.live.get();
            return;
        }
        std::vector<std::uint64_t> words = filter->words(live.segment->ids);
        if (live.dead)
            for (std::size_t w = 0; w < words.size(); ++w) words[w] &= ~live.dead->words()[w];
        used_ = &own_.emplace(filter_of(words));
    }
    const IdFilter* filter() const { return used_; }

private:
    std::optional<IdFilter> own_;
    const IdFilter* used_ = nullptr;
};

// A vector that the second layer scores, as that layer calls it: a row, or a position in the lists of the segment.
struct Candidate {
    std::size_t segment;
    std::int64_t name;
};

// Searches the segments of a snapshot as one index.
class Search {
public:
    Search(const Snapshot& snapshot, MatrixView<float> queries, const SearchOptions& options, const char* what)
        : snapshot_(snapshot), model_(*snapshot.model), queries_(queries), options_(options), what_(what) {
        require(model_.model().second || options.refine.value_or(0) == 0, what,
                ": the index has no second layer, expected one built with Refine(...)");
        require(queries.columns() == model_.dimensions(), what, ": expected queries of ", model_.dimensions(),
                " dimensions, got ", queries.columns());
        settled_ = model_.empty().resolved(options.parameters(), options.k);
        options_ = options.with({settled_.probes, settled_.reach, settled_.candidates, {}});
        for (const LiveSegment& live : snapshot.segments) wanted_.emplace_back(live, options.filter);
        if (inverted())
            lists_.emplace(list_parts());
        else
            codes_.emplace(code_parts());
    }

    // What the second layer is to score again; 0: nothing.
    std::size_t refined() const { return *settled_.refine; }

    Neighbors nearest() const {
        return inverted() ? search_lists(IndexParts::tables(*inverted()), *lists_, queries_, options_)
                          : search_codes(IndexParts::tables(*flat()), *codes_, queries_, options_);
    }

    RangeNeighbors within(float radius) const { return within(radius, Naming::ids); }

    // The `count` best of the first layer go to a collector of each query, with the scores of the second.
    template <class Collector, class Answers>
    void rescore_nearest(std::size_t count, const Collector& start, Answers& answers) {
        options_.k = count;
        const Matrix<float> own = moved();
        if (inverted()) {
            shortlist(IndexParts::tables(*inverted()), *lists_, queries_, options_, Naming::places,
                      [&](std::size_t q, std::span<std::int64_t> places, std::span<const float>) {
                          rescore(own, q, candidates_at(places), start, answers);
                      });
            return;
        }
        Neighbors found = nearest();
        parallel_for(options_.execution, queries_.rows(), [&](std::size_t q) {
            std::int64_t* ids = found.ids.row(q);
            rescore(own, q, candidates_of({ids, std::find(ids, ids + count, kNoId)}), start, answers);
        });
    }

    // The same of all that the first layer has within the radius.
    template <class Collector, class Answers>
    void rescore_within(float radius, const Collector& start, Answers& answers) const {
        const RangeNeighbors found = within(radius, Naming::places);
        const Matrix<float> own = moved();
        parallel_for(options_.execution, queries_.rows(), [&](std::size_t q) {
            std::vector<std::int64_t> names;
            for (std::size_t i = found.begin[q]; i < found.begin[q + 1]; ++i) names.push_back(found.entries[i].id);
            rescore(own, q, inverted() ? candidates_at(names) : candidates_of(names), start, answers);
        });
    }

private:
    const InvertedIndex* inverted() const { return model_.empty().inverted(); }
    const FlatIndex* flat() const { return model_.empty().flat(); }

    // Where there are no segments, wrong options are told by an index of no vectors.
    CodeParts code_parts() const {
        std::vector<PartOfCodes> parts;
        for (std::size_t s = 0; s < wanted_.size(); ++s)
            parts.push_back({StoreModel::packed_of(segment(s).index), segment(s).ids, wanted_[s].filter()});
        if (parts.empty()) parts.push_back({model_.packed(), {}, nullptr});
        return CodeParts(parts);
    }
    ListParts list_parts() const {
        std::vector<ListPart> parts;
        for (std::size_t s = 0; s < wanted_.size(); ++s)
            parts.push_back({*IndexParts::lists(*segment(s).index.inverted()), wanted_[s].filter(), segment(s).ids});
        if (parts.empty()) parts.push_back({*IndexParts::lists(*inverted())});
        return ListParts(std::move(parts));
    }

    const Segment& segment(std::size_t s) const { return *snapshot_.segments[s].segment; }

    // Vectors of an index without cells are called by their ids, whatever is asked for.
    RangeNeighbors within(float radius, Naming naming) const {
        return inverted() ? search_lists(IndexParts::tables(*inverted()), *lists_, queries_, radius, options_, naming)
                          : search_codes(IndexParts::tables(*flat()), *codes_, queries_, radius, options_);
    }

    Matrix<float> moved() const {
        return model_.metric() == Metric::cosine ? of_unit_length(queries_, what_) : Matrix<float>();
    }

    bool by_row() const { return IndexParts::second(model_.empty())->naming() == Naming::ids; }

    std::vector<Candidate> candidates_at(std::span<const std::int64_t> places) const {
        std::vector<Candidate> candidates;
        for (const std::int64_t number : places) {
            const ListParts::Place place = lists_->place(static_cast<std::size_t>(number));
            const InvertedLists& lists = lists_->all()[place.part].lists;
            candidates.push_back(
                {place.part, by_row() ? lists.id(place.position) : static_cast<std::int64_t>(place.position)});
        }
        return candidates;
    }

    std::vector<Candidate> candidates_of(std::span<const std::int64_t> ids) const {
        std::vector<Candidate> candidates;
        for (const std::int64_t id : ids) {
            const Snapshot::Place place = *snapshot_.find(id);
            candidates.push_back({place.segment, static_cast<std::int64_t>(place.row)});
        }
        return candidates;
    }

    std::int64_t id_of(const Candidate& one) const {
        const bool position = inverted() && !by_row();
        const std::int64_t row =
            position ? lists_->all()[one.segment].lists.id(static_cast<std::size_t>(one.name)) : one.name;
        return segment(one.segment).ids[static_cast<std::size_t>(row)];
    }

    template <class Collector, class Answers>
    void rescore(const Matrix<float>& moved, std::size_t q, std::vector<Candidate> found, const Collector& start,
                 Answers& answers) const {
        Collector best = start.fork();
        std::sort(found.begin(), found.end(),
                  [](const Candidate& a, const Candidate& b) { return a.segment < b.segment; });
        std::vector<std::int64_t> names;
        std::vector<float> scores;
        for (std::size_t first = 0, last = 0; first < found.size(); first = last) {
            const std::size_t own = found[first].segment;
            names.clear();
            for (; last < found.size() && found[last].segment == own; ++last) names.push_back(found[last].name);
            scores.resize(names.size());
            IndexParts::second(segment(own).index)
                ->score(moved.empty() ? queries_.row(q) : moved.row(q), names, scores.data());
            for (std::size_t i = 0; i < names.size(); ++i) best.offer({scores[i], id_of({own, names[i]})});
        }
        answers.add(q, best);
    }

    const Snapshot& snapshot_;
    const StoreModel& model_;
    MatrixView<float> queries_;
    SearchOptions options_;  // of the first layer
    const char* what_;
    SearchParameters settled_;
    std::deque<Wanted> wanted_;  // of each segment
    std::optional<CodeParts> codes_;
    std::optional<ListParts> lists_;
};

}  // namespace

LiveSegment live_segment(std::shared_ptr<const Segment> segment, std::shared_ptr<const RowSet> dead) {
    LiveSegment live{std::move(segment), std::move(dead)};
    if (live.dead) live.live = std::make_shared<const IdFilter>(filter_of(all_but(*live.dead)));
    return live;
}

std::size_t Snapshot::size() const {
    std::size_t size = 0;
    for (const LiveSegment& live : segments) size += live.size();
    return size;
}

// Late segments hold what was added or replaced last.
std::optional<Snapshot::Place> Snapshot::find(std::int64_t id) const {
    for (std::size_t s = segments.size(); s-- > 0;) {
        const LiveSegment& live = segments[s];
        const std::optional<std::size_t> row = live.segment->ids.row_of(id);
        if (row && !(live.dead && live.dead->has(*row))) return Place{s, *row};
    }
    return std::nullopt;
}

Neighbors Snapshot::search(MatrixView<float> queries, const SearchOptions& options) const {
    require(options.k > 0, "search: expected k of at least 1, got 0");
    Search search(*this, queries, options, "search");
    if (search.refined() == 0) return search.nearest();
    NearestAnswers answers(queries.rows(), options.k);
    search.rescore_nearest(std::max(options.k, std::min(search.refined(), size())),
                           Nearest(std::min(options.k, std::max<std::size_t>(1, size()))), answers);
    return answers.finish();
}

RangeNeighbors Snapshot::search_range(MatrixView<float> queries, float radius, const SearchOptions& options) const {
    require(!std::isnan(radius), "search_range: expected a radius, got NaN");
    SearchOptions asked = options;
    asked.k = 1;
    Search search(*this, queries, asked, "search_range");
    if (search.refined() == 0) return search.within(radius);
    RangeAnswers answers(queries.rows());
    if (options.refine)
        search.rescore_nearest(std::max<std::size_t>(1, std::min(*options.refine, size())), Within(radius), answers);
    else
        search.rescore_within(radius, Within(radius), answers);
    return answers.finish();
}

}  // namespace summand
