#include <gtest/gtest.h>

#include <string>

#include "summand/error.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

// A spec of the method that makes two dictionaries of 2^bits words.
std::string two_dictionaries(std::string_view method, const std::string& bits) {
    std::string number = "2";
    if (method == "CQc") number = "10";   // eight codes of so few bits hold its third term
    if (method == "ITQ") return "ITQ16";  // its words have eight bits
    return std::string(method) + number + "x" + bits;
}

Quantizer train_with(const std::string& spec) { return train(clustered(100, 16).view(), parse_spec(spec)); }

TEST(ParseSpec, ReadsMethodDictionariesBitsAndOptions) {
    const Spec plain = parse_spec("PQ8");
    EXPECT_EQ(plain.method, "PQ");
    EXPECT_EQ(plain.dictionaries, 8u);
    EXPECT_EQ(plain.bits, 8u);
    EXPECT_EQ(plain.words(), 256u);
    EXPECT_TRUE(plain.options.empty());

    const Spec nibbles = parse_spec("NOCQ16x4");
    EXPECT_EQ(nibbles.method, "NOCQ");
    EXPECT_EQ(nibbles.dictionaries, 16u);
    EXPECT_EQ(nibbles.words(), 16u);

    const Spec options = parse_spec("NOCQ8(mu=1e-4,effort=best)");
    EXPECT_EQ(options.options.size(), 2u);
    EXPECT_EQ(options.options.at("mu"), "1e-4");
    EXPECT_EQ(options.options.at("effort"), "best");
}

TEST(ParseSpec, ToStringIsItsInverse) {
    for (const MethodInfo& method : methods())
        for (const char* rest : {"1", "8", "64", "16x4", "3x1", "8(iterations=30)", "8x4(a=1,b=x.y,c=-1e-4)"}) {
            const std::string text = std::string(method.name) + rest;
            EXPECT_EQ(to_string(parse_spec(text)), text);
        }
    EXPECT_EQ(to_string(parse_spec("PQ8x8(z=1,a=2)")), "PQ8(a=2,z=1)");
}

TEST(ParseSpec, ReadsThePairThatFaissWrites) {
    EXPECT_EQ(to_string(parse_spec("OPQ8,PQ8")), "OPQ8");
    EXPECT_EQ(to_string(parse_spec("OPQ8,PQ8x8")), "OPQ8");
    EXPECT_EQ(to_string(parse_spec("OPQ16,PQ16x4")), "OPQ16x4");
    expect_error([] { parse_spec("OPQ8,PQ4"); }, {"spec 'OPQ8,PQ4': expected PQ8 after OPQ8, got PQ4"});
    expect_error([] { parse_spec("OPQ8,NOCQ8"); }, {"expected PQ8 after OPQ8, got NOCQ8"});
    expect_error([] { parse_spec("PQ8,PQ8"); }, {"spec 'PQ8,PQ8': expected the end of the spec, got ',PQ8'"});
}

TEST(ParseSpec, AnUnknownMethodIsAnsweredWithTheKnownOnes) {
    for (const char* text : {"XYZ8", "pq8", "IVF8"})
        expect_error([&] { parse_spec(text); }, {"unknown method '", "known: PQ, OPQ, CQ, OCQ, NOCQ, LOCQ"});
}

TEST(ParseSpec, NamesThePartThatIsWrong) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "spec '': expected a method name at the end"},
        {"8PQ", "spec '8PQ': expected a method name, got '8PQ'"},
        {"PQ", "spec 'PQ': expected a number of dictionaries at the end"},
        {"PQx4", "unknown method 'PQx'"},
        {"PQ0", "spec 'PQ0': expected a number of dictionaries from 1 to 64, got 0"},
        {"PQ65", "expected a number of dictionaries from 1 to 64, got 65"},
        {"PQ99999999999999999999999", "from 1 to 64, got 99999999999999999999999"},
        {"PQ-8", "spec 'PQ-8': expected a number of dictionaries, got '-8'"},
        {"PQ8x", "spec 'PQ8x': expected bits per code at the end"},
        {"PQ8x0", "spec 'PQ8x0': expected bits per code from 1 to 8, got 0"},
        {"PQ8x9", "spec 'PQ8x9': expected bits per code from 1 to 8, got 9"},
        {"PQ8x16", "expected bits per code from 1 to 8, got 16"},
        {"PQ8 ", "spec 'PQ8 ': expected the end of the spec, got ' '"},
        {"PQ8(", "expected name=value at the end"},
        {"PQ8()", "expected name=value, got ')'"},
        {"PQ8(order)", "expected name=value, got ')'"},
        {"PQ8(=3)", "expected name=value, got '=3)'"},
        {"PQ8(order=)", "expected a value after '=', got ')'"},
        {"PQ8(order=natural", "expected ')' at the end"},
        {"PQ8(order=natural)x", "expected the end of the spec, got 'x'"},
        {"PQ8(a=1,a=2)", "spec 'PQ8(a=1,a=2)': option a is given twice"},
    };
    for (const auto& [text, message] : cases) {
        SCOPED_TRACE(text);
        expect_error([&, spec = text] { parse_spec(spec); }, {message});
    }
}

