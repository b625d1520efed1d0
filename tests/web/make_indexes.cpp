// Writes indexes of every method, metric and shape with what the library answers, for the tests of web/summand.js:
//
//     make_indexes FOLDER        FOLDER/NAME.smd, FOLDER/cases.json
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "index/random_index.h"
#include "summand/build.h"
#include "summand/client.h"
#include "summand/io.h"
#include "summand/living_index.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand::test {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDimensions = 16, kQueries = 4;
constexpr Metric kMetrics[] = {Metric::euclidean, Metric::inner_product, Metric::cosine};

Json rows_of(MatrixView<float> rows) {
    Json list = Json::array();
    for (std::size_t i = 0; i < rows.rows(); ++i) list.push_back(std::vector<float>(rows[i].begin(), rows[i].end()));
    return list;
}

class Cases {
public:
    explicit Cases(std::string folder) : folder_(std::move(folder)) {}

    // What the index answers to each of the options.
    void add(const std::string& name, const Index& index, MatrixView<float> queries,
             const std::vector<SearchParameters>& searches = {{}}) {
        index.save(folder_ + "/" + name + ".smd");
        Json found = Json::array();
        for (const SearchParameters& parameters : searches)
            for (const std::size_t k : {std::size_t{1}, std::size_t{10}, index.size() + 3}) {
                found.push_back(answers(index, queries, SearchOptions{.k = k}.with(parameters), false));
                found.push_back(answers(index, queries, SearchOptions{.k = k}.with(parameters), true));
            }
        all_["indexes"].push_back({{"name", name},
                                   {"size", index.size()},
                                   {"dimensions", index.dimensions()},
                                   {"metric", name_of(index)},
                                   {"queries", rows_of(queries)},
                                   {"searches", found}});
    }

    void add_model(const std::string& name, const Quantizer& model, MatrixView<float> queries) {
        save(folder_ + "/" + name + ".smd", model);
        const QueryEncoder client = QueryEncoder::from_file(folder_ + "/" + name + ".smd");
        Json codes = Json::array();
        std::vector<std::uint8_t> together;
        for (std::size_t i = 0; i < queries.rows(); ++i) {
            const auto code = client.encode(queries.row(i));
            codes.push_back(code);
            together.insert(together.end(), code.begin(), code.end());
        }
        all_["models"].push_back(
            {{"name", name}, {"queries", rows_of(queries)}, {"codes", codes}, {"file", client.code_file(together)}});
    }

    void finish() const { std::ofstream(folder_ + "/cases.json") << all_.dump(); }

private:
    static std::string name_of(const Index& index) { return std::string(summand::name(index.metric())); }

    static Json answers(const Index& index, MatrixView<float> queries, SearchOptions options, bool filtered) {
        const IdFilter third =
            IdFilter::where(std::max<std::size_t>(index.size(), 1000), [](std::int64_t id) { return id % 3 == 1; });
        if (filtered) options.filter = &third;
        const Neighbors found = index.search(queries, options);
        Json result = {{"k", options.k}, {"filtered", filtered}, {"ids", Json::array()}, {"scores", Json::array()}};
        if (options.probes > 0) result["probes"] = options.probes;
        if (options.reach > 0) result["reach"] = options.reach;
        if (options.candidates > 0) result["candidates"] = options.candidates;
        if (options.refine) result["refine"] = *options.refine;
        for (std::size_t q = 0; q < queries.rows(); ++q) {
            Json ids = Json::array(), scores = Json::array();
            for (std::size_t j = 0; j < options.k && found.ids[q][j] != kNoId; ++j) {
                ids.push_back(found.ids[q][j]);
                scores.push_back(found.scores[q][j]);
            }
            result["ids"].push_back(ids);
            result["scores"].push_back(scores);
        }
        return result;
    }

    std::string folder_;
    Json all_ = {{"indexes", Json::array()}, {"models", Json::array()}};
};

std::string spec_of(std::string_view method, const char* shape) {
    const std::string own = method == "ITQ" ? "16" : method == "CQc" ? "10x2" : shape;
    return concatenate(method, own, "(iterations=1)");
}

void add_methods(Cases& cases, MatrixView<float> vectors, MatrixView<float> queries) {
    for (const MethodInfo& method : methods())
        for (const Metric metric : kMetrics) {
            const std::string name = concatenate(method.name, "-", summand::name(metric));
            const auto built = [&](const std::string& spec) {
                return build(VectorSource(vectors), spec, {.metric = metric});
            };
            cases.add(name, built(spec_of(method.name, "3x4")), queries);
            cases.add(name + "-bytes", built(spec_of(method.name, "5x5")), queries);
            cases.add(name + "-cells", built("IVF6," + spec_of(method.name, "3x4")), queries, {{}, {.probes = 2}});
        }
    cases.add("ITQ-symmetric", build(VectorSource(vectors), "ITQ16(distance=symmetric)"), queries);
}

void add_cells(Cases& cases, MatrixView<float> vectors, MatrixView<float> queries) {
    const char* specs[] = {"IMI2x3,PQ4x5", "IMI2x3(coding=plain),LOCQ2x4(iterations=1)",
                           "IVF9(coding=plain),OPQ4x4(iterations=2)", "IVF40(groups=12),PQ4x4",
                           "IMI2x2(coarse=NOCQ),PQ4x5"};
    for (const char* spec : specs)
        for (const Metric metric : kMetrics)
            cases.add(concatenate(spec, "-", name(metric)), build(VectorSource(vectors), spec, {.metric = metric}),
                      queries, {{.probes = 1}, {.probes = 5}, {.candidates = 50}, {}});
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
        Index index = build(VectorSource(vectors), "IVF40,PQ4x4", {.metric = metric});
        index.set_defaults({.reach = 1.03f});
        cases.add(concatenate("reach-", name(metric)), index, queries,
                  {{}, {.reach = 1}, {.reach = 1.1f}, {.probes = 10, .reach = 1.2f}});
    }
}

