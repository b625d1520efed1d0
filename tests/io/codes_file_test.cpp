#include "io/codes_file.h"

#include <cmath>

#include "io/container_support.h"

namespace summand::test {

TEST(CodesFile, LoadGivesBackWhatWasSaved) {
    const TemporaryDirectory directory;
    for (const Shape3& shape : {Shape3{3, 16, 7}, Shape3{4, 5, 7}, Shape3{3, 17, 7}, Shape3{8, 256, 9}})
        for (const Quantizer& quantizer : {dense_quantizer(shape), block_quantizer(shape)})
            for (const std::size_t n : {0u, 1u, 100u}) {
                const Codes codes = random_codes(quantizer, n, 7);
                EXPECT_EQ(load_codes(save(codes, quantizer)), codes);
                save(directory / "c.smd", codes, quantizer);
                EXPECT_EQ(load_codes(directory / "c.smd"), codes);
            }
}

TEST(CodesFile, SixteenWordsTakeHalfAByteEach) {
    const Quantizer quantizer = block_quantizer({16, 16, 32});
    EXPECT_LT(save(random_codes(quantizer, 1000, 1), quantizer).size(), 1000u * 8 + 1000);
}

TEST(CodesFile, EveryDamageIsRefused) {
    for (const Shape3& shape : {Shape3{3, 16, 4}, Shape3{2, 256, 4}}) {
        const Quantizer quantizer = dense_quantizer(shape);
        expect_every_damage_refused(save(random_codes(quantizer, 5, 1), quantizer),
                                    [](const Bytes& bytes) { load_codes(bytes); });
    }
}

TEST(CodesFile, AnotherModelsCodesAreNotSaved) {
    const Quantizer one = dense_quantizer({2, 16, 4});
    const Quantizer other = block_quantizer({2, 16, 4});
    expect_error([&] { save(random_codes(one, 5, 1), other); },
                 {"save: the codes were made by model", "expected those of"});
}

TEST(CodesFile, CodesThatDoNotFitAreNotSaved) {
    const Quantizer quantizer = dense_quantizer({2, 20, 4});
    Codes codes = random_codes(quantizer, 5, 1);
    codes.rows[3][1] = 20;
    expect_error([&] { save(codes, quantizer); }, {"save: row 3 names word 20 of a dictionary of 20 words"});
    codes = random_codes(quantizer, 5, 1);
    codes.bias.pop_back();
    expect_error([&] { save(codes, quantizer); }, {"save: expected 5 biases, got 4"});
    codes = random_codes(quantizer, 5, 1);
    codes.bias[2] = std::nanf("");
    expect_error([&] { save(codes, quantizer); }, {"save: the bias of row 2 is nan"});
    codes.rows = Matrix<std::uint8_t>(5, 3);
    expect_error([&] { save(codes, quantizer); }, {"save: expected codes of 2 dictionaries, got 3"});
}

TEST(CodesFile, ForgedCodesAreRefused) {
    const Quantizer many = dense_quantizer({2, 20, 4});
    Bytes bytes = save(random_codes(many, 5, 1), many);
    bytes[content_of(bytes, "codes") + 7] = std::byte{20};
    reseal(bytes);
    expect_error([&] { load_codes(bytes, "c.smd"); },
                 {"c.smd: row 3 of the codes names word 20 of a dictionary of 20"});

    const Quantizer few = dense_quantizer({3, 10, 4});
    bytes = save(random_codes(few, 5, 1), few);
    bytes[content_of(bytes, "codes")] = std::byte{0xa0};
    reseal(bytes);
    expect_error([&] { load_codes(bytes); }, {"row 0 of the codes names word 10"});
    bytes = save(random_codes(few, 5, 1), few);
    bytes[content_of(bytes, "codes") + 1] |= std::byte{0x10};
    reseal(bytes);
    expect_error([&] { load_codes(bytes); }, {"section codes has bits set in the unused half of a byte"});
}

TEST(CodesFile, AModelIsNotCodes) {
    expect_error(
        [] {
            load_codes(save(dense_quantizer({2, 3, 4})), "m.smd");
        },
        {"m.smd: holds a model, expected codes"});
}

}  // namespace summand::test
