// Many queries against the lists of the cells near them, in groups: a group has its tables and the scores of its cells
// built together. A query visits its cells from the nearest on, because the first lists hold most of its answers: the
// limit is low early, and few vectors of the other lists are scored in float.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "base/parallel.h"
#include "index/cell_order.h"
#include "index/cell_tables.h"
#include "index/list_scan.h"
#include "index/reconstruction.h"
#include "model/lookup.h"
#include "summand/inverted_index.h"

namespace summand {

struct InvertedJob {
    const char* what;  ///< begins error messages
    const InvertedModel& model;
    const ListParts& lists;
    const TableBuilder& tables;
    const CellTables& cells;
    const SearchOptions& options;
    Naming naming;
    const Reconstruction* reconstruction;  ///< null: scores come from tables
};

template <class Collector, class Answers>
class InvertedScan {
public:
    /// Every query gets a collector forked from `start`, and a row of `answers`.
    InvertedScan(const InvertedJob& job, MatrixView<float> queries, const Collector& start, Answers& answers)
        : job_(job), queries_(queries), start_(start), answers_(answers) {}

    void run() {
        const std::size_t size = group_size();
        parallel_for(job_.options.execution, (queries_.rows() + size - 1) / size,
                     [&](std::size_t g) { Group(*this, g * size, std::min(size, queries_.rows() - g * size)).run(); });
    }

private:
    static constexpr std::size_t kGroupTableBytes = 512 << 10;  // of float tables
    static constexpr std::size_t kGroupScoreBytes = 32 << 20;   // of scores of cells
    static constexpr std::size_t kFewVectors = 32;  // vectors that cost less one by one than tables of their cell

    std::size_t group_size() const {
        const std::size_t fit =
            std::min(kGroupTableBytes / (job_.tables.entries() * sizeof(float)),
                     kGroupScoreBytes / (std::max<std::size_t>(1, job_.cells.scores()) * sizeof(float)));
        const std::size_t threads = thread_count(job_.options.execution);
        const std::size_t share = (queries_.rows() + threads - 1) / threads;
        return std::max<std::size_t>(1, std::min({fit, share, std::size_t{64}}));
    }

    class Group {
    public:
        Group(InvertedScan& scan, std::size_t first, std::size_t count)
            : scan_(scan),
              job_(scan.job_),
              first_(first),
              count_(count),
              entries_(table_room().at_least(count * job_.tables.entries())),
              offsets_(count),
              cell_entries_(job_.cells.per_cell() ? job_.tables.entries() : 0) {
            const MatrixView<float> queries = scan.queries_.slice(first, count);
            job_.tables.build(job_.what, queries, first, entries_, offsets_.data());
            if (job_.reconstruction) moved_ = job_.reconstruction->moved(queries);
            for (std::size_t q = 0; q < (job_.cells.per_cell() ? 1 : count); ++q)
                bounds_.emplace_back(job_.lists.all().front().lists.packed(), entries_ + q * job_.tables.entries(),
                                     offsets_[q]);
        }

        void run() {
            const CellScores scores(job_.what, job_.cells, job_.lists, scan_.queries_.slice(first_, count_), first_,
                                    ProbeLimit::of(job_.options.parameters()));
            for (std::size_t q = 0; q < count_; ++q) {
                check_stop(job_.options.execution);
                Collector collector = scan_.start_.fork();
                scan_cells(q, scores.nearest(q), collector);
                scan_.answers_.add(first_ + q, collector);
            }
        }

    private:
        // A thread works on one group at a time, so its groups share this memory.
        static Scratch<float>& table_room() {
            thread_local Scratch<float> room;
            return room;
        }

        // Codes and tables of a cell come from memory while the one before it is scanned.
        void scan_cells(std::size_t query, const std::vector<Probe>& probes, Collector& collector) {
            for (std::size_t i = 0; i < probes.size(); ++i) {
                if (i + 1 < probes.size()) fetch(probes[i + 1].cell);
                scan_cell(query, probes[i], collector);
            }
        }

