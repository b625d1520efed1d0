// What users write: specs, filters, paths, sizes, lists of relevant images. The first byte chooses.
#include <string_view>

#include "fuzz/support.h"
#include "io/formats.h"
#include "summand/index_spec.h"
#include "summand/retrieval.h"
#include "summand/search.h"
#include "summand/text.h"

namespace summand::fuzz {
namespace {

// What a spec is printed as means the same.
void spec(std::string_view text) {
    const IndexSpec parsed = parse_index_spec(text);
    const std::string printed = to_string(parsed);
    must(to_string(parse_index_spec(printed)) == printed);
    check(parsed);
}

void filter(std::string_view text) {
    const std::vector<IdRange> ranges = parse_ranges(text);
    const IdFilter kept = IdFilter::ranges(ranges);
    for (const IdRange& range : ranges) must(kept.keeps(range.first) && kept.keeps(range.last));
    std::vector<std::uint64_t> room;
    kept.words(1000, room);
}

void relevance(std::string_view text) {
    static const MemoryFile file;
    file.write(std::as_bytes(std::span(text)));
    const Relevance read = read_relevance(file.path(), 1'000'000);
    must(read.queries.size() == read.relevant.rows());
}

void run(std::string_view text) {
    if (text.empty()) return;
    const char choice = text.front();
    text.remove_prefix(1);
    accepted([&] {
        switch (choice % 5) {
            case 0:
                return spec(text);
            case 1:
                return filter(text);
            case 2:
                return relevance(text);
            case 3:
                parse_vector_path(std::string(text));
                return;
            default:
                parse_bytes(text);
        }
    });
}

}  // namespace
}  // namespace summand::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    summand::fuzz::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
