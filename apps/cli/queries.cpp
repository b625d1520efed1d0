#include "queries.h"

namespace summand::cli {

void add_queries(CLI::App& verb, QueryOptions& options) {
    verb.add_option("QUERIES", options.path,
                    "Vectors to search for, or with --query-model their codes made by 'summand encode --queries'")
        ->required();
    verb.add_option("--query-model", options.model, "Model that made the codes of QUERIES");
}

Matrix<float> read_queries(const QueryOptions& options, const AskedIndex& asked, const Execution& execution) {
    if (options.model.empty()) {
        require(!options.path.ends_with(".smd"), options.path,
                ": expected vectors; for codes of queries name their model with --query-model");
        const VectorReader reader(options.path);
        require_dimensions(reader, asked.dimensions, asked.path);
        return read_all(reader, execution);
    }
    const Quantizer model = load_quantizer(options.model);
    require(model.dimensions() == asked.dimensions, options.model, ": expected a model of ", asked.dimensions,
            " dimensions as in ", asked.path, ", got ", model.dimensions());
    require(!model.unit_length || asked.metric == Metric::cosine, options.model,
            ": was trained for cosine, but the metric of ", asked.path, " is ", name(asked.metric));
    const Codes codes = load_codes(options.path);
    require(codes.model == identity(model), options.path, ": codes were made by another model than ", options.model);
    return about(options.path, [&] { return decode(model, codes, execution); });
}

}  // namespace summand::cli
