// Models, codes, indexes of both kinds with their second layers, checkpoints, vocabularies: every container that is
// read by itself, and unfinished indexes.
#include "fuzz/answers.h"
#include "fuzz/forging_mutator.h"
#include "fuzz/support.h"

namespace summand::fuzz {
namespace {

void use(Input bytes) {
    static const MemoryFile file;
    file.write(bytes);
    answers_of_file(file.path());
}

}  // namespace
}  // namespace summand::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return summand::fuzz::mutate_container(data, size, most, seed, summand::fuzz::use);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    summand::fuzz::accepted([&] { summand::fuzz::use(summand::fuzz::input(data, size)); });
    return 0;
}
