// What every vector format provides: a shape and rows of stored elements, without headers between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"
#include "summand/io.h"

namespace summand {

/// Element types as they lie in files; more than `ElementType`, since ids may be int64 and NumPy's default is float64.
enum class Stored { float32, float16, float64, uint8, uint16, uint32, uint64, int8, int16, int32, int64 };

std::size_t size_of(Stored type);
std::string_view name(Stored type);

struct Shape {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    Stored type = Stored::float32;
    bool list = false;  ///< of one dimension: an id in each row

    std::size_t row_bytes() const { return columns * size_of(type); }
};

class VectorReader::Source {
public:
    explicit Source(const Shape& shape) : shape_(shape) {}
    virtual ~Source() = default;

    const Shape& shape() const { return shape_; }

    /// Rows [first, first + count), `row_bytes()` each.
    virtual void read(std::size_t first, std::size_t count, std::byte* out) const = 0;

    /// Rows by number, in any order.
    virtual void read_rows(std::span<const std::int64_t> rows, std::byte* out) const {
        for (std::size_t i = 0; i < rows.size(); ++i)
            read(static_cast<std::size_t>(rows[i]), 1, out + i * shape_.row_bytes());
    }

protected:
    /// Where rows begin that lie `stride` bytes apart.
    static std::vector<std::uint64_t> offsets(std::span<const std::int64_t> rows, std::uint64_t first,
                                              std::uint64_t stride) {
        std::vector<std::uint64_t> result(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) result[i] = first + static_cast<std::uint64_t>(rows[i]) * stride;
        return result;
    }

private:
    Shape shape_;
};

using SourcePointer = std::unique_ptr<VectorReader::Source>;

/// Opens a file by the format that the path names or by its extension, and MNIST files also by their first bytes. An
/// HDF5 path that names no dataset means `dataset`.
SourcePointer open_source(const std::string& path, std::string_view dataset);

/// The same of rows of vectors: throws for a list.
SourcePointer open_matrix(const std::string& path, std::string_view dataset);

// One file each. All check the header against the real size before they allocate.
SourcePointer open_vecs(std::unique_ptr<InputFile> file, Stored type);
SourcePointer open_bin(std::unique_ptr<InputFile> file, Stored type);
SourcePointer open_npy(std::unique_ptr<ByteSource> bytes, const std::string& path);
SourcePointer open_npz(std::unique_ptr<InputFile> file, const std::string& array);
SourcePointer open_text(std::unique_ptr<InputFile> file);
SourcePointer open_hdf5(const std::string& path, const std::string& dataset);
SourcePointer open_idx(std::unique_ptr<InputFile> file);

/// Rows without gaps that begin at byte `header` and end with the bytes: checks that they do, and that there are some.
SourcePointer open_rows(std::unique_ptr<ByteSource> bytes, const std::string& path, std::uint64_t header,
                        const Shape& shape);

/// Throws unless there is at least one row and one column and one row's bytes can be counted.
void check_shape(const std::string& path, const Shape& shape);

}  // namespace summand
