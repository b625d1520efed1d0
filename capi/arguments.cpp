#include "arguments.h"

namespace summand::capi {
namespace {

MatrixView<float> rows_of(const summand_vectors& vectors, const char* function, const char* argument) {
    require(vectors.values != nullptr || vectors.rows == 0, function, ": expected values of ", argument,
            ", got a null pointer");
    matrix_size(vectors.rows, vectors.dimensions, sizeof(float));  // throws where they cannot lie in memory
    return {vectors.values, vectors.rows, vectors.dimensions};
}

}  // namespace

Running::Running(const summand_execution* given, const char* function) {
    const summand_execution fields = fields_of(given, function, "summand_execution");
    require(fields.threads <= std::numeric_limits<unsigned>::max(), function, ": expected a number of threads, got ",
            fields.threads);
    execution_.threads = static_cast<unsigned>(fields.threads);
    execution_.stop = stop_.get_token();
    if (!fields.progress) return;
    execution_.progress = [this, fields](const Progress& progress) {
        const std::string stage(progress.stage);
        const summand_progress told{sizeof told,    stage.c_str(),      progress.step,
                                    progress.steps, progress.objective, progress.seconds};
        if (fields.progress(&told, fields.context) != 0) stop_.request_stop();
    };
}

const char* text_of(const char* text, const char* function, const char* argument) {
    return &required(text, function, argument);
}

std::string text_or_empty(const char* text) { return text ? text : ""; }

VectorSource source_of(const summand_vectors* given, const char* function, const char* argument) {
    const summand_vectors vectors = fields_of(&required(given, function, argument), function, "summand_vectors");
    if (!vectors.file) return rows_of(vectors, function, argument);
    require(vectors.values == nullptr, function, ": expected values or a file of ", argument, ", got both");
    return VectorSource::file(vectors.file);
}

MatrixView<float> rows_of(const summand_vectors* given, const char* function, const char* argument) {
    const summand_vectors vectors = fields_of(&required(given, function, argument), function, "summand_vectors");
    require(vectors.file == nullptr, function, ": expected values of ", argument, ", got the file ",
            text_or_empty(vectors.file));
    return rows_of(vectors, function, argument);
}

std::span<const std::int64_t> numbers_of(const summand_ids* given, const char* function) {
    const summand_ids ids = fields_of(&required(given, function, "ids"), function, "summand_ids");
    require(ids.names == nullptr, function, ": expected numbers as ids, got texts");
    require(ids.numbers != nullptr || ids.count == 0, function, ": expected ", ids.count, " ids, got a null pointer");
    return {ids.numbers, ids.count};
}

std::vector<std::string> names_of(const summand_ids* given, const char* function) {
    const summand_ids ids = fields_of(&required(given, function, "ids"), function, "summand_ids");
    require(ids.names != nullptr, function, ": expected texts as ids, got none");
    require(ids.numbers == nullptr, function, ": expected numbers or texts as ids, got both");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < ids.count; ++i)
        names.emplace_back(text_of(ids.names[i], function, "a text for each id"));
    return names;
}

}  // namespace summand::capi
