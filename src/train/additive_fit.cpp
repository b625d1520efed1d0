#include "train/additive_fit.h"

#include <numeric>

#include "base/parallel.h"

namespace summand {
namespace {

constexpr std::size_t kParts = 16;
constexpr double kTolerance = 1e-8;  // of the squared residual of the normal equations

using Values = std::vector<double>;

double dot(const Values& a, const Values& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

class NormalEquations {
public:
    NormalEquations(const Matrix<std::uint8_t>& codes, std::size_t words, const Execution& execution)
        : codes_(codes), words_(words), execution_(execution) {}

    std::size_t size() const { return codes_.columns() * words_; }

    double predict(const Values& b, std::size_t n) const {
        double sum = 0;
        for (std::size_t m = 0; m < codes_.columns(); ++m) sum += b[m * words_ + codes_[n][m]];
        return sum;
    }

    /// Σ_n value(n) over the vectors that use each word.
    template <class Value>
    Values collect(const Value& value) const {
        std::vector<Values> parts(kParts);
        parallel_for(execution_, kParts, [&](std::size_t p) {
            parts[p].assign(size(), 0.0);
            for (std::size_t n = codes_.rows() * p / kParts; n < codes_.rows() * (p + 1) / kParts; ++n) {
                const double v = value(n);
                for (std::size_t m = 0; m < codes_.columns(); ++m) parts[p][m * words_ + codes_[n][m]] += v;
            }
        });
        Values total(size(), 0.0);
        for (const Values& part : parts)
            for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
        return total;
    }

private:
    const Matrix<std::uint8_t>& codes_;
    std::size_t words_;
    const Execution& execution_;
};

}  // namespace

void fit_additive(const Matrix<std::uint8_t>& codes, const std::vector<double>& targets, std::size_t words,
                  const Execution& execution, std::vector<float>& values, const OffsetRecipe& recipe) {
    const NormalEquations equations(codes, words, execution);
    const Values start(values.begin(), values.end());
    const Values counts = equations.collect([](std::size_t) { return 1.0; });
    Values change(equations.size(), 0.0), preconditioned(equations.size());
    Values residual = equations.collect([&](std::size_t n) { return targets[n] - equations.predict(start, n); });
    const auto precondition = [&] {
        for (std::size_t i = 0; i < residual.size(); ++i) preconditioned[i] = residual[i] / (counts[i] + recipe.ridge);
        return dot(residual, preconditioned);
    };
    double size = precondition();
    const double enough = kTolerance * size;
    Values direction = preconditioned;
    for (int i = 0; i < recipe.iterations && size > enough; ++i) {
        Values image = equations.collect([&](std::size_t n) { return equations.predict(direction, n); });
        for (std::size_t j = 0; j < image.size(); ++j) image[j] += recipe.ridge * direction[j];
        const double step = size / dot(direction, image);
        for (std::size_t j = 0; j < change.size(); ++j) {
            change[j] += step * direction[j];
            residual[j] -= step * image[j];
        }
        const double next = precondition();
        for (std::size_t j = 0; j < direction.size(); ++j)
            direction[j] = preconditioned[j] + next / size * direction[j];
        size = next;
    }
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = static_cast<float>(start[j] + change[j]);
}

}  // namespace summand