void add_second_layers(Cases& cases, MatrixView<float> vectors, MatrixView<float> queries) {
    for (const char* first : {"PQ4x4", "IVF6,OPQ4x4(iterations=1)", "IVF6(coding=plain),PQ2x4"})
        for (const char* second : {"fp32", "fp16", "sq8", "OPQ4x4(iterations=1)"})
            for (const Metric metric : kMetrics) {
                const std::string spec = concatenate(first, ",Refine(", second, ")");
                cases.add(concatenate(spec, "-", name(metric)), build(VectorSource(vectors), spec, {.metric = metric}),
                          queries, {{}, {.refine = 0}, {.refine = 30}});
            }
    Matrix<float> whole(vectors.rows(), vectors.columns());
    for (std::size_t i = 0; i < whole.size(); ++i)
        whole.data()[i] = std::clamp(std::round(30 * std::abs(vectors.data()[i])), 1.0f, 255.0f);
    for (const char* first : {"PQ4x4", "IVF6,PQ4x4"})
        for (const Metric metric : kMetrics)
            cases.add(concatenate(first, ",Refine(u8)-", name(metric)),
                      build(VectorSource(whole.view()), concatenate(first, ",Refine(u8)"), {.metric = metric}),
                      whole.view().slice(0, kQueries), {{}, {.refine = 40}});
}

// Indexes that vectors were added to and removed from: ids of the caller, with gaps and without.
void add_changed(Cases& cases, MatrixView<float> vectors, MatrixView<float> queries) {
    for (const char* spec : {"PQ4x4", "CQd4x4(iterations=1)", "PQ4x4,Refine(fp16)", "IVF6,PQ4x4",
                             "IVF6,PQ4x4,Refine(OPQ4x4(iterations=1))", "IVF6,PQ4x4,Refine(fp32)"}) {
        Index index = build(VectorSource(vectors.slice(0, 300)), spec);
        index.remove(IdFilter::range(0, 100));
        cases.add(concatenate(spec, "-removed"), index, queries);
        index.add(VectorSource(vectors.slice(300, 2)), std::vector<std::int64_t>{70'002, 50});
        cases.add(concatenate(spec, "-changed"), index, queries);
    }
}

// Random models: shapes that training seldom gives, and enough codes for planes in quads.
void add_random(Cases& cases) {
    const RandomShape shapes[] = {
        {.size = 700, .dictionaries = 7, .words = 200, .dimensions = 19, .rotation = true, .bias = true},
        {.size = 513, .dictionaries = 64, .words = 3, .dimensions = 5, .rotation = true},
        {.size = 1100, .dictionaries = 5, .words = 16, .dimensions = 33, .blocks = true, .rotation = true},
        {.size = 300, .dictionaries = 6, .words = 17, .dimensions = 4, .blocks = true, .bias = true},
        {.size = 120'000, .dictionaries = 9, .words = 256, .dimensions = 12},
        {.size = 120'001, .dictionaries = 10, .words = 256, .dimensions = 12, .bias = true},
    };
    for (std::size_t i = 0; i < std::size(shapes); ++i)
        for (const Metric metric : {Metric::euclidean, Metric::inner_product}) {
            RandomShape shape = shapes[i];
            shape.seed = i + 1;
            const Quantizer quantizer = random_quantizer(shape);
            Random random(i + 100);
            const Matrix<float> queries = random_rows(kQueries, shape.dimensions, random);
            const Index index(FlatIndex(quantizer, random_codes(quantizer, shape.size, i + 7), metric));
            cases.add(concatenate("random", i, "-", name(metric)), index, queries.view());
        }
}

void add_models(Cases& cases, MatrixView<float> vectors, MatrixView<float> queries) {
    for (const char* spec : {"CQd4x5(iterations=1)", "CQd3x4(iterations=1)", "OPQ4x4(iterations=2)", "PQ3x5"})
        for (const Metric metric : {Metric::euclidean, Metric::cosine})
            cases.add_model(concatenate("model-", spec, "-", name(metric)),
                            train(vectors, parse_spec(spec), {.metric = metric}), queries);
}

int main(const std::string& folder) {
    const Matrix<float> vectors = clustered(400, kDimensions), queries = clustered(kQueries, kDimensions, 2);
    Cases cases(folder);
    add_methods(cases, vectors.view(), queries.view());
    add_cells(cases, vectors.view(), queries.view());
    add_second_layers(cases, vectors.view(), queries.view());
    add_changed(cases, vectors.view(), queries.view());
    add_random(cases);
    add_models(cases, vectors.view(), queries.view());
    std::filesystem::remove_all(folder + "/folder");
    LivingIndex::create(folder + "/folder", vectors.view(), "PQ3x4").add(vectors.view());
    cases.finish();
    return 0;
}

}  // namespace
}  // namespace summand::test

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: make_indexes FOLDER\n";
        return 2;
    }
    try {
        return summand::test::main(arguments[1]);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
