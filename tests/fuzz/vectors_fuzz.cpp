// Every format of vectors but HDF5, which may not come from strangers. The first byte chooses the format, and whether
// the rest is compressed before it is read.
#include <zlib.h>

#include <array>
#include <vector>

#include "fuzz/support.h"
#include "summand/io.h"

namespace summand::fuzz {
namespace {

constexpr std::array kFormats{"fvecs", "bvecs", "ivecs", "fbin", "u8bin", "i8bin",
                              "ibin",  "npy",   "npz",   "csv",  "tsv",   "idx"};
constexpr unsigned kCompress = 128;

std::vector<std::byte> compressed(Input bytes) {
    z_stream stream{};
    must(deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::vector<std::byte> result(deflateBound(&stream, bytes.size()));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    must(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    result.resize(stream.total_out);
    deflateEnd(&stream);
    return result;
}

void run(Input bytes) {
    if (bytes.empty()) return;
    static const MemoryFile file;
    const auto choice = std::to_integer<unsigned>(bytes[0]);
    if (choice & kCompress)
        file.write(compressed(bytes.subspan(1)));
    else
        file.write(bytes.subspan(1));
    const std::string path = concatenate(kFormats[choice % kCompress % kFormats.size()], ":", file.path());
    accepted([&] {
        const VectorReader reader(path);
        const Matrix<float> all = reader.read(0, reader.rows());
        must(all.rows() == reader.rows() && reader.read(reader.rows() - 1, 1).columns() == all.columns());
    });
    accepted([&] { read_ids(path); });
    accepted([&] { read_id_list(path); });
    accepted([&] { read_scores(path); });
}

}  // namespace
}  // namespace summand::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    summand::fuzz::run(summand::fuzz::input(data, size));
    return 0;
}
