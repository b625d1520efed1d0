// An inverted index is trained in two steps: cells, then the codes of what is left in them.
#include "summand/inverted_index.h"

#include "model/transform.h"
#include "model/valid.h"
#include "summand/error.h"
#include "train/cells.h"

namespace summand {
namespace {

// An index for cosine encodes vectors that were scaled to length one before.
TrainSettings code_settings(TrainSettings settings, Coding coding) {
    if (settings.metric == Metric::cosine) settings.metric = Metric::euclidean;
    settings.residuals = coding == Coding::residual;
    return settings;
}

}  // namespace

void check(const IndexSpec& spec, const TrainSettings& settings) {
    check(spec.code, spec.cells ? code_settings(settings, cell_options(*spec.cells).coding) : settings);
    if (spec.refine && spec.refine->code) {
        const TrainSettings second = code_settings(settings, Coding::residual);
        check(*spec.refine->code, {.metric = second.metric, .residuals = second.residuals});
    }
}

InvertedModel train(MatrixView<float> vectors, const IndexSpec& spec, const TrainSettings& settings) {
    require(spec.cells.has_value(), "train: expected the spec of an inverted index, IVF1024,", to_string(spec.code),
            " for example, got ", to_string(spec));
    check(spec, settings);
    const CellOptions options = cell_options(*spec.cells);
    require_finite(vectors, "train");
    Matrix<float> moved(vectors.rows(), vectors.columns(),
                        std::vector<float>(vectors.data(), vectors.row(vectors.rows())));
    if (settings.metric == Metric::cosine) scale_to_unit_length(moved, "train");
    require_scorable(moved.view(), "train");
    InvertedModel model{.coding = options.coding, .metric = settings.metric};
    model.partition = train_cells(moved.view(), options, settings);
    require_valid(model.partition, "train");
    if (options.coding == Coding::residual)
        moved = residuals(model.partition, assign(model.partition, moved.view(), settings.execution), moved.view());
    model.quantizer = train(moved.view(), spec.code, code_settings(settings, options.coding));
    require(!model.quantizer.binary_queries, "train: an inverted index has no use for distance=symmetric");
    return model;
}

}  // namespace summand
