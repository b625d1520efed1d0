// Files. Vectors are read and written by streaming, so a file may be larger than memory; models, codes and indexes are
// stored in one container format (docs/format.md) and saved atomically: a crash leaves the old file or the new one.
// Indexes are saved and opened by `Index` itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summand/codes.h"
#include "summand/index.h"
#include "summand/matrix.h"
#include "summand/neighbors.h"
#include "summand/quantizer.h"
#include "summand/train.h"
#include "summand/vector_source.h"

namespace summand {

enum class ElementType { float32, float16, uint8, int8, int32 };

std::string_view name(ElementType type);

/// Rows of a vector file, converted to float as they are read. Formats by extension:
/// .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin .npy .npz (`file.npz:array`) .hdf5/.h5 (`file.hdf5:train`), text as
/// .csv or .tsv (also .csv.gz) and MNIST idx (also .gz). A format before a colon counts instead: `csv:numbers.txt`.
///
/// `-` is standard input, which needs the format, as in `fvecs:-`. It is read to its end once, into a temporary file
/// without a name, and all readers of `-` see the same bytes. Text and compressed arrays are held in memory; of all
/// other formats only the rows that are asked for.
class VectorReader {
public:
    /// Checks the header against the file's real size; throws `Error` with the path, the value and what was expected.
    explicit VectorReader(const std::string& path);
    ~VectorReader();
    VectorReader(VectorReader&&) noexcept;
    VectorReader& operator=(VectorReader&&) noexcept;

    const std::string& path() const;
    std::size_t rows() const;
    std::size_t columns() const;
    ElementType type() const;

    /// Rows [first, first + count) as floats. NaN or infinity is an error that names the row.
    Matrix<float> read(std::size_t first, std::size_t count) const;

    /// Rows by number, in any order; those of a file that is not compressed are read side by side.
    Matrix<float> read_rows(std::span<const std::int64_t> rows) const;

    class Source;  // private: one implementation per format

private:
    std::unique_ptr<Source> source_;
    std::string path_ = {};
};

Matrix<float> read_vectors(const std::string& path);

/// The file that a path of vectors names, without format and array; "-" for standard input or output.
std::string vector_file(const std::string& path);

/// Rows of a vector file of any format, to score candidates again with. They are read as they are needed. A relative
/// path is meant from `folder` (empty: the current one), and is kept as it is.
RefineFile refine_file(const std::string& path, const std::string& folder = {});

/// Ground truth or results: .ivecs .ibin .npy .npz or `file.hdf5:neighbors`; from standard input as `ivecs:-`.
Matrix<std::int64_t> read_ids(const std::string& path);

/// Ids, one after the other: .ivecs .ibin .npy (of one dimension or two) .npz, or text with blanks, commas or ends of
/// lines between them.
std::vector<std::int64_t> read_id_list(const std::string& path);

/// Whether that could read the file: a format of ids, or text that holds whole numbers only.
bool holds_id_list(const std::string& path);

/// Ids that are texts, one in each line of a file (also .gz). Throws `Error` for an empty line, and for a file that is
/// no text.
std::vector<std::string> read_names(const std::string& path);

/// Scores of results: .fvecs .fbin .npy or `file.hdf5:distances`. +infinity where a query found fewer.
Matrix<float> read_scores(const std::string& path);

/// A vector file that is written as its rows come. Formats by extension: .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin
/// .npy (float32). A format before a colon counts instead, and `-` after it is standard output: `npy:-`.
/// The file appears when `finish` returns; without it, or after an error, nothing is left behind.
class VectorWriter {
public:
    VectorWriter(const std::string& path, std::size_t columns);
    ~VectorWriter();
    VectorWriter(VectorWriter&&) noexcept;
    VectorWriter& operator=(VectorWriter&&) noexcept;

    /// Appends rows, rounded where the format holds whole numbers. A value that it cannot hold is an error that names
    /// the row. After an error nothing more can be written.
    void write(MatrixView<float> vectors);

    /// Throws where no row was written.
    void finish();

    class Rows;  // private: shared with write_ids

private:
    std::unique_ptr<Rows> rows_;
};

/// Whole files, by the same writer.
void write_vectors(const std::string& path, MatrixView<float> vectors);
void write_ids(const std::string& path, MatrixView<std::int64_t> ids);

/// Ids and scores of a search; either path may be empty. Where a query found fewer, ids are -1 and scores +infinity,
/// which only these files may hold. Both files appear, or none where one of them cannot be written.
void write_neighbors(const std::string& ids_path, const std::string& scores_path, const Neighbors& found);

/// Throws, and leaves nothing, where such a file could not be written: an extension that stands for another format, a
/// missing folder, no permission, something that is not a regular file. Asked before long work.
enum class Content { any, vectors, ids };
void check_output(const std::string& path, Content content = Content::any);

/// Writes a whole file: temporary beside it, fsync, rename, directory fsync. On failure nothing is left behind.
void write_file(const std::string& path, std::span<const std::byte> bytes);

using Bytes = std::vector<std::byte>;

Bytes save(const Quantizer& quantizer);
Bytes save(const InvertedModel& model);
Bytes save(const Codes& codes, const Quantizer& quantizer);
Bytes save(const Checkpoint& checkpoint);

Quantizer load_quantizer(std::span<const std::byte> bytes, std::string_view name = "memory");
InvertedModel load_inverted_model(std::span<const std::byte> bytes, std::string_view name = "memory");
Codes load_codes(std::span<const std::byte> bytes, std::string_view name = "memory");
Checkpoint load_checkpoint(std::span<const std::byte> bytes, std::string_view name = "memory");

void save(const std::string& path, const Quantizer& quantizer);
void save(const std::string& path, const InvertedModel& model);
void save(const std::string& path, const Codes& codes, const Quantizer& quantizer);
void save(const std::string& path, const Checkpoint& checkpoint);

Quantizer load_quantizer(const std::string& path);
InvertedModel load_inverted_model(const std::string& path);
Codes load_codes(const std::string& path);
Checkpoint load_checkpoint(const std::string& path);

/// What a container holds, for `summand info`: kind ("model", "codes", "index", "inverted index",
/// "checkpoint") and its sections.
struct ContainerInfo {
    std::string kind = {};
    std::uint32_t version = 0;
    struct Section {
        std::string name;
        std::string type;
        std::vector<std::uint64_t> shape;
        std::uint64_t bytes = 0;
    };
    std::vector<Section> sections = {};
};

ContainerInfo container_info(const std::string& path);

}  // namespace summand
