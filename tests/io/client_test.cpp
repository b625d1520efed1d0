// The client's header beside the library: the same files, and codes of nearly the same error.
#include "summand/client.h"

#include <functional>

#include "io/container_support.h"
#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand::test {
namespace {

QueryEncoder client_of(const Bytes& model) { return QueryEncoder::from_memory(model.data(), model.size(), "m.smd"); }

Codes client_codes(const Quantizer& model, MatrixView<float> vectors, std::size_t rounds = 16) {
    const QueryEncoder client = client_of(save(model));
    Codes codes{Matrix<std::uint8_t>(vectors.rows(), client.dictionaries()), {}, identity(model)};
    for (std::size_t i = 0; i < vectors.rows(); ++i) {
        const auto code = client.encode(vectors.row(i), rounds);
        std::copy(code.begin(), code.end(), codes.rows.row(i));
    }
    return codes;
}

template <class Work>
void expect_refused(const Work& work, std::string_view part) {
    try {
        work();
        FAIL() << "expected an error about " << part;
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    }
}

void expect_model_refused(Bytes model, const std::function<void(Bytes&)>& change, std::string_view part) {
    change(model);
    reseal(model);
    expect_refused([&] { client_of(model); }, part);
}

}  // namespace

TEST(Client, TheErrorIsNearlyThatOfTheLibrary) {
    const Matrix<float> learn = clustered(1500, 16), queries = clustered(300, 16, 2);
    for (const char* spec : {"CQd8x5(iterations=3)", "CQd4(iterations=2)", "RQ4x5", "CQe4x5(iterations=2)"}) {
        const Quantizer model = train(learn.view(), parse_spec(spec));
        const double own = distortion(model, queries.view(), encode(model, queries.view()));
        EXPECT_LE(distortion(model, queries.view(), client_codes(model, queries.view())), 1.03 * own) << spec;
    }
}

TEST(Client, CodesOfBlocksAreThoseOfTheLibrary) {
    const Matrix<float> learn = clustered(600, 16), queries = clustered(100, 16, 2);
    for (const char* spec : {"PQ4x4", "PQ3x5(order=structured)", "OPQ4x4(iterations=3)"})
        for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
            const Quantizer model = train(learn.view(), parse_spec(spec), {.metric = metric});
            EXPECT_EQ(client_codes(model, queries.view()).rows, encode(model, queries.view()).rows) << spec;
        }
}

TEST(Client, AnotherRoundNeverRaisesTheError) {
    const Matrix<float> learn = clustered(800, 12), queries = clustered(200, 12, 2);
    const Quantizer model = train(learn.view(), parse_spec("CQd6x5(iterations=2)"));
    double before = distortion(model, queries.view(), client_codes(model, queries.view(), 0));
    const double first = before;
    for (const std::size_t rounds : {1, 4, 16, 40}) {
        const double now = distortion(model, queries.view(), client_codes(model, queries.view(), rounds));
        EXPECT_LE(now, before * (1 + 1e-6)) << rounds;
        before = now;
    }
    EXPECT_LT(before, first);
}

TEST(Client, CodeFilesAreThoseOfTheLibrary) {
    for (const Shape3& shape : {Shape3{3, 5, 7}, Shape3{4, 16, 9}, Shape3{2, 256, 10}}) {
        const Quantizer model = block_quantizer(shape);
        const Codes codes = random_codes(model, 11, 1);
        const auto written = client_of(save(model)).code_file(codes.rows.values());
        const auto bytes = std::as_bytes(std::span(written));
        EXPECT_EQ(Bytes(bytes.begin(), bytes.end()), save(codes, model));
        EXPECT_EQ(load_codes(bytes), codes);
    }
}

TEST(Client, ReadsFilesToo) {
    const TemporaryDirectory directory;
    save(directory / "m.smd", block_quantizer({3, 5, 7}));
    const QueryEncoder client = QueryEncoder::from_file(directory / "m.smd");
    EXPECT_EQ(client.dictionaries(), 3u);
    EXPECT_EQ(client.words(), 5u);
    EXPECT_EQ(client.dimensions(), 7u);
    expect_refused([&] { QueryEncoder::from_file(directory / "none.smd"); }, "none.smd: cannot be read");
}

TEST(Client, RefusesEveryDamagedFile) {
    const Bytes good = save(block_quantizer({2, 3, 4}));
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        Bytes bad = good;
        bad[bit / 8] ^= std::byte{1} << (bit % 8);
        ASSERT_THROW(client_of(bad), std::runtime_error) << "bit " << bit % 8 << " of byte " << bit / 8;
    }
    for (std::size_t length = 0; length < good.size(); ++length)
        ASSERT_THROW(client_of(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length))),
                     std::runtime_error)
            << "cut to " << length;
}

