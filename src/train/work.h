// A training as its cost sees it: the spec, the sizes that formulas are made of, and the steps and arrays that several
// methods share. What one method takes is in method_costs.cpp.
#pragma once

#include <string>

#include "summand/recipe.h"
#include "summand/train.h"
#include "train/cost.h"

namespace summand {

struct Work {
    const Spec& spec;
    double N, D, M, K;  ///< vectors, dimensions, dictionaries, words of each

    double words() const { return M * K; }
    double pairs_of_words() const { return words() * words(); }
    Work of(double vectors) const;         ///< the first ones alone
    Work within(double dimensions) const;  ///< in a subspace, where there are more dimensions
    std::string option(const std::string& name, const std::string& otherwise) const;
    double iterations() const;  ///< as written, or as the list of methods shows it
    double iterations(double usual) const;
};

// --- operations ---------------------------------------------------------------------------------------------------

/// Values read, centred and copied into new memory.
double moved_operations(const Work& w);

/// Every vector with the words of one block, or with all dense words.
double block_products(const Work& w);
double dense_products(const Work& w);

/// One sweep of the composite encoder, and one step of the beam search over partial codes.
double sweep(const Work& w);
double beam_search(const Work& w, double width, bool any_order);
double tree_search(const Work& w);

/// Value and gradient of the composite objective.
double gradient(const Work& w);

/// Normal equations of all words in double.
double normal_equations(const Work& w);

/// One step of Cartesian k-means: a rotation, codes, a singular value decomposition. So many of them, with the trials
/// of both starts.
double rotated_step(const Work& w);
double rotated_training(double iterations, const Work& w);

// --- bytes --------------------------------------------------------------------------------------------------------

double copies_bytes(const Work& w, double copies);
double word_bytes(const Work& w);
double rotation_bytes(const Work& w);

/// Tables of the composite encoder, and what each thread of that or of a beam search multiplies with at a time.
double modes_bytes(const Work& w);
double thread_bytes(const Work& w);

/// Sums over the vectors of each word, in parts.
double sums_bytes(const Work& w);

/// Words by L-BFGS, by a Gauss-Newton step, by normal equations.
double descent_bytes(const Work& w, const LbfgsRecipe& recipe);
double newton_bytes(const Work& w);
double normal_bytes(const Work& w);

}  // namespace summand
