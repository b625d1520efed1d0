#include "summand/build.h"

#include <filesystem>

#include "io/support.h"
#include "summand/evaluate.h"
#include "summand/io.h"
#include "support/data.h"

namespace summand::test {
namespace {

constexpr const char* kSpecs[] = {"PQ4x4",
                                  "LOCQ2x4(iterations=2)",
                                  "IVF6,PQ4x4",
                                  "IMI2x2,RQ2x4",
                                  "PQ2x4,Refine(PQ4x4)",
                                  "IVF6(coding=plain),PQ2x4,Refine(OPQ4x4)",
                                  "PQ2x4,Refine(fp32)",
                                  "IVF6,PQ2x4,Refine(sq8)",
                                  "IMI2x2,PQ2x4,Refine(fp16)"};

Matrix<float> base() { return clustered(700, 8); }

}  // namespace

TEST(Build, RowsOfMatricesFilesAndFunctionsGiveTheSameBytes) {
    const TemporaryDirectory directory;
    const Matrix<float> vectors = base();
    const std::string path = directory / "base.fvecs";
    write_vectors(path, vectors.view());
    const VectorSource given(vectors.rows(), vectors.columns(), [&](std::size_t first, std::size_t count) {
        return Matrix<float>(count, 8, {vectors.row(first), vectors.row(first + count)});
    });
    for (const char* spec : kSpecs) {
        SCOPED_TRACE(spec);
        const std::vector<std::byte> bytes = build(vectors, spec).to_bytes();
        EXPECT_EQ(build(VectorSource::file(path), spec).to_bytes(), bytes);
        EXPECT_EQ(build(given, spec, {.execution = {.threads = 3}}).to_bytes(), bytes);
    }
}

TEST(Build, AModelTrainedBeforeGivesTheIndexThatASpecGives) {
    const TemporaryDirectory directory;
    const Matrix<float> vectors = base();
    for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine})
        for (const char* spec : {"PQ4x4", "IVF6,PQ4x4"}) {
            SCOPED_TRACE(concatenate(spec, " ", name(metric)));
            const IndexModel model = train_index(vectors, spec, {.metric = metric});
            const std::string path = directory / "m.smd";
            save(path, model);
            EXPECT_EQ(load_index_model(path), model);
            EXPECT_EQ(build(vectors, load_index_model(path), {.metric = metric}).to_bytes(),
                      build(vectors, spec, {.metric = metric}).to_bytes());
        }
}

TEST(Build, WarnsOfCellsThatFewVectorsAreLearntFromOrThatOutnumberThem) {
    const Matrix<float> vectors = base();
    BuildReport report;
    const auto warnings = [&](const VectorSource& source, const char* spec, BuildSettings settings = {}) {
        settings.report = &report;
        build(source, spec, settings);
        return report.warnings;
    };
    EXPECT_TRUE(warnings(vectors, "IVF17,PQ2x4").empty());
    const std::vector<std::string> few = warnings(vectors, "IVF18,PQ2x4");
    ASSERT_EQ(few.size(), 1u);
    EXPECT_NE(few[0].find("18 cells are learnt from 700 vectors"), std::string::npos) << few[0];
    EXPECT_NE(few[0].find("38 for each"), std::string::npos) << few[0];
    EXPECT_NE(few[0].find("learn from 720, or ask for 17 at most"), std::string::npos) << few[0];
    const VectorSource learn(vectors);
    const Matrix<float> small = clustered(9, 8);
    const std::vector<std::string> many = warnings(small, "IVF10,PQ2x4", {.learn = &learn});
    ASSERT_EQ(many.size(), 1u);
    EXPECT_NE(many[0].find("10 cells for the 9 vectors"), std::string::npos) << many[0];
    EXPECT_TRUE(warnings(small, "IMI2x2,PQ2x4", {.learn = &learn}).empty()) << "pairs of words outnumber vectors";
}

TEST(Build, ACheckpointHasOneBuildAtATime) {
    const TemporaryDirectory directory;
    const Matrix<float> vectors = base();
    const BuildSettings settings{.checkpoint = directory / "work.smd"};
    BuildSettings nested = settings;
    nested.saving = [&](const std::function<void()>& write) {
        expect_error([&] { build(vectors, "IVF6,PQ4x4", settings); }, {"work.smd: another build or training works on"});
        write();
    };
    build(vectors, "IVF6,PQ4x4", nested);
    EXPECT_FALSE(std::filesystem::exists(directory / "work.smd.lock"));
    build(vectors, "IVF6,PQ4x4", settings);
}

TEST(Build, AnIndexServesAsTheModelOfAnother) {
    const TemporaryDirectory directory;
    const Matrix<float> vectors = base();
    const std::string file = directory / "base.fvecs", path = directory / "i.smd";
    write_vectors(file, vectors.view());
    for (const std::string spec :
         {"PQ2x4,Refine(PQ4x4)", "IVF6,PQ4x4,Refine(flat)", "IVF6,PQ4x4,Refine(sq8)", "IVF6,PQ4x4"}) {
        SCOPED_TRACE(spec);
        const Index first = build(VectorSource::file(file), spec, {.path = path});
        first.save(path);
        EXPECT_EQ(build(VectorSource::file(file), load_index_model(path), {.path = path}).to_bytes(), first.to_bytes());
    }
}

