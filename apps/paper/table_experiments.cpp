// Experiments that compare the recall of methods: tables 1, 2, 4 and 5, figures 3, 5 and 6.
#include <fmt/format.h>

#include "compared.h"

namespace summand::cli {
namespace {

ExperimentInput of_bits(const ExperimentInput& input, const std::vector<std::size_t>& bits) {
    return {input.sets, bits, input.iterations, input.cell};
}

// For claims about some of the code lengths.
std::vector<std::size_t> bits_of(const ExperimentInput& input, std::size_t first, std::size_t last) {
    std::vector<std::size_t> bits;
    for (const std::size_t one : input.bits)
        if (one >= first && one <= last) bits.push_back(one);
    return bits;
}

// (T, R) pairs of the paper's bars.
FigureTable pairs_table(const std::vector<Method>& methods, const PaperSet& set, const ExperimentInput& input) {
    constexpr std::pair<std::size_t, std::size_t> kPairs[] = {{1, 1},    {1, 10},  {1, 100}, {10, 10},
                                                              {10, 100}, {50, 50}, {50, 100}};
    FigureTable table{.titles = {"Bits", "Method"}};
    for (const auto& [truths, answers] : kPairs) table.titles.push_back(fmt::format("T {}, R {}", truths, answers));
    for (const std::size_t bits : input.bits)
        for (const Method& method : methods) {
            TableRow figures;
            for (const auto& [truths, answers] : kPairs)
                figures.push_back(share_cell(cell_of(method, set, bits, input).report.recall_at(answers, truths)));
            table.rows.push_back(table_row(method, bits, figures));
        }
    return table;
}

Findings variants(const std::vector<Method>& methods, const ExperimentInput& input) {
    Findings findings;
    for (const PaperSet& set : input.sets)
        findings.blocks.push_back({heading(set), {}, {pairs_table(methods, set, input)}});
    for (std::size_t i = 1; i < methods.size(); ++i)
        check_similar({methods[0], methods[i]}, kSimilar, input, findings.checks);
    return findings;
}

}  // namespace

Findings orthogonality(const ExperimentInput& input) {
    Findings findings{recall_blocks({kCkm, kOcq, kPrinted, kNocq}, input)};
    check_above({kOcq, kCkm, 0.005}, input, findings.checks);
    for (const Method& nocq : {kPrinted, kNocq}) check_above({nocq, kOcq}, input, findings.checks);
    return findings;
}

Findings additive_methods(const ExperimentInput& input) {
    Findings findings{recall_blocks({kAq, kOtq, kAqe, kNocq, kLocq}, input)};
    const auto quoted = bits_of(input, 0, 64), middle = bits_of(input, 64, 64);
    check_above({kAq, kNocq}, of_bits(input, quoted), findings.checks);
    check_above({kOtq, kNocq}, of_bits(input, quoted), findings.checks);
    check_above({kNocq, kAqe}, of_bits(input, middle), findings.checks);
    return findings;
}

Findings upper_bound(const ExperimentInput& input) {
    Findings findings{recall_blocks({kUb, kCqe, kNocq}, input)};
    check_similar({kUb, kNocq}, 2 * kSimilar, input, findings.checks);
    check_above({kNocq, kCqe}, of_bits(input, bits_of(input, 0, 32)), findings.checks);
    return findings;
}

Findings third_term(const ExperimentInput& input) {
    Findings findings{recall_blocks({kCq, kCqd, kCqc, kNocq}, input)};
    check_above({kCq, kNocq}, input, findings.checks);
    check_above({kNocq, kCqd}, input, findings.checks);
    check_above({kNocq, kCqc}, input, findings.checks);
    return findings;
}

Findings augmented_vectors(const ExperimentInput& input) {
    Findings findings{recall_blocks({kQav, kNocq}, input)};
    check_above({kNocq, kQav}, input, findings.checks);
    return findings;
}

Findings effect_of_epsilon(const ExperimentInput& input) { return variants({kNocq, kZeroEpsilon}, input); }

Findings effect_of_translation(const ExperimentInput& input) {
    return variants({kNocq, kLearntTranslation, kNoTranslation}, input);
}

}  // namespace summand::cli
