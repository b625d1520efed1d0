// What C passes in, as the library takes it. Each throws `Error` that begins with the name of the function.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

#include "call.h"
#include "summand/execution.h"
#include "summand/living_index.h"
#include "summand/search.h"
#include "summand/vector_source.h"

struct summand_filter {
    summand::IdFilter ids;
};

namespace summand::capi {

/// A struct that begins with its size, as the caller's header knows it; fields behind its end are zero. A null pointer
/// is a struct of zeros.
template <class T>
T fields_of(const T* given, const char* function, const char* name) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::size_t) == 0);
    T fields{};
    if (!given) return fields;
    std::size_t size;
    std::memcpy(&size, given, sizeof size);
    require(size > sizeof size && size <= sizeof(T) && size % sizeof size == 0, function, ": expected the size of ",
            name, " in its first field, sizeof(", name, ") = ", sizeof(T), ", got ", size,
            size > sizeof(T) ? "; was the program built with a newer summand.h than the library?" : "");
    std::memcpy(&fields, given, size);
    return fields;
}

/// An execution that lives as long as the call, with what stops it.
class Running {
public:
    Running(const summand_execution* given, const char* function);
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    const Execution& execution() const { return execution_; }

private:
    std::stop_source stop_ = {};
    Execution execution_ = {};
};

const char* text_of(const char* text, const char* function, const char* argument);  ///< not null
std::string text_or_empty(const char* text);

/// Of a file or of values, which are borrowed.
VectorSource source_of(const summand_vectors* given, const char* function, const char* argument);

/// Of values.
MatrixView<float> rows_of(const summand_vectors* given, const char* function, const char* argument);

std::span<const std::int64_t> numbers_of(const summand_ids* given, const char* function);
std::vector<std::string> names_of(const summand_ids* given, const char* function);

/// work(ids), which are numbers or texts.
template <class Work>
auto with_ids(const summand_ids* given, const char* function, const Work& work) {
    if (fields_of(&required(given, function, "ids"), function, "summand_ids").names)
        return work(std::span<const std::string>(names_of(given, function)));
    return work(numbers_of(given, function));
}

}  // namespace summand::capi
