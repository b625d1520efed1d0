#include "summand/index_model.h"

#include "io/container.h"
#include "summand/io.h"

namespace summand {

const Quantizer& IndexModel::quantizer() const {
    const auto* inverted = std::get_if<InvertedModel>(&first);
    return inverted ? inverted->quantizer : std::get<Quantizer>(first);
}

const Partition* IndexModel::cells() const {
    const auto* inverted = std::get_if<InvertedModel>(&first);
    return inverted ? &inverted->partition : nullptr;
}

std::optional<Metric> IndexModel::metric() const {
    if (const auto* inverted = std::get_if<InvertedModel>(&first)) return inverted->metric;
    if (quantizer().unit_length) return Metric::cosine;
    return std::nullopt;
}

IndexModel model_of(const Index& index) {
    IndexModel model;
    if (const InvertedIndex* inverted = index.inverted())
        model.first = inverted->model();
    else
        model.first = index.flat()->quantizer();
    if (!index.refinement()) return model;
    model.second.emplace();
    if (const auto* codes = std::get_if<RefineCodes>(&*index.refinement())) model.second->quantizer = codes->quantizer;
    if (const auto* rows = std::get_if<RefineRows>(&*index.refinement())) model.second->rows = rows->format;
    return model;
}

IndexModel load_index_model(const std::string& path) {
    const std::string kind = container_info(path).kind;
    if (kind == name(Kind::model)) return {load_quantizer(path)};
    if (kind == name(Kind::inverted_model)) return {load_inverted_model(path)};
    return model_of(Index::open(path));
}

void save(const std::string& path, const IndexModel& model) {
    std::visit([&](const auto& first) { save(path, first); }, model.first);
}

}  // namespace summand
