#include "call.h"

#include <cstdlib>
#include <cstring>
#include <memory>

#include "summand/device.h"

struct summand_error {
    std::string message = {};
};

namespace summand::capi {
namespace {

constexpr const char* kNoMemory = "out of memory";

// Stands for every error that there was no memory for.
const summand_error* no_memory() noexcept {
    static const summand_error error;
    return &error;
}

}  // namespace

void put_error(summand_error** error, const char* message) noexcept {
    if (!error) return;
    *error = const_cast<summand_error*>(no_memory());
    if (!message) return;
    try {
        *error = std::make_unique<summand_error>(summand_error{message}).release();
    } catch (const std::bad_alloc&) {  // the one without memory stays
    }
}

void* allocated(const void* bytes, std::size_t count) {
    auto* memory = static_cast<char*>(std::malloc(count + 1));
    if (!memory) throw std::bad_alloc();
    if (count > 0) std::memcpy(memory, bytes, count);
    memory[count] = '\0';
    return memory;
}

char* allocated(const std::string& text) { return static_cast<char*>(allocated(text.data(), text.size())); }

}  // namespace summand::capi

using namespace summand::capi;

const char* summand_error_message(const summand_error* error) {
    if (!error) return "";
    return error == no_memory() ? kNoMemory : error->message.c_str();
}

void summand_error_free(summand_error* error) {
    if (error != no_memory()) delete error;
}

void summand_free(void* memory) { std::free(memory); }

const char* summand_version(void) { return summand::version().data(); }
