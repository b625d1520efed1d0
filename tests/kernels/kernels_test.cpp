#include "kernels/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.h"

namespace summand {
namespace {

constexpr std::size_t kSizes[] = {1, 2, 15, 16, 17, 31, 32, 33, 100, 127, 128, 129, 256};

std::vector<float> random_floats(std::size_t size, Random& random) {
    std::vector<float> values(size);
    for (float& x : values) x = static_cast<float>(random.gaussian());
    return values;
}

// run(level) gives the same bits for every level as for the first.
template <class Run>
void expect_same_bits(const Run& run) {
    const KernelLevels& found = available_kernels();
    const std::vector<float> expected = run(*found.levels[0]);
    for (std::size_t i = 1; i < found.count; ++i) {
        SCOPED_TRACE(found.levels[i]->name);
        const std::vector<float> bits = run(*found.levels[i]);
        ASSERT_EQ(bits.size(), expected.size());
        EXPECT_EQ(std::memcmp(bits.data(), expected.data(), bits.size() * sizeof(float)), 0);
    }
}

template <class Body>
void for_each_level(const Body& body) {
    for (std::size_t i = 0; i < available_kernels().count; ++i) {
        SCOPED_TRACE(available_kernels().levels[i]->name);
        body(*available_kernels().levels[i]);
    }
}

TEST(Kernels, TheFirstLevelIsScalar) { EXPECT_STREQ(available_kernels().levels[0]->name, "scalar"); }

TEST(Kernels, ForcedLevelsEndWithTheirScope) {
    const Kernels* before = &kernels();
    for_each_level([&](const Kernels& level) {
        {
            const ForcedKernels forced(level);
            EXPECT_EQ(&kernels(), &level);
        }
        EXPECT_EQ(&kernels(), before);
    });
}

TEST(InnerProducts, HaveTheBitsOfAPlainLoopOnEveryLevel) {
    Random random(1);
    for (const std::size_t words : kSizes)
        for (const std::size_t dimensions : {1, 16, 17}) {
            const std::size_t stride = words + 3;
            const std::vector<float> query = random_floats(dimensions, random);
            const std::vector<float> columns = random_floats(dimensions * stride, random);
            std::vector<float> expected(words);
            for (std::size_t d = 0; d < dimensions; ++d)
                for (std::size_t w = 0; w < words; ++w)
                    expected[w] = std::fma(query[d], columns[d * stride + w], expected[w]);
            for_each_level([&](const Kernels& level) {
                std::vector<float> out(words);
                level.inner_products(query.data(), columns.data(), dimensions, words, stride, out.data());
                EXPECT_EQ(out, expected);
            });
        }
}

// c + a·b of terms whose last bits lie far apart, next to each other, or on the middle between two floats.
TEST(InnerProducts, RoundOnceOnEveryLevel) {
    constexpr std::size_t kWords = 16;
    Random random(7);
    const auto term = [&](int least, int exponents) {
        const auto exponent = least + static_cast<int>(random.below(static_cast<std::uint64_t>(exponents)));
        const std::uint64_t bits = random.below(2) ? random.below(1 << 24) : std::uint64_t{1} << random.below(24);
        const float size = std::ldexp(static_cast<float>(bits), exponent - 24);
        return random.below(2) ? size : -size;
    };
    for (int trial = 0; trial < 20000; ++trial) {
        const bool subnormal = trial % 4 == 0;
        const std::vector<float> query = {1, term(subnormal ? -70 : -15, 30)};
        std::vector<float> columns(2 * kWords), expected(kWords);
        for (std::size_t w = 0; w < kWords; ++w) {
            columns[w] = term(subnormal ? -140 : -30, 60);
            columns[kWords + w] = term(subnormal ? -70 : -15, 30);
            expected[w] = std::fma(query[1], columns[kWords + w], columns[w]);
        }
        for_each_level([&](const Kernels& level) {
            std::vector<float> out(kWords);
            level.inner_products(query.data(), columns.data(), 2, kWords, kWords, out.data());
            EXPECT_EQ(out, expected);
        });
    }
}

TEST(ArgminSum, IsTheFirstSmallestOnEveryLevel) {
    Random random(2);
    for (const std::size_t size : kSizes)
        for (int trial = 0; trial < 20; ++trial) {
            std::vector<float> scores(size), added(size), sums(size);
            for (std::size_t k = 0; k < size; ++k) {  // few values, so that ties are frequent
                scores[k] = static_cast<float>(random.below(5));
                added[k] = static_cast<float>(random.below(5)) - 2;
                sums[k] = scores[k] + added[k];
            }
            const auto smallest = std::min_element(sums.begin(), sums.end());
            for_each_level([&](const Kernels& level) {
                float best = 0;
                EXPECT_EQ(level.argmin_sum(scores.data(), added.data(), size, &best), smallest - sums.begin());
                EXPECT_EQ(best, *smallest);
            });
        }
}

TEST(DotAndDistance, HaveTheSameBitsOnEveryLevelAndTheValueOfAPlainSum) {
    Random random(3);
    for (const std::size_t size : kSizes) {
        const std::vector<float> a = random_floats(size, random), b = random_floats(size, random);
        expect_same_bits([&](const Kernels& level) {
            return std::vector<float>{level.dot(a.data(), b.data(), size),
                                      level.squared_distance(a.data(), b.data(), size)};
        });
        double product = 0, distance = 0;
        for (std::size_t d = 0; d < size; ++d) {
            product += double{a[d]} * double{b[d]};
            distance += (double{a[d]} - double{b[d]}) * (double{a[d]} - double{b[d]});
        }
        EXPECT_NEAR(kernels().dot(a.data(), b.data(), size), product, 1e-5 * static_cast<double>(size));
        EXPECT_NEAR(kernels().squared_distance(a.data(), b.data(), size), distance, 1e-6 * (1 + distance));
    }
}

TEST(DotAndDistance, OfNothingAreZero) {
    for_each_level([](const Kernels& level) {
        EXPECT_EQ(level.dot(nullptr, nullptr, 0), 0);
        EXPECT_EQ(level.squared_distance(nullptr, nullptr, 0), 0);
    });
}

TEST(SumRows, AddsInTheOrderOfTheRowsOnEveryLevel) {
    Random random(4);
    for (const std::size_t size : kSizes)
        for (const std::size_t count : {0, 1, 2, 9}) {
            const std::vector<float> values = random_floats(count * size, random);
            std::vector<const float*> rows;
            for (std::size_t m = 0; m < count; ++m) rows.push_back(values.data() + m * size);
            std::vector<float> expected(size);
            for (std::size_t m = 0; m < count; ++m)
                for (std::size_t d = 0; d < size; ++d) expected[d] += rows[m][d];
            for_each_level([&](const Kernels& level) {
                std::vector<float> out(size, -1.0f);
                level.sum_rows(rows.data(), count, size, out.data());
                EXPECT_EQ(out, expected);
            });
        }
}

TEST(Combine, HasTheBitsOfItsFormulaOnEveryLevel) {
    Random random(5);
    for (const std::size_t size : kSizes) {
        const std::vector<float> x = random_floats(size, random), y = random_floats(size, random),
                                 z = random_floats(size, random);
        std::vector<float> expected(size);
        for (std::size_t d = 0; d < size; ++d) expected[d] = 0.7f * x[d] + -1.3f * y[d] + 2.1f * z[d];
        for_each_level([&](const Kernels& level) {
            std::vector<float> out(size);
            level.combine(0.7f, x.data(), -1.3f, y.data(), 2.1f, z.data(), size, out.data());
            EXPECT_EQ(out, expected);
        });
    }
}

TEST(ScatterAdd, AddsEveryRowToItsWordOnEveryLevel) {
    Random random(6);
    constexpr std::size_t kCount = 40, kStride = 3, kWords = 7;
    for (const std::size_t size : kSizes) {
        const std::vector<float> values = random_floats(kCount * size, random);
        const std::vector<float> start = random_floats(kWords * size, random);
        std::vector<std::uint8_t> codes(kCount * kStride);
        for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(random.below(kWords));
        std::vector<float> expected = start;
        for (std::size_t i = 0; i < kCount; ++i)
            for (std::size_t d = 0; d < size; ++d) expected[codes[i * kStride] * size + d] += values[i * size + d];
        for_each_level([&](const Kernels& level) {
            std::vector<float> rows = start;
            level.scatter_add(values.data(), kCount, size, codes.data(), kStride, rows.data());
            EXPECT_EQ(rows, expected);
        });
    }
}

// A visit with random numbers in it, and its costs by the formulas of kernels.h in double.
class IcmProblem {
public:
    IcmProblem(std::size_t words, std::size_t row_count, std::uint64_t seed) : words_(words) {
        Random random(seed);
        stride_ = (words + kIcmLanes - 1) / kIcmLanes * kIcmLanes;
        pairs_.resize(row_count * stride_);
        for (std::size_t r = 0; r < row_count; ++r) {
            for (std::size_t k = 0; k < words; ++k)
                pairs_[r * stride_ + k] =
                    static_cast<std::int16_t>((random.uniform() - 0.5) * 65000 / static_cast<double>(row_count));
            rows_.push_back(pairs_.data() + r * stride_);
        }
        unary = random_floats(stride_, random);
        gain = random_floats(stride_, random);
        std::fill(unary.begin() + static_cast<std::ptrdiff_t>(words), unary.end(), kIcmPadding);
        std::fill(gain.begin() + static_cast<std::ptrdiff_t>(words), gain.end(), 0.0f);
        word = static_cast<std::uint32_t>(random.below(words));
        penalty = static_cast<float>(random.uniform());
        slope = static_cast<float>(2 * random.uniform() - 0.5);
        gain_slope = -static_cast<float>(random.uniform());
        error = static_cast<float>(3 + random.uniform());
        excess = static_cast<float>(random.gaussian());
        absolute = seed % 2 == 0 ? 0 : static_cast<float>(random.uniform());
    }

