// The table of experiments, and their names.
#include "experiments.h"

#include <algorithm>

#include "summand/error.h"

namespace summand::cli {
namespace {

const std::vector<Experiment> kExperiments = {
    {"distortion", "Recall against distortion", "Figure 1",
     "A lower quantization error goes with a higher recall: NOCQ has the lowest error and the highest recall, then "
     "CKM, "
     "then PQ, at every code length.",
     "CKM, Cartesian k-means, is OPQ in summand.", Extent::whole, Standing::headline, recall_against_distortion},
    {"query-time", "Query time", "Figure 2",
     "NOCQ takes slightly more time than CKM, whose tables are cheaper to build; the scans cost the same. AQ takes "
     "much "
     "more, because its scan is quadratic in M, and AQ-e is competitive again. Sparse words (SNOCQ1, SNOCQ2) bring the "
     "tables down to the cost of those of PQ and CKM.",
     "Times are of queries asked one by one on one thread, tables and scan of all codes: the median over 200 queries, "
     "and "
     "between which times the half of them lies; what a query takes in a batch of 200 has a column of its own. Our "
     "index "
     "derives the third term of AQ from its codes once, when it is made, and holds it as a float: four more bytes of "
     "memory per vector instead of a quadratic scan. AQ by that index is fast; AQ as it is described, with a look-up "
     "for "
     "each pair of words, is the row below it (20 queries, without the ranking). SNOCQ belongs to the paper's "
     "multi-index "
     "table and stands here for the cost of its tables.",
     Extent::slice, Standing::headline, query_time},
    {"orthogonality", "Orthogonal and near-orthogonal dictionaries", "Table 2",
     "OCQ is a little better than CKM, which splits all dimensions evenly; NOCQ, which only asks for a constant cross "
     "term, is clearly better than both.",
     "", Extent::whole, Standing::headline, orthogonality},
    {"additive", "Additive and tree quantization", "Table 1",
     "AQ and OTQ, which search more slowly, are somewhat better than NOCQ; AQ-e, which is as fast, is below NOCQ.",
     "The paper quotes AQ, AQ-e and OTQ from their authors; all figures here are our own implementations. LOCQ is not "
     "in the paper.",
     Extent::slice, Standing::section, additive_methods},
    {"upper-bound", "Minimising the upper bound, and a byte for the third term", "Figure 3",
     "Minimising the upper bound directly (UB) performs like NOCQ; CQ with its third term in one byte (CQ-e) is "
     "slightly "
     "lower when codes are short.",
     "", Extent::slice, Standing::section, upper_bound},
    {"quantization-error", "Quantization error of CQ and NOCQ", "Table 3",
     "The near-orthogonality constraint costs some quantization error: that of CQ is lower at every code length.",
     "Errors are means per vector of the base; the paper's sums are divided by its million vectors.", Extent::whole,
     Standing::section, quantization_error},
    {"third-term", "What becomes of the third term", "Table 4",
     "CQ with its third term in four more bytes is best; discarding the term (CQ-d) is a dramatic loss; counting its "
     "bytes (CQ-c) leaves CQ far below NOCQ.",
     "CQ takes four bytes more than the number of bits says.", Extent::slice, Standing::headline, third_term},
    {"augmented", "Quantizing the augmented vector", "Table 5",
     "Quantizing [-2x; |x|^2] and searching by inner product (QAV) is poor: the last element has another scale than "
     "the "
     "others.",
     "", Extent::slice, Standing::section, augmented_vectors},
    {"training", "What our training adds to the algorithm as printed", "Sections 3 and 4",
     "The penalty is chosen by validation, and words and codes are found by turns, each by an iterative solver.",
     "As printed: PQ start, one penalty from the first iteration on, ten iterations of L-BFGS, one sweep of "
     "conditional "
     "modes, no translation. Ours subtracts the mean, derives the penalty from near pairs and raises it, tries two "
     "starts "
     "and searches locally for codes; CQ solves for its words in closed form. Checks say what ours should add: recall, "
     "and nothing lost by not validating.",
     Extent::slice, Standing::section, what_training_adds},
    {"convergence", "Convergence", "Figure 4", "The objective falls at every iteration and converges within a few.",
     "Our training raises the penalty during the first six tenths of the iterations, on a part of the vectors, and "
     "then "
     "takes all of them; the objective shown is always that of the final penalty. The curve may therefore rise where "
     "more vectors come in.",
     Extent::whole, Standing::section, convergence},
    {"epsilon", "The effect of epsilon", "Figure 5", "On 1M SIFT a learnt epsilon and epsilon = 0 perform similarly.",
     "", Extent::slice, Standing::section, effect_of_epsilon},
    {"translation", "The effect of a global translation", "Figure 6",
     "A learnt translation of all vectors does not influence the performance much.",
     "The plain form here subtracts the mean.", Extent::slice, Standing::section, effect_of_translation},
    {"recall", "Recall@R", "Figures 7 to 10",
     "For 1, 10 and 50 true neighbours NOCQ is best, then CKM, then PQ, and ITQ is last.",
     "ITQ compares queries by asymmetric Hamming distance. LOCQ is not in the paper.", Extent::whole,
     Standing::headline, recall_curves},
    {"map", "Mean average precision against code length", "Figure 11", "NOCQ performs best at every code length.",
     "The 100 nearest neighbours are the relevant answers; the ranked list ends after 1,000 answers here, while the "
     "paper ranks the whole base.",
     Extent::whole, Standing::section, precision_by_length},
    {"inner-product", "Inner-product search", "Figure 12", "NOCQ performs best at every code length.",
     "The same models as for Euclidean search, and CQ whose training weighs the error along a vector four times "
     "(anisotropy, not in the paper).",
     Extent::slice, Standing::section, inner_product_search},
    {"query-compression", "Query compression", "Figure 13",
     "Queries are coded as well and reconstructed before the search, by CQ for NOCQ: NOCQ is best, and its lead over "
     "CKM grows.",
     "", Extent::slice, Standing::section, query_compression},
    {"multi-index", "Inverted multi-index", "Table 7",
     "With the same candidates NOCQ finds most, then CKM, then PQ; SNOCQ1 finds more than PQ and SNOCQ2 more than CKM. "
     "Tables (T2) spare the time that putting every candidate together again takes (T1), and then sparse words cost "
     "about as much as PQ.",
     "Coarse and fine codes are of the same method, and the fine ones are of residuals; the cells of SNOCQ have dense "
     "words, those of NOCQ. Two dictionaries of 2^14 words make 0.27 cells for each of the paper's billion vectors: "
     "here the power of two from 2^4 to 2^8 that comes nearest to that, 2^8 being the most that NOCQ has. L is the "
     "paper's for a million vectors and more, and the same share of fewer (1, 3 and 10 %), but at least 100, 300 and "
     "1,000 or all of them. Times are per query on one thread, the multi-sequence algorithm included.",
     Extent::slice, Standing::section, multi_index},
    {"object-retrieval", "Object retrieval", "Tables 8 and 9",
     "NOCQ performs best at every code length, for VLAD and for Fisher vectors, on Holidays and on UKBench.",
     "Data sets with lists of relevant images (relevance_holidays.txt or relevance_ukbench.txt beside the base) are "
     "judged by them. The paper's own vectors are not published, so that its figures always belong to other data.",
     Extent::whole, Standing::section, object_retrieval},
};

}  // namespace

const std::vector<Experiment>& experiments() { return kExperiments; }

std::vector<Experiment> chosen_experiments(const std::vector<std::string>& names) {
    if (names.empty()) return kExperiments;
    std::string known;
    for (const Experiment& experiment : kExperiments) known += concatenate(known.empty() ? "" : ", ", experiment.name);
    for (const std::string& name : names)
        require(
            std::any_of(kExperiments.begin(), kExperiments.end(), [&](const auto& one) { return one.name == name; }),
            "unknown experiment '", name, "'; known: ", known);
    std::vector<Experiment> chosen;
    for (const Experiment& experiment : kExperiments)
        if (std::find(names.begin(), names.end(), experiment.name) != names.end()) chosen.push_back(experiment);
    return chosen;
}

}  // namespace summand::cli
