// Times the scan for bench/scan/run.py, which talks to it through lines on standard input and reads one number,
// the best seconds, per line on standard output.
//
//     load DIRECTORY N REPEAT D M K     words.f32 (M × K × D/M), codes.u8 (N/REPEAT × M), queries.f32 (rows of D);
//                                       REPEAT > 1 makes more codes of the given ones; answers with 0
//     search LEVEL QUERIES K THREADS KEPT ROUNDS    KEPT: per mille of ids that a filter keeps, 1000 for no filter
//     tables QUERIES ROUNDS             tables alone, within a search of no codes
//     float ROUNDS                      all codes by float look-ups, one query, the 100 best
//     read ROUNDS                       one pass over the packed codes
//     ids K                             writes result.i64 of the first query into DIRECTORY; answers with 0
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "index/index_parts.h"
#include "kernels/kernels.h"
#include "model/lookup.h"
#include "summand/error.h"
#include "summand/flat_index.h"

namespace {

using namespace summand;

double best_seconds(int rounds, const std::function<void()>& work) {
    double best = 1e30;
    for (int i = 0; i < rounds; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

template <class T>
std::vector<T> read_all(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    require(file.good(), "scan_bench: cannot read ", path);
    std::vector<T> values(static_cast<std::size_t>(file.tellg()) / sizeof(T));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
    return values;
}

Quantizer quantizer_of(const std::vector<float>& words, std::size_t dimensions, std::size_t count, std::size_t per) {
    Quantizer quantizer;
    quantizer.method = "PQ";
    quantizer.centre.assign(dimensions, 0.0f);
    Dictionaries& dictionaries = quantizer.dictionaries;
    dictionaries.count = count;
    dictionaries.words = per;
    dictionaries.rows = Matrix<float>(count * per, dimensions);
    const std::size_t width = dimensions / count;
    for (std::size_t m = 0; m <= count; ++m) dictionaries.block_begin.push_back(m * width);
    for (std::size_t i = 0; i < count * per; ++i) {
        float length = 0;
        for (std::size_t d = 0; d < width; ++d) {
            const float x = words[i * width + d];
            dictionaries.rows[i][i / per * width + d] = x;
            length += x * x;
        }
        quantizer.word_offsets.push_back(length);
    }
    return quantizer;
}

// Each further copy takes a code from one of two rows at random, so that no two vectors need be alike.
Codes repeated(const std::vector<std::uint8_t>& rows, std::size_t size, const Quantizer& quantizer) {
    const std::size_t count = quantizer.dictionaries.count;
    const std::size_t given = rows.size() / count;
    Codes codes{Matrix<std::uint8_t>(size, count), {}, identity(quantizer)};
    Random random(1);
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint8_t* a = rows.data() + i % given * count;
        const std::uint8_t* b = i < given ? a : rows.data() + random.below(given) * count;
        const std::uint64_t choice = random.next();
        for (std::size_t m = 0; m < count; ++m) codes.rows[i][m] = (choice >> m & 3) != 0 ? a[m] : b[m];
    }
    return codes;
}

typedef std::uint64_t Word8 __attribute__((vector_size(64), may_alias));

// As wide as the CPU loads.
#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
std::uint64_t
read_pass(const std::uint8_t* data, std::size_t size) {
    Word8 sum[4] = {};
    for (std::size_t i = 0; i + sizeof(sum) <= size; i += sizeof(sum))
        for (std::size_t r = 0; r < 4; ++r) sum[r] ^= *reinterpret_cast<const Word8*>(data + i + r * sizeof(Word8));
    const Word8 all = sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
    return all[0] ^ all[1] ^ all[2] ^ all[3] ^ all[4] ^ all[5] ^ all[6] ^ all[7];
}

class Bench {
public:
    double load(std::istream& in) {
        std::size_t size, repeat, dimensions, count, words;
        in >> directory_ >> size >> repeat >> dimensions >> count >> words;
        const Quantizer quantizer = quantizer_of(read_all<float>(directory_ + "/words.f32"), dimensions, count, words);
        index_.reset();
        index_ = std::make_unique<FlatIndex>(
            quantizer, repeated(read_all<std::uint8_t>(directory_ + "/codes.u8"), size, quantizer), Metric::euclidean);
        const std::vector<float> queries = read_all<float>(directory_ + "/queries.f32");
        queries_ = Matrix<float>(queries.size() / dimensions, dimensions, queries);
        return 0;
    }

    double search(std::istream& in) const {
        std::string level;
        std::size_t queries, k, kept;
        unsigned threads;
        int rounds;
        in >> level >> queries >> k >> threads >> kept >> rounds;
        const ForcedKernels forced(level_named(level));
        Random random(7);
        const IdFilter filter =
            IdFilter::where(kept < 1000 ? index_->size() : 0, [&](std::int64_t) { return random.below(1000) < kept; });
        const SearchOptions options{
            .k = k, .filter = kept < 1000 ? &filter : nullptr, .execution = {.threads = threads}};
        return best_seconds(rounds, [&] { index_->search(queries_.view().slice(0, queries), options); });
    }

    double tables(std::istream& in) const {
        std::size_t queries;
        int rounds;
        in >> queries >> rounds;
        const TableBuilder builder(index_->quantizer(), Metric::euclidean, IndexParts::packed(*index_)->slot_order());
        std::vector<float> entries(queries * builder.entries()), offsets(queries);
        return best_seconds(rounds, [&] {
            builder.build("tables", queries_.view().slice(0, queries), 0, entries.data(), offsets.data());
        });
    }

    double float_scan(std::istream& in) const {
        int rounds;
        in >> rounds;
        const PackedCodes& codes = *IndexParts::packed(*index_);
        const TableBuilder builder(index_->quantizer(), Metric::euclidean, codes.slot_order());
        std::vector<float> entries(builder.entries());
        float offset;
        return best_seconds(rounds, [&] {
            builder.build("float", queries_.view().slice(0, 1), 0, entries.data(), &offset);
            TopK top(100);
            float sums[kWordVectors];
            for (std::size_t i = 0; i + kWordVectors <= codes.size(); i += kWordVectors) {
                kernels().scan.sums({codes.vector(i), entries.data(), codes.dictionaries(), codes.pairs()}, sums);
                for (std::size_t j = 0; j < kWordVectors; ++j)
                    top.offer({sums[j] + offset, static_cast<std::int64_t>(i + j)});
            }
        });
    }

    double read(std::istream& in) {
        int rounds;
        in >> rounds;
        const PackedCodes::Parts& parts = IndexParts::packed(*index_)->parts();
        return best_seconds(rounds, [&] {
            read_ ^= read_pass(parts.rows.data(), parts.rows.size()) ^ read_pass(parts.tops.data(), parts.tops.size());
        });
    }

    double ids(std::istream& in) const {
        std::size_t k;
        in >> k;
        const Neighbors found = index_->search(queries_.view().slice(0, 1), {.k = k});
        std::ofstream file(directory_ + "/result.i64", std::ios::binary);
        file.write(reinterpret_cast<const char*>(found.ids.data()),
                   static_cast<std::streamsize>(k * sizeof(std::int64_t)));
        return 0;
    }

private:
    static const Kernels& level_named(const std::string& name) {
        for (std::size_t i = 0; i < available_kernels().count; ++i)
            if (name == available_kernels().levels[i]->name) return *available_kernels().levels[i];
        require(name == "best", "scan_bench: this CPU has no level '", name, "'");
        return *available_kernels().levels[available_kernels().count - 1];
    }

    std::string directory_;
    std::unique_ptr<FlatIndex> index_;
    Matrix<float> queries_;
    std::uint64_t read_ = 0;
};

double answer(Bench& bench, const std::string& line) {
    std::istringstream in(line);
    std::string command;
    in >> command;
    if (command == "load") return bench.load(in);
    if (command == "search") return bench.search(in);
    if (command == "tables") return bench.tables(in);
    if (command == "float") return bench.float_scan(in);
    if (command == "read") return bench.read(in);
    if (command == "ids") return bench.ids(in);
    throw Error(concatenate("scan_bench: unknown command '", command, "'"));
}

}  // namespace

int main() {
    try {
        Bench bench;
        for (std::string line; std::getline(std::cin, line);) std::cout << answer(bench, line) << std::endl;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