TEST(Build, LearnsFromOtherVectorsWhereTheyAreGiven) {
    const Matrix<float> vectors = base(), others = clustered(300, 8, 5);
    const VectorSource learn(others);
    const Index index = build(vectors, "PQ4x4", {.learn = &learn});
    EXPECT_EQ(index.quantizer(), train(others.view(), parse_spec("PQ4x4")));
    EXPECT_EQ(index.size(), vectors.rows());
}

TEST(Build, DrawsAsManyVectorsToLearnFromAsItIsTold) {
    const Matrix<float> vectors = base();
    BuildReport report;
    const Index index = build(vectors, "PQ4x4", {.seed = 3, .learn_size = 200, .report = &report});
    EXPECT_EQ(report.learn_vectors, 200u);
    EXPECT_EQ(report.spec, "PQ4x4");
    EXPECT_EQ(index.quantizer(), train(sample_vectors(vectors, 200, 3).view(), parse_spec("PQ4x4"), {.seed = 3}));
}

TEST(Build, TheDefaultIsSaidForEachMetric) {
    EXPECT_EQ(default_spec(Metric::euclidean), "LOCQ8");
    EXPECT_EQ(default_spec(Metric::cosine, 4), "LOCQ4");
    EXPECT_EQ(default_spec(Metric::inner_product), "CQ8(anisotropy=4)");
}

TEST(Build, GoesOnFromACheckpointOfEitherHalf) {
    const TemporaryDirectory directory;
    const Matrix<float> vectors = base();
    const std::string file = directory / "work.smd";
    for (const char* spec : {"IVF6,NOCQ2x4(iterations=3)", "IVF6,PQ4x4"}) {
        const std::vector<std::byte> whole = build(vectors, spec).to_bytes();
        EXPECT_EQ(build(vectors, spec, {.checkpoint = file}).to_bytes(), whole);
        BuildReport report;  // all chunks are kept
        EXPECT_EQ(build(vectors, spec, {.checkpoint = file, .report = &report}).to_bytes(), whole);
        EXPECT_EQ(report.resumed_vectors, vectors.rows());
        std::filesystem::remove(file);
    }
}

TEST(Build, StopsWhereItIsAsked) {
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(build(base(), "PQ4x4", {.execution = {.stop = source.get_token()}}), Cancelled);
}

TEST(Build, SaysWhatIsWrong) {
    const Matrix<float> vectors = base(), others = clustered(300, 6);
    const VectorSource learn(others), none(0, 8, {}, "empty.fvecs");
    expect_error([&] { build(vectors, "PQ4x4,Refine(flat)"); }, {"vectors: Refine(flat)", "needs them in a file"});
    expect_error([&] { build(vectors, "PQ4x4", {.learn = &learn}); }, {"expected vectors of 8 dimensions", "got 6"});
    expect_error([&] { build(none, "PQ4x4"); }, {"empty.fvecs: expected at least one vector"});
    expect_error([&] { build(vectors, "XQ4"); }, {"unknown method 'XQ'"});
    expect_error([&] { build(vectors, "PQ4x4", {.checkpoint = "c.smd"}); }, {"PQ makes no checkpoints"});
    expect_error([&] { train_index(vectors, "PQ4x4,Refine(PQ4x4)"); }, {"a second layer is learnt when the index is"});
    const IndexModel model = train_index(vectors, "IVF6,PQ4x4", {.metric = Metric::cosine});
    expect_error([&] { build(vectors, model, {.metric = Metric::euclidean}); },
                 {"expected a model trained with --metric euclidean", "for cosine"});
    expect_error([&] { build(others, model); }, {"expected vectors of 8 dimensions as in the model, got 6"});
}

TEST(Build, SaysWhichValueASecondLayerCannotHoldBeforeItLearns) {
    Matrix<float> vectors = base();
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] = static_cast<float>(i % 256);
    BuildReport report;
    EXPECT_NO_THROW(build(vectors, "PQ4x4,Refine(u8)"));
    vectors[600][3] = 2.5f;
    expect_error([&] { build(vectors, "PQ4x4,Refine(u8)", {.report = &report}); },
                 {"vectors: Refine(u8) holds whole numbers from 0 to 255; row 600 has 2.5 in dimension 3"});
    EXPECT_EQ(report.learn_vectors, 0u);
    vectors[600][3] = 70'000;
    expect_error([&] { build(vectors, "IVF6,PQ4x4,Refine(fp16)"); },
                 {"vectors: Refine(fp16) holds values from -65504 to 65504; row 600 has 70000 in dimension 3"});
    EXPECT_NO_THROW(build(vectors, "PQ4x4,Refine(fp16)", {.metric = Metric::cosine}));
}

TEST(Build, NamesTheRowWithoutADirection) {
    Matrix<float> vectors = base();
    std::fill_n(vectors.row(41), 8, 0.0f);
    expect_error([&] { build(vectors, "PQ4x4", {.metric = Metric::cosine, .learn_size = 100}); },
                 {"vectors: row 41 is all zeros"});
}

TEST(Build, ExactNeighborsOfASourceAreThoseOfItsRows) {
    const Matrix<float> vectors = base(), queries = clustered(20, 8, 2);
    EXPECT_EQ(exact_neighbors(VectorSource(vectors), VectorSource(queries), 10, Metric::cosine),
              exact_neighbors(vectors.view(), queries.view(), 10, Metric::cosine));
}

}  // namespace summand::test
