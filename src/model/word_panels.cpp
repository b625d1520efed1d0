#include "model/word_panels.h"

#include "kernels/kernels.h"

namespace summand {

void WordPanels::products(MatrixView<float> queries, std::size_t stride, float* out) const {
    for (const Panel& panel : panels_)
        kernels().scan.products({.queries = queries.data() + panel.begin,
                                 .query_count = queries.rows(),
                                 .query_stride = queries.columns(),
                                 .columns = columns_.data() + panel.first,
                                 .dimensions = panel.end - panel.begin,
                                 .words = panel.slots,
                                 .stride = panel.slots,
                                 .out = out + panel.entry,
                                 .out_stride = stride});
}

}  // namespace summand
