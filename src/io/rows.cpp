#include "base/byte_count.h"
#include "io/source.h"
#include "summand/error.h"

namespace summand {

namespace {

class Rows final : public VectorReader::Source {
public:
    Rows(std::unique_ptr<ByteSource> bytes, std::uint64_t header, const Shape& shape)
        : Source(shape), bytes_(std::move(bytes)), header_(header) {}

    void read(std::size_t first, std::size_t count, std::byte* out) const override {
        const std::size_t row = shape().row_bytes();
        bytes_->read_at(header_ + first * row, {out, count * row});
    }

    void read_rows(std::span<const std::int64_t> rows, std::byte* out) const override {
        const std::size_t row = shape().row_bytes();
        bytes_->read_pieces(offsets(rows, header_, row), row, out);
    }

private:
    std::unique_ptr<ByteSource> bytes_;
    std::uint64_t header_;
};

}  // namespace

void check_shape(const std::string& path, const Shape& shape) {
    require(shape.rows > 0, path, ": holds zero vectors, expected at least one");
    require(shape.columns > 0, path, ": holds vectors of zero dimensions, expected at least one");
    require(product({shape.rows, shape.columns, sizeof(std::int64_t)}).has_value(), path, ": the header says ",
            shape.rows, " vectors of ", shape.columns, " dimensions, more than any file can hold");
}

SourcePointer open_rows(std::unique_ptr<ByteSource> bytes, const std::string& path, std::uint64_t header,
                        const Shape& shape) {
    check_shape(path, shape);
    const std::uint64_t expected = *product({shape.rows, shape.columns, size_of(shape.type)});
    const std::uint64_t present = bytes->size() - header;
    const std::string claim = concatenate("the header says ", shape.rows, " vectors of ", shape.columns, " ",
                                          name(shape.type), ", which take ", expected, " bytes; ");
    require(present >= expected, path, ": truncated: ", claim, expected - present, " are missing");
    require(present == expected, path, ": trailing bytes: ", claim, present - expected, " more follow");
    return std::make_unique<Rows>(std::move(bytes), header, shape);
}

}  // namespace summand
