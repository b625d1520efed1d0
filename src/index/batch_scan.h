// Many queries against packed codes, in groups: codes are read in tiles that stay in the cache while every query of the
// group passes over them. Each query goes through
//
//     tables        are built for the group; the query's collector is a `fork` of the start: empty, with its limit
//       ▼
//     score_seeds   scores words spread over the array: `estimate_limit` from their scores, then `offer` them
//       ▼
//     scan          offers tile after tile, spread ones first. The limit falls whenever k better entries have come;
//       │           `ensure_limit` gives the first one where none was estimated; after 1/64 and 1/8 of the blocks
//       │           `tighten_limit` estimates again, from more scores
//       ▼
//     complete?     Do k entries lie below every estimate? If not, the query begins again with a new fork, without
//       │           estimates (Limit::proven).
//       ▼
//     answer        exact, whatever was estimated
//
// With more threads than groups the blocks are cut into ranges: after `score_seeds` each range scans into its own
// `fork` of the collector and tightens the limit for itself; `merge` then joins them in the order of the ranges.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "base/parallel.h"
#include "index/query_scan.h"
#include "model/lookup.h"

namespace summand {

struct ScanJob {
    const char* what;  ///< begins error messages
    const PackedCodes& codes;
    const TableBuilder& tables;
    const Selection& selection;
    Seeds seeds;
    const Execution& execution;
};

/// `Collector` is `Nearest` or `Within` of `index/collectors.h`. For `Within` the limit is given and nothing is
/// estimated.
template <class Collector>
class BatchScan {
public:
    BatchScan(const ScanJob& job, MatrixView<float> queries) : job_(job), queries_(queries) {}

    /// Returns the collectors of all queries; each begins as a fork of `start`.
    std::vector<Collector> run(const Collector& start) {
        job_.tables.check(job_.what, queries_);
        start_ = &start;
        collectors_.assign(queries_.rows(), start);
        const std::size_t threads = thread_count(job_.execution);
        const std::size_t size = group_size(threads);
        const std::size_t groups = (queries_.rows() + size - 1) / size;
        const std::size_t ranges = range_count(threads, groups);
        auto scan_group = [&](std::size_t g) {
            Group(*this, g * size, std::min(size, queries_.rows() - g * size)).run(ranges);
        };
        if (ranges == 1)
            parallel_for(job_.execution, groups, scan_group);
        else
            for (std::size_t g = 0; g < groups; ++g) scan_group(g);
        return std::move(collectors_);
    }

private:
    static constexpr std::size_t kCacheBytes = 512 << 10;
    static constexpr std::size_t kTileBytes = 256 << 10;        // of codes
    static constexpr std::size_t kGroupTableBytes = 256 << 10;  // of float tables
    static constexpr std::size_t kManyQueries = 4;
    static constexpr std::size_t kLeastRange = 256;  // blocks that are worth a thread of their own

    std::size_t group_size(std::size_t threads) const {
        const std::size_t fit = kGroupTableBytes / (job_.tables.entries() * sizeof(float));
        const std::size_t share = (queries_.rows() + threads - 1) / threads;
        return std::max<std::size_t>(1, std::min({fit, share, std::size_t{64}}));
    }

    std::size_t range_count(std::size_t threads, std::size_t groups) const {
        if (groups >= threads) return 1;
        return std::clamp<std::size_t>(job_.codes.block_count() / kLeastRange, 1, threads);
    }

    // Codes that fit the cache gain nothing from tiles, and a query that is scanned by itself keeps its tables near.
    bool fits_cache() const { return job_.codes.parts().rows.size() <= kCacheBytes; }

    std::size_t tile_blocks() const {
        return std::max<std::size_t>(1, kTileBytes / (job_.codes.planes() * kBlockVectors));
    }

    // Consecutive queries, from their tables to their answers.
    class Group {
    public:
        Group(BatchScan& batch, std::size_t first, std::size_t count)
            : batch_(batch), job_(batch.job_), first_(first), entries_(count * job_.tables.entries()), offsets_(count) {
            job_.tables.build(job_.what, batch.queries_.slice(first, count), first, entries_.data(), offsets_.data());
        }

        void run(std::size_t ranges) {
            std::vector<std::size_t> queries(offsets_.size());
            std::iota(queries.begin(), queries.end(), std::size_t{0});
            if (ranges == 1 && batch_.fits_cache())
                for (const std::size_t q : queries) scan_queries({q}, Scan::Limit::estimated, ranges);
            else
                scan_queries(queries, Scan::Limit::estimated, ranges);
            std::erase_if(queries, [&](std::size_t q) { return batch_.collectors_[first_ + q].complete(); });
            scan_queries(queries, Scan::Limit::proven, ranges);
        }

    private:
        using Scan = QueryScan<Collector>;

