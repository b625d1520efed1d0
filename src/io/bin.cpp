// .fbin .u8bin .i8bin .ibin, as in the big-ann benchmarks:
//
//     | uint32 rows | uint32 columns | row 0 | row 1 | …
#include <array>

#include "base/byte_order.h"
#include "io/source.h"
#include "summand/error.h"

namespace summand {

SourcePointer open_bin(std::unique_ptr<InputFile> file, Stored type) {
    const std::string path = file->path();
    require(file->size() > 0, path, ": the file is empty");
    std::array<std::byte, 8> header;
    require(file->size() >= header.size(), path, ": truncated: the header takes 8 bytes, the file has ", file->size());
    file->read_at(0, header);
    const Shape shape{load_little<std::uint32_t>(&header[0]), load_little<std::uint32_t>(&header[4]), type};
    return open_rows(std::move(file), path, header.size(), shape);
}

}  // namespace summand