    /// By the given level, alone or as the last of several visits of the same dictionary.
    IcmChoice choice(const Kernels& level = kernels(), std::size_t before = 0) const {
        std::vector<std::int16_t> bound(stride_);
        const IcmBounds bounds = level.icm_bounds(unary.data(), words_, stride_, scale, bound.data());
        const IcmDictionary dictionary{.gain = gain.data(),
                                       .gain_slope = gain_slope,
                                       .stride = stride_,
                                       .row_count = rows_.size(),
                                       .scale = scale,
                                       .penalty = penalty,
                                       .slope = slope,
                                       .absolute = absolute};
        const IcmVisit visit{.rows = rows_.data(),
                             .unary = unary.data(),
                             .bound = bound.data(),
                             .bounds = bounds,
                             .word = word,
                             .error = error,
                             .excess = excess};
        std::vector<IcmVisit> visits(before + 1, visit);
        for (std::size_t i = 0; i < before; ++i) visits[i].error += static_cast<float>(i);
        std::vector<IcmChoice> choices(visits.size());
        level.icm_visits(dictionary, visits.data(), visits.size(), choices.data());
        return choices.back();
    }
    double change(std::size_t k) const {
        double pair = 0;
        for (const std::int16_t* row : rows_) pair += row[k];
        return double{unary[k]} + 2 * double{scale} * pair;
    }
    double error_with(std::size_t k) const { return double{error} + change(k) - change(word); }
    double excess_with(std::size_t k) const { return double{excess} + rise(k) - rise(word); }
    double rise(std::size_t k) const {
        return double{gain[k]} + double{gain_slope} * double{unary[k]} + double{slope} * change(k);
    }
    double cost(std::size_t k) const {
        return error_with(k) + double{penalty} * excess_with(k) * excess_with(k) +
               double{absolute} * std::abs(excess_with(k));
    }
    std::size_t words() const { return words_; }
    /// Makes word k cost what word `like` costs.
    void copy(std::size_t like, std::size_t k) {
        unary[k] = unary[like];
        gain[k] = gain[like];
        for (std::size_t r = 0; r < rows_.size(); ++r) pairs_[r * stride_ + k] = pairs_[r * stride_ + like];
    }

