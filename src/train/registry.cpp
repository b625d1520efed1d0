#include "train/registry.h"

#include <algorithm>
#include <deque>
#include <string>

#include "model/valid.h"
#include "summand/error.h"
#include "train/code_shapes.h"
#include "train/method_costs.h"
#include "train/recipe.h"
#include "train/spec_trainers.h"

namespace summand {
namespace {

constexpr std::string_view kStart = "start=auto|pq|opq", kPreset = "preset=default|paper",
                           kSolver = "solver=closed|iterative", kTranslation = "translation=mean|none|learnt",
                           kEffort = "effort=fast|default|best", kAnchor = "anchor=auto|NUMBER",
                           kPenalty = "mu=auto|validate|NUMBER", kCentring = "translation=mean|none";

const MethodRow kRows[] = {
    {{"PQ", "product quantization: k-means in blocks of dimensions", {"iterations=25", "order=natural|structured"}},
     pq_trainer,
     pq_cost,
     block_codes},
    {{"OPQ", "Cartesian k-means: PQ after a learnt rotation", {"iterations=40", "start=auto|identity|pca"}},
     opq_trainer,
     opq_cost,
     rotated_block_codes},
    {{"CQ",
      "composite quantization: smallest error, its third term stored with each code",
      {kStart, kPreset, kAnchor, "bias=float|byte|dropped", "anisotropy=1", kSolver, kCentring, kEffort},
      true},
     cq_trainer,
     cq_cost,
     cq_codes,
     {},
     Constraint::none},
    {{"OCQ", "orthogonal composite quantization: dictionaries orthogonal to each other", {kStart}, true},
     ocq_trainer,
     ocq_cost,
     rotated_block_codes,
     {},
     Constraint::orthogonal},
    {{"NOCQ",
      "near-orthogonal composite quantization, the method of the paper",
      {kStart, kPreset, kAnchor, kPenalty, "epsilon=learnt|0", kTranslation, kEffort},
      true},
     nocq_trainer,
     nocq_cost,
     dense_codes,
     {},
     Constraint::near_orthogonal},
    {{"LOCQ",
      "composite quantization with learnt word offsets: the most accurate at equal bytes",
      {kStart, kAnchor, kPenalty, "theta=auto|NUMBER", "expectation=auto|NUMBER", kTranslation, kEffort},
      true},
     locq_trainer,
     locq_cost,
     dense_codes,
     {},
     Constraint::learnt_offsets},
    {{"CQe", "CQ with its third term in one byte of the code", {kStart, kAnchor, kSolver, kCentring, kEffort}, true},
     cqe_trainer,
     cq_cost,
     levelled_codes,
     {},
     Constraint::none},
    {{"CQd", "CQ with its third term dropped", {kStart, kAnchor, kSolver, kCentring, kEffort}, true},
     cqd_trainer,
     cq_cost,
     dense_codes,
     {},
     Constraint::none},
    {{"CQc", "CQ with its third term in four bytes of the code", {kStart, kAnchor, kSolver, kCentring, kEffort}, true},
     cqc_trainer,
     cq_cost,
     cqc_codes,
     {"dictionaries", kMaxDictionaries, counted_number},
     Constraint::none},
    {{"QAV", "the augmented vector [-2x; |x|^2], searched by inner product", {kStart, kAnchor, kCentring, kEffort}},
     qav_trainer,
     qav_cost,
     dense_codes,
     {},
     Constraint::augmented},
    {{"UB",
      "the upper bound of the paper, error plus |cross term|, minimised directly",
      {kStart, kAnchor, kTranslation, kEffort},
      true},
     ub_trainer,
     ub_cost,
     dense_codes,
     {},
     Constraint::upper_bound},
    {{"SNOCQ",
      "NOCQ with sparse words: tables cost what those of PQ (level 1) or OPQ (level 2) cost",
      {kStart, kAnchor, "level=1|2", "nonzeros=COUNT", kPenalty, "epsilon=learnt|0", kTranslation, kEffort},
      true},
     snocq_trainer,
     nocq_cost,
     dense_codes,
     {},
     Constraint::near_orthogonal},
    {{"RQ", "residual quantization: k-means of what is left, found by beam search", {"iterations=15", kEffort}},
     rq_trainer,
     rq_cost,
     residual_codes},
    {{"AQ", "additive quantization: beam search and least squares", {"iterations=8", kEffort}},
     aq_trainer,
     aq_cost,
     beam_codes},
    {{"AQe", "additive quantization with the norm in one byte of the code", {"iterations=8", kEffort}},
     aqe_trainer,
     aq_cost,
     levelled_beam_codes},
    {{"OTQ", "optimised tree quantization: two dictionaries per dimension, exact encoding", {"iterations=20"}},
     otq_trainer,
     otq_cost,
     tree_codes},
    {{"ITQ",
      "iterative quantization: signs of rotated principal directions; the number is bits",
      {"iterations=50", "distance=asymmetric|symmetric"}},
     itq_trainer,
     itq_cost,
     sign_codes,
     {"bits", 8 * kMaxDictionaries, bit_number}},
};

Trainer trainer_of(const Spec& spec, const TrainSettings& settings) {
    if (settings.resume || settings.checkpoint) require_resumable(spec.method);
    return method_row(spec.method).trainer(spec, settings);
}

}  // namespace

std::span<const MethodRow> method_rows() { return kRows; }

std::string_view method_name(const CompositeOptions& options) {
    switch (options.constraint) {
        case Constraint::none:
            return "CQ";
        case Constraint::orthogonal:
            return "OCQ";
        case Constraint::near_orthogonal:
            return options.nonzeros > 0 ? "SNOCQ" : "NOCQ";
        case Constraint::learnt_offsets:
            return "LOCQ";
        case Constraint::augmented:
            return "QAV";
        case Constraint::upper_bound:
            return "UB";
    }
    return "";
}

std::size_t dictionary_number(const Quantizer& model) { return model.dictionaries.count; }

std::size_t spec_number(const Quantizer& model) {
    const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const MethodRow& known) { return known.info.name == model.method; });
    return row == std::end(kRows) ? dictionary_number(model) : row->number.of(model);
}