TEST(Client, SaysWhatIsWrongWithAModel) {
    const Bytes blocks = save(block_quantizer({2, 3, 4}));
    expect_refused([&] { client_of(save(dense_quantizer({2, 3, 4}))); }, "m.smd: stores a bias");
    expect_refused([&] { client_of(Bytes(100)); }, "m.smd: is not a summand file");
    const Quantizer model = block_quantizer({2, 3, 4});
    expect_refused([&] { client_of(save(random_codes(model, 2, 1), model)); }, "m.smd: is not a model");
    expect_refused([&] { client_of(Bytes(blocks.begin(), blocks.end() - 1)); }, "truncated or damaged");
    expect_model_refused(
        blocks, [](Bytes& b) { b[header::kVersion] = std::byte{9}; }, "format version 9, expected 1");
    expect_model_refused(
        blocks, [](Bytes& b) { store_little(&b[content_of(b, "blocks") + 8], std::uint64_t{1} << 60); },
        "the blocks are not in order");
    expect_model_refused(
        blocks, [](Bytes& b) { store_little(&b[content_of(b, "words")], std::uint32_t{0x7fc00000}); }, "not finite");
    expect_model_refused(
        blocks, [](Bytes& b) { store_little(&b[entry_of(b, "words") + entry::kShape], std::uint64_t{300}); },
        "the words do not fit the centre");
    expect_model_refused(
        blocks, [](Bytes& b) { store_little(&b[entry_of(b, "centre") + entry::kName], std::uint8_t{'k'}); },
        "a section is missing");
}

// Forged metadata gives the promised exception, or an encoder.
TEST(Client, MetadataThatAreCutOrForgedNeverThrowAnythingElse) {
    Quantizer model = block_quantizer({2, 3, 4});
    model.unit_length = false;
    const Bytes good = save(model);
    const std::size_t begin = content_of(good, "metadata"), row = entry_of(good, "metadata");
    const auto with_metadata = [&](const std::string& text) {
        Bytes bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(begin));
        const auto content = std::as_bytes(std::span(text));
        bytes.insert(bytes.end(), content.begin(), content.end());
        store_little(&bytes[row + entry::kShape], std::uint64_t{text.size()});
        store_little(&bytes[row + entry::kLength], std::uint64_t{text.size()});
        store_little(&bytes[header::kTotal], std::uint64_t{bytes.size()});
        reseal(bytes);
        return bytes;
    };
    const std::string text(reinterpret_cast<const char*>(&good[begin]), good.size() - begin);
    for (std::size_t length = 0; length <= text.size(); ++length) try {
            client_of(with_metadata(text.substr(0, length)));
        } catch (const std::runtime_error&) {  // as promised; whatever else there is fails the test
        }
    expect_refused([&] { client_of(with_metadata("{\"stores_bias\"")); }, "metadata ends after stores_bias");
    expect_refused([&] { client_of(with_metadata("{\"stores_bias\":false,\"unit_length\":false,\"identity\":7}")); },
                   "the identity is not 16 hexadecimal digits");
}

TEST(Client, VectorsOfAnyLengthHaveADirection) {
    const Quantizer model = block_quantizer({2, 3, 4});  // for cosine
    const QueryEncoder client = client_of(save(model));
    const std::vector<float> query = {1, -2, 0.5f, 3};
    for (const float factor : {1e-30f, 1e20f, 1e38f}) {
        std::vector<float> scaled = query;
        for (float& x : scaled) x *= factor;
        EXPECT_EQ(client.encode(scaled.data()), client.encode(query.data())) << factor;
    }
}

TEST(Client, SaysWhatIsWrongWithVectorsAndCodes) {
    const QueryEncoder client = client_of(save(block_quantizer({2, 3, 4})));  // for cosine
    const std::vector<float> zeros(4), odd = {1, NAN, 1, 1};
    expect_refused([&] { client.encode(zeros.data()); }, "encode: expected finite values, not all of them zero");
    expect_refused([&] { client.encode(odd.data()); }, "encode: expected finite values");
    expect_refused([&] { client.code_file({0, 1, 2}); }, "expected codes of 2 bytes each, got 3 bytes");
    expect_refused([&] { client.code_file({0, 3}); }, "expected codes below 3, got 3");
}

}  // namespace summand::test
