// How object retrieval is judged: queries are images of the base, named by lists of what is relevant to them.
#pragma once

#include <string_view>

#include "summand/retrieval.h"

namespace summand::cli {

enum class Protocol {
    holidays,  ///< MAP without the query itself
    ukbench,   ///< 4 × recall@4
};

inline constexpr Protocol kProtocols[] = {Protocol::holidays, Protocol::ukbench};

std::string_view name(Protocol protocol);

/// The queries of the lists: rows of the images.
Matrix<float> listed_queries(const Matrix<float>& images, const Relevance& relevance);

/// How many answers the protocol looks at among that many images.
std::size_t needed_answers(Protocol protocol, std::size_t images);

/// MAP or score. Row i of the answers belongs to relevance.queries[i].
double judged(Protocol protocol, const Neighbors& found, const Relevance& relevance);

}  // namespace summand::cli
