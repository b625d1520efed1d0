// QAV: the augmented vector.
#include <gtest/gtest.h>

#include "summand/evaluate.h"
#include "summand/flat_index.h"
#include "support/data.h"
#include "train/composite_objective.h"

namespace summand {
namespace {

using test::clustered;

// [-2y; |y|²] of a vector less the centre.
std::vector<double> augmented(const Quantizer& model, const float* vector) {
    std::vector<double> result;
    double norm = 0;
    for (std::size_t d = 0; d < model.dimensions(); ++d) {
        const double y = double{vector[d]} - double{model.centre[d]};
        result.push_back(-2 * y);
        norm += y * y;
    }
    result.push_back(norm);
    return result;
}

// The sum of the augmented words [-2c; word_offset] of a code.
std::vector<double> augmented_sum(const Quantizer& model, const std::uint8_t* code) {
    const Dictionaries& words = model.dictionaries;
    std::vector<double> sum(model.dimensions() + 1);
    for (std::size_t m = 0; m < words.count; ++m) {
        for (std::size_t d = 0; d < model.dimensions(); ++d) sum[d] -= 2 * double{words.word(m, code[m])[d]};
        sum.back() += double{model.word_offsets[m * words.words + code[m]]};
    }
    return sum;
}

double squared_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

TEST(Qav, ScoresAreInnerProductsWithTheAugmentedWords) {
    const Matrix<float> vectors = clustered(500, 8), queries = clustered(5, 8, 2);
    const Quantizer model = train(vectors.view(), parse_spec("QAV3x4(iterations=3)"));
    const Codes codes = encode(model, vectors.view());
    EXPECT_TRUE(codes.bias.empty());
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const LookupTable table = lookup_table(model, queries[q], Metric::euclidean);
        const std::vector<double> query = augmented(model, queries.row(q));  // [-2q; |q|²]
        for (std::size_t i = 0; i < codes.size(); i += 7) {
            const std::vector<double> sum = augmented_sum(model, codes.rows.row(i));
            double expected = query.back() + sum.back();
            for (std::size_t d = 0; d < 8; ++d) expected -= query[d] / 2 * sum[d];
            EXPECT_NEAR(table.offset + table.sum(codes.rows.row(i)), expected, 1e-3 * (1 + std::abs(expected)));
        }
    }
}

TEST(Qav, TheEncoderFindsTheNearestAugmentedSum) {
    const Matrix<float> vectors = clustered(300, 6);
    const Quantizer model = train(vectors.view(), parse_spec("QAV2x3(iterations=3,effort=best)"));
    const Codes codes = encode(model, vectors.view());
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::vector<double> target = augmented(model, vectors.row(i));
        double smallest = squared_difference(target, augmented_sum(model, codes.rows.row(i)));
        bool best = true;
        for (std::uint8_t a = 0; a < 8; ++a)
            for (std::uint8_t b = 0; b < 8; ++b) {
                const std::uint8_t code[] = {a, b};
                best &= squared_difference(target, augmented_sum(model, code)) > smallest * (1 - 1e-3) - 1e-3;
            }
        nearest += best;
    }
    EXPECT_GT(nearest, codes.size() * 95 / 100);
}

TEST(Qav, TheObjectiveIsAQuarterOfTheAugmentedErrorAndNeverRises) {
    const Matrix<float> vectors = clustered(500, 8);
    const CompositeOptions options{
        .constraint = Constraint::augmented, .dictionaries = 3, .words = 16, .iterations = 8, .start = WarmStart::pq};
    const std::vector<double> objective = train(vectors.view(), options).training.objective;
    ASSERT_EQ(objective.size(), 8u);
    for (std::size_t i = 1; i < objective.size(); ++i) EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-6));

    const Quantizer model = train(vectors.view(), options);
    EXPECT_EQ(model.encoder.penalty, 0.25f);
    EXPECT_EQ(model.encoder.theta, 1.0f);
    EXPECT_EQ(model.encoder.expectation, 0.0f);
    const Matrix<std::uint8_t> codes = test::random_code_rows(vectors.rows(), 3, 16, 7);
    double error = 0;
    for (std::size_t n = 0; n < codes.rows(); ++n) {
        error += squared_difference(augmented(model, vectors.row(n)), augmented_sum(model, codes.row(n)));
    }
    Matrix<float> centred = vectors;
    for (std::size_t n = 0; n < centred.rows(); ++n)
        for (std::size_t d = 0; d < 8; ++d) centred[n][d] -= model.centre[d];
    const CompositeInput input = composite_input(centred);
    const CompositePenalty penalty{.penalty = 0.25, .theta = 1, .expectation = 0, .offsets = Offsets::free};
    const double value =
        evaluate({input.view(), codes}, {model.dictionaries, model.word_offsets}, penalty, {}).objective(penalty);
    EXPECT_NEAR(value, error / 4 / static_cast<double>(codes.rows()), 1e-4 * value);
}

TEST(Qav, FindsFewerNeighboursThanNocq) {
    const Matrix<float> base = clustered(2000, 16), queries = clustered(300, 16, 2);
    const Neighbors truth = exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
    const auto found = [&](const char* spec) {
        const Quantizer model = train(base.view(), parse_spec(spec));
        const FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
        return recall(index.search(queries.view(), {.k = 10}), truth.ids.view(), 10);
    };
    EXPECT_LT(found("QAV4x4(iterations=6)"), found("NOCQ4x4(iterations=6)"));
}

}  // namespace
}  // namespace summand
