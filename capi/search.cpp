// Searches of indexes of either kind, and their filters.
#include <memory>
#include <vector>

#include "answers.h"
#include "arguments.h"
#include "handle.h"
#include "summand/roaring.h"
#include "summand/search.h"

using namespace summand;
using namespace summand::capi;

namespace {

/// What a search is asked, with what it borrows.
struct Asking {
    Asking(const summand_search_options* given, const char* function)
        : fields(fields_of(given, function, "summand_search_options")), running(fields.execution, function) {
        options.probes = fields.probes;
        options.reach = static_cast<float>(fields.reach);
        options.candidates = fields.candidates;
        if (fields.refine != 0) options.refine = fields.refine == SUMMAND_NO_REFINE ? 0 : fields.refine;
        options.filter = fields.filter ? &fields.filter->ids : nullptr;
        options.execution = running.execution();
    }

    summand_search_options fields;
    Running running;
    SearchOptions options = {};
};

struct Answers : summand_answers {
    explicit Answers(RangeNeighbors&& found)
        : summand_answers{found.begin.size() - 1, nullptr, nullptr, nullptr}, begins(std::move(found.begin)) {
        for (const Neighbor& entry : found.entries) {
            all_ids.push_back(entry.id);
            all_scores.push_back(entry.score);
        }
        begin = begins.data();
        ids = all_ids.data();
        scores = all_scores.data();
    }

    std::vector<std::size_t> begins;
    std::vector<std::int64_t> all_ids = {};
    std::vector<float> all_scores = {};
};

}  // namespace

summand_status summand_filter_ids(const summand_ids* ids, summand_filter** filter, summand_error** error) {
    return call(error, [&] {
        required(filter, "summand_filter_ids", "filter");
        *filter = new summand_filter{IdFilter::list(numbers_of(ids, "summand_filter_ids"))};
    });
}

summand_status summand_filter_names(const summand_index* index, const summand_ids* ids, summand_filter** filter,
                                    summand_error** error) {
    return call(error, [&] {
        required(filter, "summand_filter_names", "filter");
        const LivingIndex& asked = living(index, "summand_filter_names");
        *filter = new summand_filter{asked.filter(names_of(ids, "summand_filter_names"))};
    });
}

summand_status summand_filter_ranges(const char* text, summand_filter** filter, summand_error** error) {
    return call(error, [&] {
        required(filter, "summand_filter_ranges", "filter");
        const char* ranges = text_of(text, "summand_filter_ranges", "text");
        *filter = new summand_filter{IdFilter::ranges(parse_ranges(ranges, "summand_filter_ranges"))};
    });
}

summand_status summand_filter_roaring(const void* bytes, size_t count, int bits, summand_filter** filter,
                                      summand_error** error) {
    return call(error, [&] {
        required(filter, "summand_filter_roaring", "filter");
        const auto* first = static_cast<const std::byte*>(bytes);
        required(first, "summand_filter_roaring", "bytes");
        require(bits == 32 || bits == 64, "summand_filter_roaring: expected 32 or 64 bits, got ", bits);
        const RoaringFormat format = bits == 32 ? RoaringFormat::bits32 : RoaringFormat::bits64;
        *filter = new summand_filter{filter_of_roaring({first, count}, format, "summand_filter_roaring")};
    });
}

void summand_filter_free(summand_filter* filter) { delete filter; }

summand_status summand_search(const summand_index* index, const summand_vectors* queries, size_t k,
                              const summand_search_options* options, int64_t* ids, float* scores,
                              summand_error** error) {
    return call(error, [&] {
        required(ids, "summand_search", "ids");
        const MatrixView<float> asked = rows_of(queries, "summand_search", "queries");
        Asking asking(options, "summand_search");
        asking.options.k = k;
        put(with_either(index, "summand_search", [&](const auto& held) { return held.search(asked, asking.options); }),
            k, ids, scores);
    });
}

summand_status summand_search_range(const summand_index* index, const summand_vectors* queries, float radius,
                                    const summand_search_options* options, summand_answers** found,
                                    summand_error** error) {
    return call(error, [&] {
        required(found, "summand_search_range", "found");
        const MatrixView<float> asked = rows_of(queries, "summand_search_range", "queries");
        const Asking asking(options, "summand_search_range");
        *found = new Answers(with_either(index, "summand_search_range", [&](const auto& held) {
            return held.search_range(asked, radius, asking.options);
        }));
    });
}

void summand_answers_free(summand_answers* found) { delete static_cast<Answers*>(found); }
