#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/byte_order.h"
#include "io/atomic_file.h"
#include "io/convert.h"
#include "io/formats.h"
#include "io/npy.h"
#include "summand/error.h"

namespace summand {

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;  // converted and written at once

std::vector<std::byte> bin_header(const Shape& shape) {
    std::vector<std::byte> header(8);
    store_little(&header[0], static_cast<std::uint32_t>(shape.rows));
    store_little(&header[4], static_cast<std::uint32_t>(shape.columns));
    return header;
}

/// Version 1, padded with blanks as NumPy does, to 128 bytes: two sizes of 20 digits fit, and no shape fits into 64.
/// Numbers without the global locale's marks between the thousands.
std::vector<std::byte> npy_header(const Shape& shape) {
    std::string_view type;
    for (const NpyType& known : kNpyTypes)
        if (known.type == shape.type) type = known.name;
    std::string text = concatenate("{'descr': ", type, ", 'fortran_order': False, 'shape': (",
                                   std::to_string(shape.rows), ", ", std::to_string(shape.columns), "), }");
    constexpr std::size_t kBefore = 10, kLength = 128;
    text.resize(kLength - kBefore, ' ');
    text.back() = '\n';

    std::vector<std::byte> header(kLength);
    std::memcpy(&header[0], kNpyMagic.data(), kNpyMagic.size());
    store_little(&header[6], std::uint16_t{1});
    store_little(&header[8], static_cast<std::uint16_t>(text.size()));
    std::memcpy(&header[kBefore], text.data(), text.size());
    return header;
}

std::vector<std::byte> file_header(Layout layout, const Shape& shape) {
    switch (layout) {
        case Layout::bin:
            return bin_header(shape);
        case Layout::npy:
            return npy_header(shape);
        default:
            return {};
    }
}

/// Scores are +infinity where there is no answer.
enum class Values { finite, scores };

void check_row(const std::string& path, Stored type, Values values, std::span<const float> row, std::size_t i) {
    const bool whole = type != Stored::float32;
    const Range range = range_of(type);
    for (const float value : row) {
        if (values == Values::scores && value == std::numeric_limits<float>::infinity()) continue;
        require(std::isfinite(value), path, ": cannot write row ", i, ": it holds ", value,
                ", expected finite numbers");
        const double rounded = std::nearbyint(static_cast<double>(value));
        const bool fits =
            rounded >= static_cast<double>(range.smallest) && rounded <= static_cast<double>(range.largest);
        require(!whole || fits, path, ": cannot write row ", i, ": ", value, " is outside ", range.smallest, "..",
                range.largest, " of ", name(type));
    }
}

void check_row(const std::string& path, Stored type, Values, std::span<const std::int64_t> row, std::size_t i) {
    const Range range = range_of(type);
    for (const std::int64_t id : row)
        require(id >= kNoId && id <= range.largest, path, ": cannot write row ", i, ": id ", id, " is outside -1..",
                range.largest, ", which this format holds");
}

void convert(Stored type, const float* values, std::size_t count, std::byte* out) {
    from_floats(type, values, count, out);
}

void convert(Stored type, const std::int64_t* ids, std::size_t count, std::byte* out) {
    from_ids(type, ids, count, out);
}

/// What was named as the format: the extension, or what stands before the colon.
std::string named_format(const VectorPath& path) { return path.prefix.empty() ? extension(path.file) : path.prefix; }

VectorPath vector_path(const std::string& path) {
    const VectorPath parsed = parse_vector_path(path);
    require(parsed.format && parsed.format->writable(), path, ": cannot write vectors as '", named_format(parsed),
            "', expected .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin or .npy",
            parsed.standard() ? ", named before standard output as in fvecs:-" : "");
    return parsed;
}

VectorPath id_path(const std::string& path) {
    VectorPath parsed = parse_vector_path(path);
    auto& format = parsed.format;
    if (format && format->layout == Layout::npy) format->type = Stored::int64;
    require(format && format->writable() && (format->type == Stored::int32 || format->type == Stored::int64), path,
            ": cannot write ids as '", named_format(parsed), "', expected .ivecs .ibin or .npy",
            parsed.standard() ? ", named before standard output as in ivecs:-" : "");
    return parsed;
}

std::unique_ptr<AtomicFile> open_output(const std::string& path, const VectorPath& parsed) {
    return parsed.standard() ? std::make_unique<AtomicFile>(StandardOutput{path})
                             : std::make_unique<AtomicFile>(parsed.file);
}

VectorPath score_path(const std::string& path) {
    const VectorPath parsed = parse_vector_path(path);
    require(parsed.format && parsed.format->writable() && parsed.format->type == Stored::float32, path,
            ": cannot write scores as '", named_format(parsed), "', expected .fvecs .fbin or .npy",
            parsed.standard() ? " before :-" : "");
    return parsed;
}

void check_columns(const std::string& path, Layout layout, std::size_t columns) {
    require(columns > 0, path, ": cannot write vectors of 0 dimensions, expected at least 1");
    const std::uint64_t most = layout == Layout::vecs ? INT32_MAX : UINT32_MAX;
    require(layout == Layout::npy || columns <= most, path, ": this format holds at most ", most, " dimensions, got ",
            columns);
}

}  // namespace