TEST(TrainBySpec, NamesTheOptionThatIsWrong) {
    const std::pair<const char*, const char*> cases[] = {
        {"PQ2x2(iterations=-1)",
         "spec 'PQ2x2(iterations=-1)': option iterations: expected a whole number from 0 to 10000, got '-1'"},
        {"PQ2x2(iterations=2.5)", "expected a whole number from 0 to 10000, got '2.5'"},
        {"OPQ2x2(iterations=0)", "expected a whole number from 1 to 10000, got '0'"},
        {"PQ2x2(iterations=99999999999)", "expected a whole number from 0 to 10000, got '99999999999'"},
        {"PQ2x2(order=random)", "option order: expected natural or structured, got 'random'"},
        {"OPQ2x2(start=pq)", "option start: expected auto or identity or pca, got 'pq'"},
        {"NOCQ2x2(start=levels)", "option start: expected auto or pq or opq, got 'levels'"},
        {"LOCQ2x2(start=none)", "option start: expected auto or pq or opq, got 'none'"},
        {"NOCQ2x2(mu=much)", "option mu: expected auto, validate or a number, got 'much'"},
        {"NOCQ2x2(mu=inf)", "option mu: expected auto, validate or a number, got 'inf'"},
        {"NOCQ2x2(mu=-1)", "expected a penalty of at least 0, got -1"},
        {"LOCQ2x2(theta=x)", "option theta: expected auto or a number, got 'x'"},
        {"NOCQ2x2(epsilon=1)", "option epsilon: expected learnt or 0, got '1'"},
        {"CQ2x2(bias=half)", "option bias: expected float or byte or dropped, got 'half'"},
        {"CQ2x2(translation=x)", "option translation: expected mean or none, got 'x'"},
        {"CQ2x2(translation=learnt)", "translation=learnt would change nothing for CQ: its words are free to take"},
        {"CQ2x2(anisotropy=much)", "option anisotropy: expected a number, got 'much'"},
        {"NOCQ2x2(anchor=-1)", "train: expected an anchor of at least 0 vectors, got -1"},
        {"NOCQ2x2(anchor=much)", "option anchor: expected auto or a number, got 'much'"},
        {"CQ2x2(anisotropy=0.5)", "expected an anisotropy of at least 1, got 0.5"},
        {"CQ2x2(anisotropy=2,bias=byte)", "anisotropy is an option of CQ with bias=float or dropped"},
        {"CQ2x2(anisotropy=2,translation=mean)", "error along the vector itself; expected translation=none"},
        {"NOCQ2x2(anisotropy=2)", "unknown option 'anisotropy' of NOCQ; known: "},
        {"NOCQ2x2(translation=x)", "option translation: expected mean or none or learnt, got 'x'"},
        {"NOCQ2x2(ramp=2)", "option ramp: expected a number from 0 to 1, got '2'"},
        {"NOCQ2x2(newton=2)", "unknown option 'newton' of NOCQ; known: "},
        {"LOCQ2x2(preset=paper)", "unknown option 'preset' of LOCQ; known: "},
        {"NOCQ2x2(preset=ours)", "option preset: expected default or paper, got 'ours'"},
        {"CQ2x2(solver=newton)", "option solver: expected closed or iterative, got 'newton'"},
        {"NOCQ2x2(effort=x)", "effort: expected fast, default or best, got 'x'"},
        {"PQ2x2(start=pca)", "spec 'PQ2x2(start=pca)': unknown option 'start' of PQ; known: order, iterations"},
        {"OCQ2x2(mu=1)", "unknown option 'mu' of OCQ; known: "},
        {"QAV2x2(translation=learnt)", "train: QAV has no translation to learn; expected mean or none"},
        {"SNOCQ2x2(level=3)", "option level: expected 1 or 2, got '3'"},
        {"SNOCQ2x2(nonzeros=0)", "option nonzeros: expected a whole number from 1 to 2147483647, got '0'"},
        {"ITQ8(distance=near)", "option distance: expected asymmetric or symmetric, got 'near'"},
        {"UB2x2(mu=1)", "unknown option 'mu' of UB; known: "},
        {"NOCQ2x2(theta=0.1)", "unknown option 'theta' of NOCQ; known: "},
    };
    for (const auto& [text, message] : cases) {
        SCOPED_TRACE(text);
        expect_error([&, spec = text] { train_with(spec); }, {message});
        expect_error([&, spec = text] { check(parse_spec(spec)); }, {message});
    }
}