    std::vector<float> unary, gain;
    float scale = 1e-4f, penalty, slope, gain_slope, error, excess, absolute;
    std::uint32_t word;

private:
    std::size_t words_, stride_;
    std::vector<std::int16_t> pairs_;
    std::vector<const std::int16_t*> rows_;
};

template <class Body>
void for_random_problems(const Body& body) {
    std::uint64_t seed = 0;
    for (const std::size_t words : {2, 15, 16, 17, 31, 32, 33, 100, 256})
        for (const std::size_t row_count : {0, 1, 2, 7, 63})
            for (int trial = 0; trial < 4; ++trial) body(IcmProblem(words, row_count, ++seed));
}

TEST(IcmVisit, HasTheSameBitsOnEveryLevel) {
    for_random_problems([](const IcmProblem& problem) {
        expect_same_bits([&](const Kernels& level) {
            const IcmChoice choice = problem.choice(level);
            return std::vector<float>{static_cast<float>(choice.word), choice.cost, choice.error, choice.excess};
        });
    });
}

TEST(IcmVisit, ChoosesTheCheapestWord) {
    for_random_problems([](const IcmProblem& problem) {
        double smallest = problem.cost(0);
        for (std::size_t k = 1; k < problem.words(); ++k) smallest = std::min(smallest, problem.cost(k));
        const IcmChoice choice = problem.choice();
        ASSERT_LT(choice.word, problem.words());
        const double tolerance = 1e-4 * (1 + std::abs(smallest));
        EXPECT_NEAR(problem.cost(choice.word), smallest, tolerance);
        EXPECT_NEAR(choice.cost, smallest, tolerance);
        EXPECT_NEAR(choice.error, problem.error_with(choice.word), tolerance);
        EXPECT_NEAR(choice.excess, problem.excess_with(choice.word), tolerance);
    });
}

TEST(IcmVisit, NeverCostsMoreThanTheCurrentWord) {
    for_random_problems([](const IcmProblem& problem) {
        const IcmChoice choice = problem.choice();
        EXPECT_LE(choice.cost, problem.error + problem.penalty * problem.excess * problem.excess +
                                   problem.absolute * std::abs(problem.excess));
        if (choice.word == problem.word) {
            EXPECT_NEAR(choice.error, problem.error, 1e-4);
            EXPECT_NEAR(choice.excess, problem.excess, 1e-4);
        }
    });
}

TEST(IcmVisit, BreaksTiesByTheSmallerWordButKeepsTheCurrentOne) {
    for (const std::size_t best : {5, 20, 90}) {
        IcmProblem problem(100, 3, best);
        problem.unary[best] = -100;
        for (const std::size_t twin : {best + 1, best + 7, std::size_t{99}}) problem.copy(best, twin);
        for (const std::uint32_t current : {0u, 98u, static_cast<std::uint32_t>(best + 7)}) {
            problem.word = current;
            // With these figures no word costs less than its equals: the current one stays where it is among them.
            problem.error = 1000;
            problem.excess = 0;
            problem.penalty = problem.absolute = 0;
            const std::size_t expected = current == best + 7 ? best + 7 : best;
            for_each_level([&](const Kernels& level) { EXPECT_EQ(problem.choice(level).word, expected); });
        }
    }
}

TEST(IcmVisit, AVisitOfItsOwnChoiceChangesNothing) {
    for_random_problems([](IcmProblem problem) {
        const IcmChoice first = problem.choice();
        problem.word = first.word;
        problem.error = first.error;
        problem.excess = first.excess;
        const IcmChoice second = problem.choice();
        EXPECT_NEAR(problem.cost(second.word), problem.cost(first.word), 1e-4 * (1 + std::abs(double{first.cost})));
    });
}

TEST(IcmVisit, DoesNotDependOnTheVisitsBeforeIt) {
    for_random_problems([](const IcmProblem& problem) {
        const IcmChoice alone = problem.choice();
        for (const std::size_t before : {1, 2, 5}) {
            const IcmChoice choice = problem.choice(kernels(), before);
            EXPECT_EQ(choice.word, alone.word);
            EXPECT_EQ(choice.cost, alone.cost);
        }
    });
}

// Unaries of any spread, against a scale that suits one of them; a step is 2·scale·2^shift.
TEST(IcmBounds, AreFewerStepsThanTheUnariesOnEveryLevel) {
    Random random(7);
    for (const std::size_t words : {1, 15, 16, 17, 100, 256})
        for (const float spread : {1e-6f, 1.0f, 1e4f, 1e9f}) {
            const std::size_t stride = (words + kIcmLanes - 1) / kIcmLanes * kIcmLanes;
            std::vector<float> unary(stride, kIcmPadding);
            for (std::size_t k = 0; k < words; ++k) unary[k] = spread * static_cast<float>(random.gaussian());
            constexpr float kScale = 1e-4f;
            expect_same_bits([&](const Kernels& level) {
                std::vector<std::int16_t> bound(stride);
                const IcmBounds bounds = level.icm_bounds(unary.data(), words, stride, kScale, bound.data());
                const double step = std::ldexp(2 * double{kScale}, bounds.shift);
                EXPECT_NEAR(bounds.per_step * step, 1, 1e-6);
                EXPECT_EQ(bounds.least, *std::min_element(unary.begin(), unary.end()));
                EXPECT_GE(bounds.shift, 1);
                std::vector<float> seen = {bounds.least, bounds.per_step, static_cast<float>(bounds.shift)};
                for (std::size_t k = 0; k < stride; ++k) {
                    const double steps = (double{unary[k]} - double{bounds.least}) / step;
                    EXPECT_LE(bound[k], steps + 1e-2);
                    EXPECT_LE(bound[k], kMostIcmBound);
                    if (k < words) {
                        EXPECT_GE(bound[k], steps - 1.01);
                    }
                    seen.push_back(bound[k]);
                }
                return seen;
            });
        }
}

}  // namespace
}  // namespace summand
