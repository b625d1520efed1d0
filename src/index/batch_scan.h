// Many queries against packed codes, in groups: codes are read in tiles that stay in the cache while every query of the
// group passes over them. With more threads than groups, the blocks are cut into ranges, one collector each.
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

/// `Collector` has, besides what `QueryScan` needs: `heir`, an empty collector with the same limit, and `absorb`, which
/// takes the entries of another one.
template <class Collector>
class BatchScan {
public:
    BatchScan(const ScanJob& job, MatrixView<float> queries) : job_(job), queries_(queries) {}

    /// The collectors of all queries, each begun as an heir of `start`.
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
    static constexpr std::size_t kLeastRange = 256;  // blocks that are worth another thread

    std::size_t group_size(std::size_t threads) const {
        const std::size_t fit = kGroupTableBytes / (job_.tables.entries() * sizeof(float));
        const std::size_t share = (queries_.rows() + threads - 1) / threads;
        return std::max<std::size_t>(1, std::min({fit, share, std::size_t{64}}));
    }

    std::size_t range_count(std::size_t threads, std::size_t groups) const {
        if (groups >= threads) return 1;
        return std::clamp<std::size_t>(job_.codes.block_count() / kLeastRange, 1, threads);
    }

    // Then tiles gain nothing, and a query's tables stay closer to the core if it is scanned by itself.
    bool fits_cache() const { return job_.codes.parts().rows.size() <= kCacheBytes; }

    std::size_t tile_blocks() const {
        return std::max<std::size_t>(1, kTileBytes / (job_.codes.planes() * kBlockVectors));
    }

    // Tables and scans of consecutive queries.
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
                for (const std::size_t q : queries) scan_queries({q}, Scan::Limit::guessed, ranges);
            else
                scan_queries(queries, Scan::Limit::guessed, ranges);
            std::erase_if(queries, [&](std::size_t q) { return batch_.collectors_[first_ + q].complete(); });
            scan_queries(queries, Scan::Limit::safe, ranges);
        }

    private:
        using Scan = QueryScan<Collector>;

        void scan_queries(const std::vector<std::size_t>& queries, typename Scan::Limit limit, std::size_t ranges) {
            std::vector<Scan> scans;
            scans.reserve(queries.size());
            for (const std::size_t q : queries) scans.push_back(scan_of(q, batch_.start_->heir()));
            for (Scan& scan : scans) scan.seed(limit);
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
                    parts[r].push_back(scan_of(queries[i], scans[i].collector().heir()));
                const std::size_t blocks = job_.codes.block_count();
                scan_blocks(parts[r], limit, r * blocks / ranges, (r + 1) * blocks / ranges);
            });
            for (std::size_t i = 0; i < queries.size(); ++i)
                for (auto& part : parts) scans[i].collector().absorb(part[i].collector());
        }

        Scan scan_of(std::size_t q, Collector collector) const {
            return {job_.codes,  job_.selection,      job_.seeds, entries_.data() + q * job_.tables.entries(),
                    offsets_[q], std::move(collector)};
        }

        void scan_blocks(std::vector<Scan>& scans, typename Scan::Limit limit, std::size_t first,
                         std::size_t last) const {
            const std::vector<Selection::Run>& runs = job_.selection.runs();
            const auto how = limit == Scan::Limit::guessed && runs.size() == 1 ? &Group::scan_all : &Group::scan_run;
            for (const Selection::Run& run : runs)
                (this->*how)(scans, std::max(first, run.first), std::min(last, run.last));
            for (const std::size_t vector : job_.selection.singles())
                if (vector >= first * kBlockVectors && vector < last * kBlockVectors)
                    for (Scan& scan : scans) scan.scan_single(vector);
        }

        // The first of every kStride stretches of blocks, of long ones their beginnings before the rest of them; then
        // all other blocks. What was scanned gives a better guess of the limit for what was not.
        void scan_all(std::vector<Scan>& scans, std::size_t first, std::size_t last) const {
            if (first >= last) return;
            constexpr std::size_t kStride = 8, kStretches = 32, kLong = 16;
            const std::size_t stretch = std::clamp<std::size_t>((last - first) / kStretches, 1, batch_.tile_blocks());
            const auto scan_each = [&](std::size_t from, std::size_t to) {
                for (std::size_t b = first; b < last; b += kStride * stretch)
                    scan_run(scans, b + from, std::min(b + to, last));
            };
            const auto guess_again = [&] {
                for (Scan& scan : scans) scan.guess_again();
            };
            const std::size_t beginning = stretch < kLong ? 0 : stretch / kStride;
            if (beginning > 0) {
                scan_each(0, beginning);
                guess_again();
            }
            scan_each(beginning, stretch);
            guess_again();
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

        // For many queries a tile is read from the cache, where quads do not pay.
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
