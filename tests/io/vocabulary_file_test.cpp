#include <functional>

#include "io/container_support.h"
#include "io/container_writer.h"
#include "summand/aggregate.h"

namespace summand::test {
namespace {

Vocabulary sample(Aggregation kind, std::size_t directions = 0) {
    const std::size_t K = 3, all = 4, D = directions > 0 ? directions : all;
    Vocabulary vocabulary{.kind = kind, .mean = random_matrix(1, all, 1).values()};
    if (directions > 0) vocabulary.projection = random_matrix(D, all, 2);
    vocabulary.centres = random_matrix(K, D, 3);
    if (kind == Aggregation::fisher) {
        vocabulary.variances = Matrix<float>(K, D, 0.5f);
        vocabulary.weights = {0.25f, 0.5f, 0.25f};
    }
    vocabulary.objective = {3, 2, 1.0 / 3};
    return vocabulary;
}

}  // namespace

TEST(VocabularyFile, LoadGivesBackWhatWasSaved) {
    const TemporaryDirectory directory;
    for (const Aggregation kind : {Aggregation::vlad, Aggregation::fisher})
        for (const std::size_t directions : {0, 2}) {
            const Vocabulary vocabulary = sample(kind, directions);
            EXPECT_EQ(load_vocabulary(save(vocabulary)), vocabulary);
            save(directory / "v.smd", vocabulary);
            EXPECT_EQ(load_vocabulary(directory / "v.smd"), vocabulary);
            EXPECT_EQ(container_info(directory / "v.smd").kind, "vocabulary");
        }
}

TEST(VocabularyFile, RefusesEveryDamagedFile) {
    expect_every_damage_refused(save(sample(Aggregation::fisher, 2)),
                                [](const Bytes& bytes) { load_vocabulary(bytes); });
}

TEST(VocabularyFile, SaysWhatIsWrong) {
    const auto expect_refused = [](const std::function<void(Bytes&)>& change, std::string_view part) {
        Bytes bytes = save(sample(Aggregation::fisher, 2));
        change(bytes);
        reseal(bytes);
        expect_error([&] { load_vocabulary(bytes, "v.smd"); }, {"v.smd: ", part});
    };
    const auto word_of = [](Bytes& b, std::string_view from, std::string_view to) {
        char* text = reinterpret_cast<char*>(b.data());
        std::copy(to.begin(), to.end(), std::search(text, text + b.size(), from.begin(), from.end()));
    };
    expect_refused([](Bytes& b) { store_little(&b[content_of(b, "weights")], -1.0f); },
                   "variances and weights are not all above zero");
    expect_refused([&](Bytes& b) { word_of(b, "\"fisher\"", "\"angler\""); }, "'angler', expected vlad or fisher");
    expect_refused([&](Bytes& b) { word_of(b, "\"words\":3", "\"words\":4"); },
                   "section centres is 3×2 float32, expected 4×2");
    expect_refused([&](Bytes& b) { word_of(b, "\"words\":3", "\"words\":0"); }, "vocabulary.words is 0, expected 1 to");
    expect_error(
        [] {
            load_vocabulary(save(dense_quantizer({2, 3, 4})), "m.smd");
        },
        {"m.smd: holds a model, expected a vocabulary"});
    expect_error([] { load_quantizer(save(sample(Aggregation::vlad)), "v.smd"); },
                 {"v.smd: holds a vocabulary, expected a model"});
    Vocabulary odd = sample(Aggregation::vlad);
    odd.variances = Matrix<float>(3, 4, 1);
    expect_error([&] { save(odd); }, {"save: the parts of the vocabulary do not fit its 3×4 centres"});
    expect_error([] { save(Vocabulary{}); }, {"save: expected a vocabulary of at least one word"});
}

}  // namespace summand::test
