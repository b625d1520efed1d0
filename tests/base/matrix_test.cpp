#include "summand/matrix.h"

#include "io/support.h"

namespace summand::test {

TEST(Matrix, HasAsManyValuesAsItsSizesSay) {
    const Matrix<float> matrix(3, 4, 7.0f);
    EXPECT_EQ(matrix.size(), 12u);
    EXPECT_EQ(matrix[2][3], 7.0f);
    EXPECT_EQ(Matrix<float>(0, ~std::size_t{0}).size(), 0u);
}

TEST(Matrix, SizesWhoseProductWrapsAreRefused) {
    const std::size_t huge = std::size_t{1} << 62;
    expect_error([&] { Matrix<std::uint8_t>(4, huge); },
                 {"matrix: expected sizes that fit memory, got 4 rows of 4611686018427387904 columns"});
    expect_error([&] { Matrix<float>(1, huge); }, {"matrix: expected sizes that fit memory"});
    expect_error([&] { Matrix<double>(huge / 4 + 1, 1); }, {"matrix: expected sizes that fit memory"});
}

}  // namespace summand::test
