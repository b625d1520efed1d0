#include "io/npy.h"

#include "io/support.h"

namespace summand::test {

namespace {

std::string npy(std::string_view dictionary, std::string_view data) {
    const std::string text = std::string(dictionary) + "\n";
    return std::string(kNpyMagic) +
           bytes_of(std::uint8_t{1}, std::uint8_t{0}, static_cast<std::uint16_t>(text.size())) + text +
           std::string(data);
}

std::string dictionary(std::string_view type, std::string_view shape) {
    return concatenate("{'descr': '", type, "', 'fortran_order': False, 'shape': ", shape, ", }");
}

}  // namespace

TEST(Npy, ReadsEveryElementType) {
    const TemporaryDirectory directory;
    const Matrix<float> expected(1, 2, {1, 2});
    const std::pair<std::string_view, std::string> cases[] = {
        {"<f4", bytes_of(1.0f, 2.0f)},
        {"<f2", bytes_of(std::uint16_t{0x3c00}, std::uint16_t{0x4000})},
        {"<f8", bytes_of(1.0, 2.0)},
        {"|u1", bytes_of(std::uint8_t{1}, std::uint8_t{2})},
        {"|i1", bytes_of(std::int8_t{1}, std::int8_t{2})},
        {"<u2", bytes_of(std::uint16_t{1}, std::uint16_t{2})},
        {"<i2", bytes_of(std::int16_t{1}, std::int16_t{2})},
        {"<u4", bytes_of(std::uint32_t{1}, std::uint32_t{2})},
        {"<i4", bytes_of(std::int32_t{1}, std::int32_t{2})},
        {"<u8", bytes_of(std::uint64_t{1}, std::uint64_t{2})},
        {"<i8", bytes_of(std::int64_t{1}, std::int64_t{2})},
    };
    for (const auto& [type, data] : cases) {
        write_raw(directory / "a.npy", npy(dictionary(type, "(1, 2)"), data));
        EXPECT_EQ(read_vectors(directory / "a.npy"), expected) << type;
    }
    for (const auto& [type, data] : cases) {
        if (type.ends_with('4') == type.ends_with('8') || type.starts_with("<f")) continue;
        write_raw(directory / "a.npy", npy(dictionary(type, "(1, 2)"), data));
        EXPECT_EQ(read_ids(directory / "a.npy"), Matrix<std::int64_t>(1, 2, {1, 2})) << type;
    }
}

TEST(Npy, ReadsVersionTwoAndAnyBlanks) {
    const TemporaryDirectory directory;
    const std::string text = "{'shape':(2,1),'fortran_order':False,'descr':'<f4'}\n";
    write_raw(directory / "a.npy", std::string(kNpyMagic) + bytes_of(std::uint8_t{2}, std::uint8_t{0}) +
                                       bytes_of(static_cast<std::uint32_t>(text.size())) + text + bytes_of(3.0f, 4.0f));
    EXPECT_EQ(read_vectors(directory / "a.npy"), Matrix<float>(2, 1, {3, 4}));
}

TEST(Npy, LargeAndSmallNumbersOfEachWidthKeepTheirSign) {
    const TemporaryDirectory directory;
    const std::pair<std::string_view, std::string> cases[] = {
        {"<u2", bytes_of(std::uint16_t{0xffff})},
        {"<i2", bytes_of(std::int16_t{-0x8000})},
        {"<u4", bytes_of(0x80000000u)},
        {"<u8", bytes_of(std::uint64_t{1} << 63)},
        {"<i8", bytes_of(INT64_MIN)},
    };
    const float expected[] = {65535, -32768, 0x1p31f, 0x1p63f, -0x1p63f};
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        write_raw(directory / "a.npy", npy(dictionary(cases[i].first, "(1, 1)"), cases[i].second));
        EXPECT_EQ(read_vectors(directory / "a.npy")[0][0], expected[i]) << cases[i].first;
    }
    write_raw(directory / "a.npy", npy(dictionary("<u8", "(1, 1)"), bytes_of(UINT64_MAX - 4)));
    expect_error([&] { read_ids(directory / "a.npy"); }, {"row 0 has id -5, expected -1 or more"});
    write_raw(directory / "a.npy", npy(dictionary("<u2", "(1, 1)"), bytes_of(std::uint16_t{1})));
    expect_error([&] { read_ids(directory / "a.npy"); }, {"holds uint16, expected ids"});
}

TEST(Npy, RefusesWhatItCannotRead) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.npy";
    const auto expect_refused = [&](const std::string& bytes, std::initializer_list<std::string_view> parts) {
        write_raw(path, bytes);
        expect_error([&] { VectorReader reader(path); }, parts);
    };
    const std::string data(16, '\0');
    expect_refused("", {"a.npy: the file is empty"});
    expect_refused("\x93NUM", {"truncated: an npy header takes more than 4 bytes"});
    expect_refused("not a numpy file at all", {"does not begin as an npy file does"});
    expect_refused(npy(dictionary("<f4", "(4,)"), data), {"npy shape (4,), expected two dimensions (n, d)"});
    expect_refused(npy(dictionary("<f4", "(1, 2, 2)"), data), {"npy shape (1, 2, 2), expected two dimensions"});
    expect_refused(npy(dictionary("<f4", "()"), data), {"npy shape ()"});
    expect_refused(npy(dictionary("<f4", "(99999999999999999999, 2)"), data), {"expected two dimensions"});
    expect_refused(npy(dictionary("<f4", "(4294967296, 4294967296)"), data), {"more than any file can hold"});
    expect_refused(npy(dictionary(">f4", "(2, 2)"), data), {"npy elements are '>f4', expected one of '<f4'"});
    expect_refused(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", data), {"Fortran order"});
    expect_refused(npy("{'descr': '<f4', 'shape': (2, 2), }", data), {"has no 'fortran_order'"});
    expect_refused(npy(dictionary("<f4", "(2, 3)"), data), {"truncated", "8 are missing"});
    expect_refused(npy(dictionary("<f4", "(1, 2)"), data), {"trailing bytes", "8 more follow"});
    expect_refused(npy(dictionary("<f4", "(0, 2)"), ""), {"holds zero vectors"});
    expect_refused(std::string(kNpyMagic) + bytes_of(std::uint8_t{9}, std::uint8_t{0}, 0u, 0u), {"npy version 9"});
    expect_refused(std::string(kNpyMagic) + bytes_of(std::uint8_t{2}, std::uint8_t{0}, 0xffffffffu),
                   {"the npy header claims 4294967295 bytes of a file of 12"});
}

}  // namespace summand::test