bool offers(const MethodRow& row, std::string_view option) {
    return std::any_of(row.info.options.begin(), row.info.options.end(),
                       [&](std::string_view known) { return known.substr(0, known.find('=')) == option; });
}

const MethodRow& method_row(std::string_view name) {
    std::string known;
    for (const MethodRow& row : kRows) {
        if (row.info.name == name) return row;
        known += concatenate(known.empty() ? "" : ", ", row.info.name);
    }
    throw Error(concatenate("unknown method '", name, "'; known: ", known));
}

std::vector<MethodInfo> methods() {
    constexpr std::size_t kUsual = 8;  // dictionaries whose defaults are shown
    static std::deque<std::string> texts;
    static const std::vector<MethodInfo> list = [] {
        std::vector<MethodInfo> all;
        for (const MethodRow& row : kRows) {
            all.push_back(row.info);
            for (const RecipeOption& option : recipe_options())
                if (row.constraint && option.serves(*row.constraint))
                    all.back().options.push_back(texts.emplace_back(shown(option, *row.constraint, kUsual)));
        }
        return all;
    }();
    return list;
}

void require_resumable(std::string_view name) {
    std::string known;
    for (const MethodRow& row : kRows)
        if (row.info.resumable) known += concatenate(known.empty() ? "" : ", ", row.info.name);
    require(method_row(name).info.resumable, "train: ", name, " makes no checkpoints; methods that do: ", known);
}

void check(const Spec& spec, const TrainSettings& settings) { trainer_of(spec, settings); }

Quantizer train(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    Quantizer model = trainer_of(spec, settings)(vectors);
    model.method = spec.method;
    require_valid(model, "train");
    return model;
}

}  // namespace summand
