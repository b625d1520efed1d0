// The mutator of libFuzzer for targets that read containers.
#pragma once

#include <cstring>

#include "fuzz/forge.h"
#include "summand/error.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace summand::fuzz {

constexpr int kCorrections = 3;  // identities of a model, of its codes, of a second layer

/// Corrects identities for as long as `use` refuses the container because of them.
template <class Use>
void correct_identities(Bytes& container, const Use& use) {
    for (int i = 0; i < kCorrections; ++i) {
        try {
            use(container);
            return;
        } catch (const Error& error) {
            if (!correct_identity(container, error.what())) return;
        }
    }
}

template <class Use>
std::size_t mutate_container(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed, const Use& use) {
    Random random(seed);
    Bytes bytes = forged(std::as_bytes(std::span(data, size)), most, LLVMFuzzerMutate, random);
    correct_identities(bytes, use);
    if (bytes.size() > most) bytes.resize(most);
    std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
}

}  // namespace summand::fuzz