TEST(TrainBySpec, OnlyResumableMethodsTakeCheckpoints) {
    const Matrix<float> vectors = clustered(100, 16);
    const Checkpoint before;
    for (const MethodInfo& method : methods()) {
        const Spec spec = parse_spec(two_dictionaries(method.name, "2") + "(iterations=1)");
        int saved = 0;
        const TrainSettings saving{.checkpoint = [&](const Checkpoint&) { ++saved; }};
        if (method.resumable) {
            train(vectors.view(), spec, saving);
            EXPECT_EQ(saved, 1) << method.name;
            continue;
        }
        const std::string message =
            std::string("train: ") + std::string(method.name) +
            " makes no checkpoints; methods that do: CQ, OCQ, NOCQ, LOCQ, CQe, CQd, CQc, UB, SNOCQ";
        expect_error([&] { train(vectors.view(), spec, saving); }, {message});
        expect_error([&] { train(vectors.view(), spec, {.resume = &before}); }, {message});
        expect_error([&] { check(spec, saving); }, {message});
    }
    expect_error(
        [&] {
            train(vectors.view(), CompositeOptions{.constraint = Constraint::augmented,
                                                   .dictionaries = 2,
                                                   .words = 4,
                                                   .checkpoint = [](const Checkpoint&) {}});
        },
        {"train: QAV makes no checkpoints"});
}

TEST(TrainBySpec, MakesAModelOfTheMethodNamed) {
    for (const MethodInfo& method : methods()) {
        const Quantizer model = train_with(two_dictionaries(method.name, "3") + "(iterations=2)");
        EXPECT_EQ(model.method, method.name);
        EXPECT_EQ(model.dictionaries.count, 2u);
        EXPECT_EQ(model.dictionaries.words, method.name == "ITQ" ? 256u : 8u);
        EXPECT_EQ(model.dimensions(), 16u);
        EXPECT_EQ(model.word_offsets.size(), 2 * model.dictionaries.words);
    }
}

// Every option that `methods()` shows is one that training takes, with each of the values shown.
TEST(TrainBySpec, TakesEveryOptionThatIsShown) {
    const Matrix<float> vectors = clustered(60, 16);
    for (const MethodInfo& method : methods())
        for (const std::string_view shown : method.options) {
            const std::string option(shown);
            const std::string name = option.substr(0, option.find('='));
            std::string values = option.substr(option.find('=') + 1) + "|";
            for (std::size_t end; (end = values.find('|')) != std::string::npos; values.erase(0, end + 1)) {
                std::string value = values.substr(0, end);
                if (value == "NUMBER") value = "0.5";
                if (value == "COUNT") value = "5";
                const std::string spec = two_dictionaries(method.name, "2") + "(" + name + "=" + value +
                                         (name == "iterations" ? ")" : ",iterations=1)");
                EXPECT_NO_THROW(train(vectors.view(), parse_spec(spec))) << spec;
            }
        }
}

TEST(TrainBySpec, CosineScalesToLengthOne) {
    const Matrix<float> vectors = clustered(100, 16);
    for (const MethodInfo& method : methods()) {
        const Spec spec = parse_spec(two_dictionaries(method.name, "2") + "(iterations=1)");
        EXPECT_TRUE(train(vectors.view(), spec, {.metric = Metric::cosine}).unit_length);
        EXPECT_FALSE(train(vectors.view(), spec, {.metric = Metric::inner_product}).unit_length);
    }
}

}  // namespace
}  // namespace summand
