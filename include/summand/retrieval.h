// Object retrieval: the answers for an image are judged by the list of the images that show the same object, not by
// distances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "summand/matrix.h"
#include "summand/neighbors.h"

namespace summand {

/// Which images are relevant to which queries; all are named by their number in the base.
struct Relevance {
    std::vector<std::int64_t> queries = {};
    Matrix<std::int64_t> relevant = {};  ///< a row per query, the query itself left out, filled up with -1

    friend bool operator==(const Relevance&, const Relevance&) = default;
};

/// A text file with a line per query: its number, then those of the images relevant to it; what follows a # is a
/// comment. Throws `Error` with the line and the value, also for numbers from `images` on.
Relevance read_relevance(const std::string& path, std::size_t images);

/// Mean average precision as the Holidays data set is evaluated: the query is left out of its answers, and average
/// precision is the area under the curve of precision over recall, by trapezoids. Relevant images that were not
/// returned count as never found. Row i of the answers belongs to relevance.queries[i].
double holidays_map(const Neighbors& found, const Relevance& relevance);

/// The score of the UKBench data set, 4 × recall@4: how many of the four images of an object, the query among them, are
/// the first four answers.
double ukbench_score(const Neighbors& found, const Relevance& relevance);

}  // namespace summand
