#include "summand/metric.h"

#include "summand/error.h"

namespace summand {

std::string_view name(Metric metric) {
    switch (metric) {
        case Metric::euclidean:
            return "euclidean";
        case Metric::inner_product:
            return "ip";
        case Metric::cosine:
            return "cosine";
    }
    return "unknown";
}

Metric parse_metric(std::string_view text) {
    for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine})
        if (text == name(metric)) return metric;
    throw Error(concatenate("metric: expected euclidean, ip or cosine, got '", text, "'"));
}

}  // namespace summand
