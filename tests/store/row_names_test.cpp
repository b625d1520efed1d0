#include "store/row_names.h"

#include <gtest/gtest.h>

#include "summand/error.h"

namespace summand::test {
namespace {

const std::vector<std::string> kNames{"b", "ä", "a", "ab", "\xf0\x9f\x98\x80"};

}  // namespace

TEST(RowNames, EachIsFoundAndNothingElse) {
    const KeptNames kept(kNames);
    const RowNames names = kept.view();
    EXPECT_EQ(problem_of(names), "");
    for (std::size_t row = 0; row < kNames.size(); ++row) {
        EXPECT_EQ(names[row], kNames[row]);
        EXPECT_EQ(names.row_of(kNames[row]), row);
    }
    for (const char* other : {"", "0", "aa", "abc", "c", "zz"}) EXPECT_EQ(names.row_of(other), std::nullopt);
}

TEST(RowNames, TablesThatLieAreRefused) {
    const auto problem = [](const auto& forge) {
        KeptNames kept(kNames);
        forge(kept);
        return problem_of(kept.view());
    };
    const std::string divides = "section name_begin does not divide section names";
    EXPECT_EQ(problem([](KeptNames& kept) { kept.begin[0] = 1; }), divides);
    EXPECT_EQ(problem([](KeptNames& kept) { kept.begin[2] = 900; }), divides);
    EXPECT_EQ(problem([](KeptNames& kept) { kept.begin[2] = ~std::uint64_t{0}; }), divides);
    EXPECT_EQ(problem([](KeptNames& kept) { ++kept.begin.back(); }), divides);
    EXPECT_EQ(problem([](KeptNames& kept) { kept.begin.pop_back(); }), divides);
    EXPECT_EQ(problem([](KeptNames& kept) { kept.begin[2] = kept.begin[1]; }), "section names: row 1 has no name");
    EXPECT_EQ(problem([](KeptNames& kept) { kept.text[0] = '\n'; }),
              "section names: row 0 has a name with a control character");
    EXPECT_EQ(problem([](KeptNames& kept) { kept.text[1] = 'x'; }),
              "section names: row 1 has a name that is not UTF-8");
    EXPECT_EQ(problem([](KeptNames& kept) { kept.order[3] = 5; }), "section name_order names row 5 of 5");
    EXPECT_EQ(problem([](KeptNames& kept) { std::swap(kept.order[0], kept.order[1]); }),
              "section name_order is not in the order of names, or has one twice, at 1");
    EXPECT_EQ(problem([](KeptNames& kept) { kept.order[4] = kept.order[3]; }),
              "section name_order is not in the order of names, or has one twice, at 4");
    EXPECT_EQ(problem([](KeptNames& kept) { kept.text[0] = 'a'; }),  // row 2 is called so too
              "section name_order is not in the order of names, or has one twice, at 2");
}

TEST(RowNames, ANameIsUtf8WithoutControlCharacters) {
    for (const std::string& good :
         {std::string("a b,c"), std::string(1024, 'x'), std::string("\u00e9\u4e2d\U0010ffff")})
        EXPECT_EQ(problem_of_name(good), nullptr) << good;
    EXPECT_STREQ(problem_of_name(""), "has no name");
    EXPECT_STREQ(problem_of_name(std::string(1025, 'x')), "has a name of more than 1,024 bytes");
    for (const std::string& control : {std::string("a\tb"), std::string("\x7f"), std::string("a\0b", 3)})
        EXPECT_STREQ(problem_of_name(control), "has a name with a control character");
    for (const char* broken : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                               "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xff", "\xe4\xb8"})
        EXPECT_STREQ(problem_of_name(broken), "has a name that is not UTF-8") << broken;
}

}  // namespace summand::test
