#include "store/snapshot.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "index/collectors.h"
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

// An answer of the first layer.
struct Candidate {
    float score;
    std::uint32_t segment;
    std::int64_t name;  // its row in the segment, or its position
};

// Searches segments one after the other; what they find is told apart by segment.
class Search {
public:
    Search(const Snapshot& snapshot, MatrixView<float> queries, const SearchOptions& options, const char* what)
        : snapshot_(snapshot), model_(*snapshot.model), queries_(queries), options_(options), what_(what) {
        const Index& empty = model_.empty();
        require(options.candidates == 0 || snapshot.segments.size() <= 1, what,
                ": candidates are counted in one segment, expected probes; or compact the index");
        require(model_.model().second || options.refine.value_or(0) == 0, what,
                ": the index has no second layer, expected one built with Refine(...)");
        require(queries.columns() == model_.dimensions(), what, ": expected queries of ", model_.dimensions(),
                " dimensions, got ", queries.columns());
        settled_ = empty.resolved(options.parameters(), options.k);
        if (*settled_.refine > 0) naming_ = Naming::positions;
    }

    const SearchParameters& settled() const { return settled_; }

    // The k best of the first layer of each segment, for each query.
    void find_nearest(std::size_t k) {
        found_.resize(queries_.rows());
        if (snapshot_.segments.empty()) check_with_no_vectors();
        for (std::size_t s = 0; s < snapshot_.segments.size(); ++s) {
            const LiveSegment& live = snapshot_.segments[s];
            const Wanted wanted(live, options_.filter);
            SearchOptions first = first_options(wanted);
            first.k = std::max<std::size_t>(1, std::min(k, live.segment->ids.size));
            IndexParts::shortlist(
                *IndexParts::first(live.segment->index), queries_, first, naming_,
                [&](std::size_t q, std::span<std::int64_t> candidates, std::span<const float> scores) {
                    for (std::size_t i = 0; i < candidates.size(); ++i)
                        found_[q].push_back({scores[i], static_cast<std::uint32_t>(s), candidates[i]});
                });
        }
    }

    void find_within(float radius) {
        found_.resize(queries_.rows());
        if (snapshot_.segments.empty()) check_with_no_vectors();
        for (std::size_t s = 0; s < snapshot_.segments.size(); ++s) {
            const LiveSegment& live = snapshot_.segments[s];
            const Wanted wanted(live, options_.filter);
            const RangeNeighbors found = IndexParts::search_range(*IndexParts::first(live.segment->index), queries_,
                                                                  radius, first_options(wanted), naming_);
            for (std::size_t q = 0; q < found_.size(); ++q)
                for (std::size_t i = found.begin[q]; i < found.begin[q + 1]; ++i)
                    found_[q].push_back({found.entries[i].score, static_cast<std::uint32_t>(s), found.entries[i].id});
        }
    }

    // Keeps the `count` best of each query, by the order in which one index would have kept them.
    void cut(std::size_t count) {
        parallel_for(options_.execution, found_.size(), [&](std::size_t q) {
            std::vector<Candidate>& found = found_[q];
            if (found.size() <= count) return;
            std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(),
                             [&](const Candidate& a, const Candidate& b) { return is_before(a, b); });
            found.resize(count);
        });
    }

    // Hands scores and ids of all candidates of each query to collectors.
    template <class Collector, class Answers>
    void collect(const Collector& start, Answers& answers) {
        const bool rescored = model_.model().second && *settled_.refine > 0;
        Matrix<float> scaled;
        if (rescored && model_.metric() == Metric::cosine) scaled = of_unit_length(queries_, what_);
        const MatrixView<float> own = scaled.empty() ? queries_ : scaled.view();
        parallel_for(options_.execution, found_.size(), [&](std::size_t q) {
            Collector best = start.fork();
            if (rescored)
                rescore(own.row(q), found_[q], best);
            else
                for (const Candidate& one : found_[q]) best.offer({one.score, id_of(one)});
            answers.add(q, best);
        });
    }

