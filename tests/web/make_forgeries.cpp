// Forges indexes byte by byte, checksums made right again, and writes what the library says of each, for the tests of
// web/summand.js:
//
//     make_forgeries FOLDER        FOLDER/forged-NAME.smd, FOLDER/forgeries.json
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "io/container_support.h"
#include "summand/build.h"
#include "summand/index.h"
#include "support/data.h"

namespace summand::test {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kForgeries = 500, kNeighbors = 5;

// What the library makes of the bytes: "refused", or its answers.
Json verdict(const Bytes& bytes, MatrixView<float> query) {
    try {
        const Neighbors found = Index::from_bytes(bytes).search(query, {.k = kNeighbors, .refine = std::size_t{0}});
        return {{"ids", std::vector<std::int64_t>(found.ids.row(0), found.ids.row(0) + kNeighbors)},
                {"scores", std::vector<float>(found.scores.row(0), found.scores.row(0) + kNeighbors)}};
    } catch (const Error&) {
        return "refused";
    }
}

// A byte of the table of sections, of the metadata or of anything else, each as often as the others.
std::size_t place(const Bytes& bytes, Random& random) {
    const auto sections = load_little<std::uint32_t>(&bytes[header::kSections]);
    const std::size_t table = header::kSize + entry::kSize * sections;
    const auto metadata = load_little<std::uint64_t>(&bytes[table - entry::kSize + entry::kOffset]);
    switch (random.below(3)) {
        case 0:
            return random.below(table);
        case 1:
            return metadata + random.below(bytes.size() - metadata);
        default:
            return random.below(bytes.size());
    }
}

Json forgeries(const Bytes& good, MatrixView<float> query, Random& random) {
    Json all = Json::array();
    for (std::size_t i = 0; i < kForgeries; ++i) {
        Bytes bytes = good;
        const std::size_t at = place(bytes, random), change = 1 + random.below(255);
        bytes[at] ^= static_cast<std::byte>(change);
        if (at < header::kSections || at >= header::kSections + 4) reseal(bytes);  // no table of another length
        all.push_back({{"at", at}, {"change", change}, {"verdict", verdict(bytes, query)}});
    }
    return all;
}

int main(const std::string& folder) {
    const Matrix<float> vectors = clustered(70, 6), query = clustered(1, 6, 2);
    Json all = Json::array();
    Random random(1);
    for (const char* spec :
         {"PQ2x2", "OPQ3x2(iterations=1)", "CQ2x2(iterations=1)", "RQ2x2", "IVF3,PQ2x2", "IMI2x1,CQ2x2(iterations=1)",
          "IVF9(groups=3),PQ2x2", "PQ2x2,Refine(sq8)", "IVF3,PQ2x2,Refine(PQ2x2)"}) {
        const std::string name = concatenate("forged-", all.size());
        const Bytes good = build(VectorSource(vectors), spec).to_bytes();
        std::ofstream(folder + "/" + name + ".smd", std::ios::binary)
            .write(reinterpret_cast<const char*>(good.data()), static_cast<std::streamsize>(good.size()));
        all.push_back({{"name", name},
                       {"spec", spec},
                       {"query", std::vector<float>(query[0].begin(), query[0].end())},
                       {"forgeries", forgeries(good, query.view(), random)}});
    }
    std::ofstream(folder + "/forgeries.json") << all.dump();
    return 0;
}

}  // namespace
}  // namespace summand::test

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: make_forgeries FOLDER\n";
        return 2;
    }
    try {
        return summand::test::main(arguments[1]);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