        void fetch(std::size_t cell) const {
            if (job_.lists.length(cell) < kFewVectors) return;
            for (const ListPart& part : job_.lists.all())
                part.lists.packed().fetch(part.lists.begin(cell), part.lists.end(cell));
            if (!job_.cells.per_cell()) return;
            const CellTables::Tables cell_tables = job_.cells.tables(cell);
            for (const float* table : {cell_tables.first, cell_tables.second})
                for (std::size_t i = 0; table && i < cell_entries_.size(); i += kCacheLine / sizeof(float))
                    __builtin_prefetch(table + i);
        }

        void scan_cell(std::size_t query, const Probe& visit, Collector& collector) {
            const std::size_t length = job_.lists.length(visit.cell);
            if (length == 0) return;
            const float* entries = entries_ + query * job_.tables.entries();
            if (job_.reconstruction) {
                for_each_list(visit.cell, collector, [&](ListScan<Collector>& list, const ListPart& part) {
                    list.score_all(part.lists.begin(visit.cell), part.lists.end(visit.cell), [&](std::size_t position) {
                        return job_.reconstruction->score(moved_[query], visit.cell, part.lists.packed(), position,
                                                          sum_);
                    });
                });
                return;
            }
            const float offset = offset_of(query, visit);
            if (!job_.cells.per_cell()) {
                bounds_[query].set_offset(offset);
                return scan_lists(visit.cell, entries, offset, bounds_[query], collector);
            }
            const CellTables::Tables cell = job_.cells.tables(visit.cell);
            if (length < kFewVectors) {
                for_each_list(visit.cell, collector, [&](ListScan<Collector>& list, const ListPart& part) {
                    const CodeScores scores(part.lists.packed(), entries, offset);
                    list.score_all(part.lists.begin(visit.cell), part.lists.end(visit.cell), [&](std::size_t position) {
                        return scores.with(cell.first, cell.second, position);
                    });
                });
                return;
            }
            add_tables(entries, cell);
            bounds_[0].reset(cell_entries_.data(), offset);
            scan_lists(visit.cell, cell_entries_.data(), offset, bounds_[0], collector);
        }

        template <class Scan>
        void for_each_list(std::size_t cell, Collector& collector, Scan scan) const {
            for (const ListPart& part : job_.lists.all()) {
                if (part.lists.length(cell) == 0) continue;
                part.lists.require_sound(cell);
                ListScan<Collector> list(part, job_.naming, collector);
                scan(list, part);
            }
        }

        // `entries` and `bounds` are of the same tables.
        void scan_lists(std::size_t cell, const float* entries, float offset, QueryBounds& bounds,
                        Collector& collector) const {
            for_each_list(cell, collector, [&](ListScan<Collector>& list, const ListPart& part) {
                const PackedCodes& codes = part.lists.packed();
                bounds.take_levels(codes);
                list.scan(part.lists.begin(cell), part.lists.end(cell), {codes, entries, offset}, bounds);
            });
        }

        float offset_of(std::size_t query, const Probe& visit) const {
            if (job_.model.coding == Coding::plain) return offsets_[query];
            const float offset = offsets_[query] + visit.score;
            return job_.cells.per_cell() ? offset + job_.cells.shift(job_.model.partition, visit.cell) : offset;
        }

        void add_tables(const float* entries, const CellTables::Tables& cell) {
            const float* rows[] = {entries, cell.first, cell.second};
            kernels().sum_rows(rows, cell.second ? 3 : 2, cell_entries_.size(), cell_entries_.data());
        }

        InvertedScan& scan_;
        const InvertedJob& job_;
        std::size_t first_, count_;
        float* entries_;  // of the queries
        std::vector<float> offsets_;
        AlignedBuffer<float> cell_entries_;  // of one query in one cell
        std::vector<QueryBounds> bounds_;    // of each query, or one for all
        Matrix<float> moved_;                // the queries, where vectors are reconstructed
        std::vector<float> sum_;             // room for one
    };

    const InvertedJob& job_;
    MatrixView<float> queries_;
    const Collector& start_;
    Answers& answers_;
};

}  // namespace summand
