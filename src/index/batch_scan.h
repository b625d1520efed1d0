// Many queries against parts of packed codes, in groups: codes are read in tiles that stay in the cache while every
// query of the group passes over them. Each query goes through
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
    const char* what;        ///< begins error messages
    const CodeParts& parts;  ///< at least one
    const TableBuilder& tables;
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
        const std::size_t ranges = range_count(threads, groups), blocks = job_.parts.blocks();
        for (std::size_t r = 0; r < ranges; ++r) {
            const std::size_t first = r * blocks / ranges, last = (r + 1) * blocks / ranges;
            spread_.push_back(spread_order(job_.parts, first, last, tile_blocks()));
            plain_.push_back(plain_order(job_.parts, first, last, tile_blocks()));
        }
        auto scan_group = [&](std::size_t g) {
            Group(*this, g * size, std::min(size, queries_.rows() - g * size)).run();
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
        return std::clamp<std::size_t>(job_.parts.blocks() / kLeastRange, 1, threads);
    }

    // Codes that fit the cache gain nothing from tiles, and a query that is scanned by itself keeps its tables near.
    bool fits_cache() const { return job_.parts.code_bytes() <= kCacheBytes; }

    std::size_t tile_blocks() const {
        return std::max<std::size_t>(1, kTileBytes / (job_.parts.all().front().codes.planes() * kBlockVectors));
    }

    // Consecutive queries, from their tables to their answers.
    class Group {
    public:
        Group(BatchScan& batch, std::size_t first, std::size_t count)
            : batch_(batch), job_(batch.job_), first_(first), entries_(count * job_.tables.entries()), offsets_(count) {
            job_.tables.build(job_.what, batch.queries_.slice(first, count), first, entries_.data(), offsets_.data());
        }

        void run() {
            std::vector<std::size_t> queries(offsets_.size());
            std::iota(queries.begin(), queries.end(), std::size_t{0});
            if (batch_.spread_.size() == 1 && batch_.fits_cache())
                for (const std::size_t q : queries) scan_queries({q}, Scan::Limit::estimated);
            else
                scan_queries(queries, Scan::Limit::estimated);
            std::erase_if(queries, [&](std::size_t q) { return batch_.collectors_[first_ + q].complete(); });
            if (!queries.empty()) scan_queries(queries, Scan::Limit::proven);
        }

    private:
        using Scan = QueryScan<Collector>;

        void scan_queries(const std::vector<std::size_t>& queries, typename Scan::Limit limit) {
            const std::vector<ScanOrder>& ranges = limit == Scan::Limit::estimated ? batch_.spread_ : batch_.plain_;
            std::vector<Scan> scans;
            scans.reserve(queries.size());
            for (const std::size_t q : queries) scans.push_back(scan_of(q, batch_.start_->fork()));
            for (Scan& scan : scans) scan.score_seeds(limit);
            if (ranges.size() == 1)
                scan_blocks(scans, ranges[0]);
            else
                scan_ranges(queries, scans, ranges);
            for (std::size_t i = 0; i < queries.size(); ++i)
                batch_.collectors_[first_ + queries[i]] = std::move(scans[i].collector());
        }

        void scan_ranges(const std::vector<std::size_t>& queries, std::vector<Scan>& scans,
                         const std::vector<ScanOrder>& ranges) const {
            std::vector<std::vector<Scan>> parts(ranges.size());
            parallel_for(job_.execution, ranges.size(), [&](std::size_t r) {
                for (std::size_t i = 0; i < queries.size(); ++i)
                    parts[r].push_back(scan_of(queries[i], scans[i].collector().fork()));
                scan_blocks(parts[r], ranges[r]);
            });
            for (std::size_t i = 0; i < queries.size(); ++i)
                for (auto& part : parts) scans[i].collector().merge(part[i].collector());
        }

        Scan scan_of(std::size_t q, Collector collector) const {
            return {job_.parts, job_.seeds, entries_.data() + q * job_.tables.entries(), offsets_[q],
                    std::move(collector)};
        }

        void scan_blocks(std::vector<Scan>& scans, const ScanOrder& order) const {
            for (std::size_t pass = 0; pass < order.passes.size(); ++pass) {
                for (std::size_t i = 0; pass > 0 && i < scans.size(); ++i) scans[i].tighten_limit();
                for (const Tile& tile : order.passes[pass]) scan_tile(scans, tile);
            }
            for (const auto& [part, vector] : order.singles)
                for (Scan& scan : scans) scan.scan_single(*part, vector);
        }

        void scan_tile(std::vector<Scan>& scans, const Tile& tile) const {
            check_stop(job_.execution);
            if (scans.size() >= kManyQueries) return scan_whole_planes(scans, tile);
            for (Scan& scan : scans)
                for (const CodeParts::Stretch& blocks : tile) scan.scan(blocks.part->codes.block(blocks.first), blocks);
        }

        // Many queries read a tile from the cache, where whole planes are faster than quads: writes them out once.
        static void scan_whole_planes(std::vector<Scan>& scans, const Tile& tile) {
            thread_local Scratch<std::uint8_t> scratch;
            const std::size_t block_bytes = tile[0].part->codes.planes() * kBlockVectors;
            std::uint8_t* room = scratch.at_least(block_count(tile) * block_bytes);
            std::vector<CodeRows> codes;
            for (const CodeParts::Stretch& blocks : tile) {
                codes.push_back(blocks.part->codes.block(blocks.first));
                if (codes.back().quads == 0) continue;
                const std::size_t count = blocks.last - blocks.first;
                kernels().scan.write_planes(codes.back(), count, room);
                codes.back() = {room, nullptr, codes.back().planes, 0};
                room += count * block_bytes;
            }
            for (Scan& scan : scans)
                for (std::size_t i = 0; i < tile.size(); ++i) scan.scan(codes[i], tile[i]);
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
    std::vector<ScanOrder> spread_, plain_;  // of each range of blocks; without estimates
};

}  // namespace summand