/// Rows of floats or ids in one format. The header, which says how many there are, is written last: its length does not
/// depend on that number.
class VectorWriter::Rows {
public:
    Rows(const std::string& path, const VectorPath& parsed, std::size_t columns, Values values = Values::finite)
        : path_(path), layout_(parsed.format->layout), shape_{0, columns, parsed.format->type}, values_(values) {
        check_columns(path, layout_, columns);
        file_ = open_output(path, parsed);
        file_->append(file_header(layout_, shape_));
    }

    template <class T>
    void write(MatrixView<T> values) {
        std::unique_ptr<AtomicFile> file = open_file();
        require(values.columns() == shape_.columns, path_, ": cannot write vectors of ", values.columns(),
                " dimensions, expected ", shape_.columns);
        const std::size_t most = std::max<std::size_t>(1, kPieceBytes / stride());
        for (std::size_t first = 0; first < values.rows(); first += most)
            append(*file, values.slice(first, std::min(most, values.rows() - first)));
        file_ = std::move(file);
    }

    /// Everything but the name of the file.
    void complete() {
        std::unique_ptr<AtomicFile> file = open_file();
        require(shape_.rows > 0, path_, ": cannot write 0 vectors, expected at least 1");
        file->overwrite(0, file_header(layout_, shape_));
        file->complete();
        completed_ = std::move(file);
    }

    void finish() {
        if (!completed_) complete();
        const std::unique_ptr<AtomicFile> file = std::move(completed_);
        file->commit();
    }

private:
    std::size_t row_header() const { return layout_ == Layout::vecs ? sizeof(std::int32_t) : 0; }
    std::size_t stride() const { return row_header() + shape_.row_bytes(); }

    /// The file for as long as the caller succeeds: an error closes and removes it.
    std::unique_ptr<AtomicFile> open_file() {
        require(file_ != nullptr, path_, ": cannot write after the end or an error");
        return std::move(file_);
    }

    template <class T>
    void append(AtomicFile& file, MatrixView<T> values) {
        require(layout_ != Layout::bin || values.rows() <= UINT32_MAX - shape_.rows, path_,
                ": this format holds at most ", UINT32_MAX, " vectors");
        piece_.resize(values.rows() * stride());
        for (std::size_t i = 0; i < values.rows(); ++i) {
            check_row(path_, shape_.type, values_, values[i], shape_.rows + i);
            std::byte* row = piece_.data() + i * stride();
            if (row_header() > 0) store_little(row, static_cast<std::int32_t>(shape_.columns));
            convert(shape_.type, values.row(i), shape_.columns, row + row_header());
        }
        file.append(piece_);
        shape_.rows += values.rows();
    }

    std::string path_;
    Layout layout_;
    Shape shape_;  // rows so far
    Values values_;
    std::unique_ptr<AtomicFile> file_, completed_;
    std::vector<std::byte> piece_;
};

VectorWriter::VectorWriter(const std::string& path, std::size_t columns)
    : rows_(std::make_unique<Rows>(path, vector_path(path), columns)) {}

VectorWriter::~VectorWriter() = default;
VectorWriter::VectorWriter(VectorWriter&&) noexcept = default;
VectorWriter& VectorWriter::operator=(VectorWriter&&) noexcept = default;

void VectorWriter::write(MatrixView<float> vectors) { rows_->write(vectors); }

void VectorWriter::finish() { rows_->finish(); }

void check_output(const std::string& path, Content content) {
    // Nothing is committed.
    if (content == Content::any) AtomicFile probe(path);
    if (content == Content::vectors) open_output(path, vector_path(path));
    if (content == Content::ids) open_output(path, id_path(path));
}

void write_vectors(const std::string& path, MatrixView<float> vectors) {
    VectorWriter writer(path, vectors.columns());
    writer.write(vectors);
    writer.finish();
}

void write_ids(const std::string& path, MatrixView<std::int64_t> ids) {
    VectorWriter::Rows rows(path, id_path(path), ids.columns());
    rows.write(ids);
    rows.finish();
}

void write_neighbors(const std::string& ids_path, const std::string& scores_path, const Neighbors& found) {
    std::vector<VectorWriter::Rows> files;
    files.reserve(2);
    if (!ids_path.empty()) files.emplace_back(ids_path, id_path(ids_path), found.ids.columns()).write(found.ids.view());
    if (!scores_path.empty())
        files.emplace_back(scores_path, score_path(scores_path), found.scores.columns(), Values::scores)
            .write(found.scores.view());
    for (VectorWriter::Rows& file : files) file.complete();
    for (VectorWriter::Rows& file : files) file.finish();
}

}  // namespace summand