private:
    // So that wrong queries and options are told, as they are where there are vectors.
    void check_with_no_vectors() const {
        SearchOptions first = options_.with({settled_.probes, settled_.reach, settled_.candidates, {}});
        first.filter = nullptr;
        IndexParts::search(*IndexParts::first(model_.empty()), queries_, first);
    }

    SearchOptions first_options(const Wanted& wanted) const {
        SearchOptions first = options_.with({settled_.probes, settled_.reach, settled_.candidates, {}});
        first.filter = wanted.filter();
        return first;
    }

    const Segment& segment(const Candidate& one) const { return *snapshot_.segments[one.segment].segment; }

    std::size_t row_of(const Candidate& one) const {
        const auto name = static_cast<std::size_t>(one.name);
        if (naming_ == Naming::ids || !segment(one).index.inverted()) return name;
        return static_cast<std::size_t>(IndexParts::lists(*segment(one).index.inverted())->id(name));
    }
    std::int64_t id_of(const Candidate& one) const { return segment(one).ids[row_of(one)]; }

    // One index orders candidates that it calls by position, of equal scores, by cell and then by id.
    std::size_t cell_of(const Candidate& one) const {
        const InvertedIndex* inverted = segment(one).index.inverted();
        if (naming_ == Naming::ids || !inverted) return 0;
        const auto begin = IndexParts::lists(*inverted)->parts().begin;
        return static_cast<std::size_t>(
            std::upper_bound(begin.begin(), begin.end(), static_cast<std::uint64_t>(one.name)) - begin.begin());
    }

    bool is_before(const Candidate& a, const Candidate& b) const {
        if (a.score != b.score) return a.score < b.score;
        const std::size_t first = cell_of(a), second = cell_of(b);
        return first < second || (first == second && id_of(a) < id_of(b));
    }

    template <class Collector>
    void rescore(const float* query, std::vector<Candidate>& found, Collector& best) const {
        std::sort(found.begin(), found.end(),
                  [](const Candidate& a, const Candidate& b) { return a.segment < b.segment; });
        std::vector<std::int64_t> names;
        std::vector<float> scores;
        for (std::size_t first = 0, last = 0; first < found.size(); first = last) {
            const SecondLayer& second = *IndexParts::second(segment(found[first]).index);
            const bool by_row = second.naming() == Naming::ids;
            names.clear();
            for (; last < found.size() && found[last].segment == found[first].segment; ++last)
                names.push_back(by_row ? static_cast<std::int64_t>(row_of(found[last])) : found[last].name);
            scores.resize(names.size());
            second.score(query, names, scores.data());
            for (std::size_t i = 0; i < names.size(); ++i) {
                const Candidate one{scores[i], found[first].segment, names[i]};
                best.offer({scores[i], by_row ? segment(one).ids[static_cast<std::size_t>(names[i])] : id_of(one)});
            }
        }
    }

    const Snapshot& snapshot_;
    const StoreModel& model_;
    MatrixView<float> queries_;
    const SearchOptions& options_;
    const char* what_;
    SearchParameters settled_;
    Naming naming_ = Naming::ids;
    std::vector<std::vector<Candidate>> found_;  // of each query
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
    const std::size_t refined = *search.settled().refine;
    const std::size_t wanted = std::max(options.k, std::min(refined, size()));
    search.find_nearest(wanted);
    if (refined > 0) search.cut(wanted);
    NearestAnswers answers(queries.rows(), options.k);
    search.collect(Nearest(std::min(options.k, std::max<std::size_t>(1, size()))), answers);
    return answers.finish();
}

RangeNeighbors Snapshot::search_range(MatrixView<float> queries, float radius, const SearchOptions& options) const {
    require(!std::isnan(radius), "search_range: expected a radius, got NaN");
    SearchOptions asked = options;
    asked.k = 1;
    Search search(*this, queries, asked, "search_range");
    if (options.refine.value_or(0) > 0) {
        const std::size_t count = std::max<std::size_t>(1, std::min(*options.refine, size()));
        search.find_nearest(count);
        search.cut(count);
    } else {
        search.find_within(radius);
    }
    RangeAnswers answers(queries.rows());
    search.collect(Within(radius), answers);
    return answers.finish();
}

}  // namespace summand
