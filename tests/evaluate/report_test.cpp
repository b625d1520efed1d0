#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "summand/evaluate.h"

namespace summand {
namespace {

Report sample(const std::string& method) {
    Report report;
    report.method = method;
    report.code_bytes = 8;
    report.compression = 64;
    report.recalls = {{1, 1, 0.25}, {1, 10, 0.75}, {10, 10, 0.5}};
    report.queries_per_second = 1234.4;
    return report;
}

TEST(Report, FindsRecallByAnswersAndTruths) {
    const Report report = sample("PQ8");
    EXPECT_DOUBLE_EQ(report.recall_at(10), 0.75);
    EXPECT_DOUBLE_EQ(report.recall_at(10, 10), 0.5);
    EXPECT_DOUBLE_EQ(report.recall_at(100), -1);
}

TEST(Report, TableHasARowPerReportAndAlignsThem) {
    std::istringstream lines(table({sample("PQ8"), sample("NOCQ16x4")}));
    std::string titles, first, second, rest;
    std::getline(lines, titles);
    std::getline(lines, first);
    std::getline(lines, second);
    EXPECT_FALSE(std::getline(lines, rest));
    EXPECT_EQ(first.size(), second.size());
    EXPECT_EQ(titles.size(), first.size() + 1) << "the micro sign takes two bytes";
    EXPECT_NE(titles.find(" R@10 "), std::string::npos);
    EXPECT_NE(titles.find(" R@10of1 "), std::string::npos);
    EXPECT_LT(first.find("0.5000"), first.find("0.7500")) << "of the ten nearest, then of the nearest";
    EXPECT_NE(first.find("1234"), std::string::npos);
    EXPECT_NE(first.find(" - "), std::string::npos) << "what was not measured is a dash";
}

TEST(Report, JsonKeepsEveryFigureAndNullForUnmeasured) {
    const auto array = nlohmann::json::parse(json({sample("PQ8")}));
    ASSERT_EQ(array.size(), 1u);
    EXPECT_EQ(array[0]["method"], "PQ8");
    EXPECT_EQ(array[0]["recalls"].size(), 3u);
    EXPECT_EQ(array[0]["recalls"][1]["recall"], 0.75);
    EXPECT_TRUE(array[0]["map"].is_null());
}

TEST(Report, PrintsAsItsTable) {
    std::ostringstream text;
    text << sample("PQ8");
    EXPECT_EQ(text.str(), table({sample("PQ8")}));
}

}  // namespace
}  // namespace summand
