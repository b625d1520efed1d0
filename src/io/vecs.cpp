// .fvecs .bvecs .ivecs, as in the TEXMEX collections. Every row repeats the number of dimensions:
//
//     | int32 columns | row 0 | int32 columns | row 1 | …
#include <array>
#include <cstring>
#include <vector>

#include "base/byte_order.h"
#include "io/source.h"
#include "summand/error.h"

namespace summand {

namespace {

constexpr std::size_t kRowHeader = sizeof(std::int32_t);

class Vecs final : public VectorReader::Source {
public:
    Vecs(std::unique_ptr<InputFile> file, const Shape& shape) : Source(shape), file_(std::move(file)) {}

    void read(std::size_t first, std::size_t count, std::byte* out) const override {
        const std::size_t row = shape().row_bytes();
        const std::size_t stride = kRowHeader + row;
        std::vector<std::byte> raw(count * stride);
        file_->read_at(first * stride, raw);
        for (std::size_t i = 0; i < count; ++i) take(&raw[i * stride], first + i, out + i * row);
    }

    void read_rows(std::span<const std::int64_t> rows, std::byte* out) const override {
        const std::size_t row = shape().row_bytes();
        const std::size_t stride = kRowHeader + row;
        std::vector<std::byte> raw(rows.size() * stride);
        file_->read_pieces(offsets(rows, 0, stride), stride, raw.data());
        for (std::size_t i = 0; i < rows.size(); ++i)
            take(&raw[i * stride], static_cast<std::size_t>(rows[i]), out + i * row);
    }

private:
    void take(const std::byte* source, std::size_t number, std::byte* out) const {
        const auto columns = load_little<std::int32_t>(source);
        require(columns == static_cast<std::int64_t>(shape().columns), file_->path(), ": row ", number, " has ",
                columns, " dimensions, expected ", shape().columns, " as in row 0");
        std::memcpy(out, source + kRowHeader, shape().row_bytes());
    }

    std::unique_ptr<InputFile> file_;
};

}  // namespace

SourcePointer open_vecs(std::unique_ptr<InputFile> file, Stored type) {
    const std::string path = file->path();
    const std::uint64_t size = file->size();
    require(size > 0, path, ": the file is empty");
    std::array<std::byte, kRowHeader> header;
    require(size >= kRowHeader, path, ": truncated: a row begins with 4 bytes, the file has ", size);
    file->read_at(0, header);
    const auto columns = load_little<std::int32_t>(header.data());
    require(columns > 0, path, ": row 0 has ", columns, " dimensions, expected at least 1");

    const std::uint64_t stride = kRowHeader + static_cast<std::uint64_t>(columns) * size_of(type);
    require(size >= stride, path, ": truncated: row 0 has ", columns, " dimensions and takes ", stride,
            " bytes, the file has ", size);
    require(size % stride == 0, path, ": truncated or with trailing bytes: rows of ", columns, " dimensions take ",
            stride, " bytes each, the file has ", size, ", which is ", size / stride, " rows and ", size % stride,
            " bytes");
    return std::make_unique<Vecs>(std::move(file), Shape{size / stride, static_cast<std::uint64_t>(columns), type});
}

}  // namespace summand