        void scan_queries(const std::vector<std::size_t>& queries, typename Scan::Limit limit, std::size_t ranges) {
            std::vector<Scan> scans;
            scans.reserve(queries.size());
            for (const std::size_t q : queries) scans.push_back(scan_of(q, batch_.start_->fork()));
            for (Scan& scan : scans) scan.score_seeds(limit);
            if (ranges == 1)
                scan_blocks(scans, limit, 0, job_.codes.block_count());
            else
                scan_ranges(queries, scans, limit, ranges);
            for (std::size_t i = 0; i < queries.size(); ++i)
                batch_.collectors_[first_ + queries[i]] = std::move(scans[i].collector());
        }

        void scan_ranges(const std::vector<std::size_t>& queries, std::vector<Scan>& scans, typename Scan::Limit limit,
                         std::size_t ranges) const {
            std::vector<std::vector<Scan>> parts(ranges);
            parallel_for(job_.execution, ranges, [&](std::size_t r) {
                for (std::size_t i = 0; i < queries.size(); ++i)
                    parts[r].push_back(scan_of(queries[i], scans[i].collector().fork()));
                const std::size_t blocks = job_.codes.block_count();
                scan_blocks(parts[r], limit, r * blocks / ranges, (r + 1) * blocks / ranges);
            });
            for (std::size_t i = 0; i < queries.size(); ++i)
                for (auto& part : parts) scans[i].collector().merge(part[i].collector());
        }

        Scan scan_of(std::size_t q, Collector collector) const {
            return {job_.codes,  job_.selection,      job_.seeds, entries_.data() + q * job_.tables.entries(),
                    offsets_[q], std::move(collector)};
        }

        void scan_blocks(std::vector<Scan>& scans, typename Scan::Limit limit, std::size_t first,
                         std::size_t last) const {
            const std::vector<Selection::Run>& runs = job_.selection.runs();
            const auto how =
                limit == Scan::Limit::estimated && runs.size() == 1 ? &Group::scan_spread_first : &Group::scan_run;
            for (const Selection::Run& run : runs)
                (this->*how)(scans, std::max(first, run.first), std::min(last, run.last));
            for (const std::size_t vector : job_.selection.singles())
                if (vector >= first * kBlockVectors && vector < last * kBlockVectors)
                    for (Scan& scan : scans) scan.scan_single(vector);
        }

        // Cuts the blocks into stretches. Scans the beginnings of every eighth stretch if stretches are long, the rest
        // of those stretches, and then all others; tightens the limit in between.
        void scan_spread_first(std::vector<Scan>& scans, std::size_t first, std::size_t last) const {
            if (first >= last) return;
            constexpr std::size_t kStride = 8, kStretches = 32, kLong = 16;
            const std::size_t stretch = std::clamp<std::size_t>((last - first) / kStretches, 1, batch_.tile_blocks());
            const auto scan_each = [&](std::size_t from, std::size_t to) {
                for (std::size_t b = first; b < last; b += kStride * stretch)
                    scan_run(scans, b + from, std::min(b + to, last));
            };
            const auto tighten_limits = [&] {
                for (Scan& scan : scans) scan.tighten_limit();
            };
            const std::size_t beginning = stretch < kLong ? 0 : stretch / kStride;
            if (beginning > 0) {
                scan_each(0, beginning);
                tighten_limits();
            }
            scan_each(beginning, stretch);
            tighten_limits();
            scan_each(stretch, kStride * stretch);
        }

        void scan_run(std::vector<Scan>& scans, std::size_t first, std::size_t last) const {
            const std::size_t tile = batch_.tile_blocks();
            for (std::size_t b = first; b < last; b += tile) {
                check_stop(job_.execution);
                const std::size_t end = std::min(b + tile, last);
                const CodeRows codes = scans.size() < kManyQueries ? job_.codes.block(b) : whole_planes(b, end);
                for (Scan& scan : scans) scan.scan(codes, b, end);
            }
        }

        // Many queries read a tile from the cache, where whole planes are faster than quads: writes them out once.
        CodeRows whole_planes(std::size_t first, std::size_t last) const {
            thread_local Scratch<std::uint8_t> scratch;
            const CodeRows codes = job_.codes.block(first);
            if (codes.quads == 0) return codes;
            std::uint8_t* planes = scratch.at_least((last - first) * codes.planes * kBlockVectors);
            kernels().scan.write_planes(codes, last - first, planes);
            return {planes, nullptr, codes.planes, 0};
        }

        BatchScan& batch_;
        const ScanJob& job_;
        std::size_t first_;
        AlignedBuffer<float> entries_;
        std::vector<float> offsets_;
    };

    const ScanJob& job_;
    MatrixView<float> queries_;
    const Collector* start_ = nullptr;
    std::vector<Collector> collectors_;
};

}  // namespace summand
