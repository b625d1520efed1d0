// Every number that decides a model of the composite family, and its reason. `default_recipe` gives those of a method;
// options of a spec change single ones: LOCQ8(ramp=0.4,sweeps=2). What is a constant elsewhere in src/train/ bounds
// memory or time, or stops at rounding error.
#pragma once

#include <cstddef>
#include <vector>

namespace summand {

/// What ties the words of different dictionaries together; it names the method.
enum class Constraint {
    none,             ///< CQ: smallest error; what search needs beyond the look-ups is stored with the code
    orthogonal,       ///< OCQ: dictionaries orthogonal to each other
    near_orthogonal,  ///< NOCQ: the sum of inner products of the chosen words is a constant ε
    learnt_offsets,   ///< LOCQ: word offsets learnt together with the words
    augmented,        ///< QAV: the vector [-2x; |x|²] is quantized, which turns distances into inner products
    upper_bound,      ///< UB: the sum of the inner products is part of what is minimised, by its magnitude
};

/// Which vectors serve what.
struct SplitRecipe {
    std::size_t held_out_one_in = 20;     ///< one vector in so many is kept out, to judge and to report by
    std::size_t held_out_from = 2;        ///< vectors a word: with fewer, all are needed to learn from
    std::size_t most_held_out = 2048;     ///< more queries would not tell finer differences than seeds make
    std::size_t sample_per_word = 128;    ///< starts are learnt and tried on so many vectors a word: trials stay short
    std::size_t smallest_sample = 16384;  ///< but on no fewer, where there are so many
    double judged_share = 0.25;  ///< of few vectors: stays outside the sample, since words flatter what taught them
};

/// Where training starts: a block method. `automatic` tries PQ and OPQ and takes the one that the judge likes better.
enum class WarmStart { automatic, pq, opq };

/// Where training starts and how starts are compared.
struct StartRecipe {
    WarmStart usual = WarmStart::automatic;  ///< what start=auto means
    int trial_iterations = 3;                ///< of each start; as many parts of the iterations where those are few
    std::size_t vectors_per_word = 64;       ///< k-means of a start gains nothing from more
    int pq_iterations = 12;                  ///< of k-means; the alternation goes on from there
    int opq_iterations = 10;                 ///< of rotation and k-means, likewise
    int rotation_iterations = 6;             ///< of k-means before the first rotation
    std::size_t dimensions = 256;  ///< OPQ starts and trials of longer vectors see that many principal directions: a
                                   ///< rotation costs the cube of the dimensions
};

/// Few vectors: how strongly words and offsets are pulled to the block method they start from
/// (docs/decisions/0016-few-vectors.md).
struct AnchorRecipe {
    double few = 8;     ///< vectors for each of the M·K words: where there are fewer, words are pulled; 0: nowhere
    double weight = 8;  ///< vectors that the start of a word counts as; real data are learnt best with 3 to 10
};

/// How a state is judged: how late held-out vectors find their nearest neighbour by the scores of its codes.
struct JudgeRecipe {
    std::size_t most_queries = 2048;
    std::size_t most_vectors = std::size_t{1} << 17;  ///< searched among
    int sweeps = 2;                                   ///< of conditional modes that give the codes
};

/// Near neighbours in the training set, which say how queries lie around a vector.
struct NearPairRecipe {
    std::size_t queries = 2048;
    std::size_t candidates = 100000;
    std::size_t neighbors = 50;  ///< of each query
};

/// μ and how it rises.
struct PenaltyRecipe {
    double factor = 0;          ///< of the natural penalty 1/(4 s²), for words; 0: the method has no μ to derive
    double coding_factor = 0;   ///< the same for the codes of vectors that come later
    double byte_factor = 0.02;  ///< the same for CQ's byte: its codes serve the error first
    double ramp = 0.6;          ///< share of the iterations in which μ rises, so that words settle before offsets do
    double decades = 2;         ///< powers of ten by which μ starts lower
    std::vector<double> validated = {0.25, 0.5, 1, 2, 4};  ///< of the automatic μ: what mu=validate tries
    NearPairRecipe pairs = {};
};

/// The search for a and θ, the rule of free offsets. A rule wants Σ word_offset ≈ |ȳ|² + tilt·|r|² on average.
struct RuleRecipe {
    double when = 0.6;                 ///< share of the iterations after which residuals are nearly what they will be
    std::size_t fewest_queries = 512;  ///< fewer cannot tell rules apart
    std::vector<double> expectations = {0.8, 0.9, 1};
    std::vector<double> tilts = {0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0, -0.1, -0.2};
    double tie = 0.005;  ///< share of a cost: the smallest expectation within it is taken
    std::size_t growth =
        4;  ///< a base has so many times the judge's vectors, and the best tilt falls with them; 1: as many
    double usual_expectation = 0.9, usual_theta = 0;  ///< where nothing can be searched: good on average over data sets
};

/// Words by L-BFGS.
struct LbfgsRecipe {
    int iterations = 24;  ///< per outer iteration
    int line_searches = 8;
    int corrections = 8;      ///< pairs of steps and gradients that approximate the Hessian
    int few_corrections = 3;  ///< where variables are many: going through the pairs then costs more than the objective
    std::size_t many_variables = 1'000'000;
};

/// Words and free offsets by one Gauss-Newton step.
struct NewtonRecipe {
    int iterations = 4;             ///< of preconditioned conjugate gradients
    double ridge = 1;               ///< vectors' worth of weight on a word as it is: keeps words that no vector uses
    int halvings = 4;               ///< of the step until the objective falls
    std::size_t most_words = 8192;  ///< the factor of Y·Yᵀ has that many rows at most; else L-BFGS
};

/// Free offsets by least squares.
struct OffsetRecipe {
    double ridge = 1;  ///< vectors' worth of weight on an offset as it is
    int iterations = 40;
};

/// How CQ, which has no penalty, finds its words.
enum class Solver {
    closed,     ///< least squares: the paper's closed form, with a ridge
    iterative,  ///< L-BFGS, which the paper prefers
};

/// OCQ: penalties of the natural one, and iterations of its exactly orthogonal problem for each penalised one.
struct OrthogonalRecipe {
    double first_penalty = 0.1, last_penalty = 30;
    int start_steps = 4, first_polish = 1, last_polish = 4;
};

struct Recipe {
    int iterations = 10;             ///< of offsets, words and codes by turns
    int sweeps = 3;                  ///< of conditional modes over the dictionaries, per iteration
    int perturbations = 2;           ///< rounds of local search per iteration, once μ has risen
    Solver solver = Solver::closed;  ///< CQ
    double ridge = 1;                ///< of the closed form for words, vectors' worth of weight on a word as it is
    int level_clustering = 10;       ///< iterations of k-means for the levels of CQ's byte, in one dimension
    SplitRecipe split = {};
    StartRecipe start = {};
    AnchorRecipe anchor = {};
    JudgeRecipe judge = {};
    PenaltyRecipe penalty = {};
    RuleRecipe rule = {};
    LbfgsRecipe lbfgs = {};
    NewtonRecipe newton = {};
    OffsetRecipe offsets = {};
    OrthogonalRecipe orthogonal = {};
};

/// The recipe of a method with M dictionaries.
Recipe default_recipe(Constraint constraint, std::size_t dictionaries);

/// The algorithm as the paper prints it, for NOCQ and CQ: one sweep, 10 iterations of L-BFGS with 5 line searches, one
/// μ from the first iteration on, no local search, no anchor.
Recipe paper_recipe(Constraint constraint, std::size_t dictionaries);

}  // namespace summand
