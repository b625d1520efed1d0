// client.h, which reads models by itself and says std::runtime_error.
#include "summand/client.h"

#include "fuzz/forging_mutator.h"
#include "fuzz/support.h"

namespace summand::fuzz {
namespace {

void use(Input bytes) {
    try {
        const auto encoder = QueryEncoder::from_memory(bytes.data(), bytes.size());
        const std::vector<float> vector(encoder.dimensions(), 0.5f);
        if (encoder.dimensions() * encoder.dictionaries() * encoder.words() < std::size_t{1} << 18)
            encoder.code_file(encoder.encode(vector.data(), 2));
    } catch (const std::runtime_error& error) {
        throw Error(error.what());
    }
}

}  // namespace
}  // namespace summand::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return summand::fuzz::mutate_container(data, size, most, seed,
                                           [](const summand::Bytes& model) { summand::load_quantizer(model); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    summand::fuzz::accepted([&] { summand::fuzz::use(summand::fuzz::input(data, size)); });
    return 0;
}
