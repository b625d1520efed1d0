#include "build/source.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr std::size_t kEncoderBlock = 8192;
constexpr std::size_t kChunkBytes = 64u << 20;

}  // namespace

std::size_t chunk_rows(const VectorSource& source) {
    const std::size_t rows = kChunkBytes / (sizeof(float) * std::max<std::size_t>(source.columns, 1));
    return std::max(kEncoderBlock, rows / kEncoderBlock * kEncoderBlock);
}

Execution silent(const Execution& execution) { return {.threads = execution.threads, .stop = execution.stop}; }

void for_each_chunk(const VectorSource& source, const Execution& execution, const TakeChunk& take, std::size_t start) {
    const Stopwatch watch;
    const std::size_t size = chunk_rows(source);
    const auto report = [&](std::size_t done) {
        if (execution.progress)
            execution.progress(
                {.stage = "encode", .step = done, .steps = source.rows, .seconds = watch.seconds(), .resumed = start});
    };
    for (std::size_t first = start; first < source.rows; first += size) {
        check_stop(execution);
        const std::size_t rows = std::min(size, source.rows - first);
        const Matrix<float> part = source.read(first, rows);
        Execution inner = silent(execution);
        inner.progress = [&](const Progress& within) {
            if (within.step < within.steps) report(first + rows * within.step / within.steps);
        };
        about(source.name, [&] { take(part, first, inner); });
        report(first + rows);
    }
}

void require_directions(MatrixView<float> vectors, const VectorSource& source,
                        const std::function<std::size_t(std::size_t)>& row_of) {
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        if (std::all_of(vectors[i].begin(), vectors[i].end(), [](float value) { return value == 0; }))
            throw Error(concatenate(source.name, ": row ", row_of(i),
                                    " is all zeros, which has no direction; cosine needs non-zero vectors"));
}

void require_dimensions(const VectorSource& source, std::size_t dimensions, const std::string& other) {
    require(source.columns == dimensions, source.name, ": expected vectors of ", dimensions, " dimensions as in ",
            other, ", got ", source.columns);
}

}  // namespace summand
