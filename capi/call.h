// How C calls the library: what is thrown becomes a status and an error, and nothing leaves.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "summand.h"
#include "summand/error.h"

namespace summand::capi {

/// Puts an error with that message where the caller wants it; one that needs no memory where there is none.
void put_error(summand_error** error, const char* message) noexcept;

/// Runs `work`, and says how it went.
template <class Work>
summand_status call(summand_error** error, const Work& work) noexcept {
    if (error) *error = nullptr;
    try {
        work();
        return SUMMAND_OK;
    } catch (const Cancelled& cancelled) {
        put_error(error, cancelled.what());
        return SUMMAND_CANCELLED;
    } catch (const Error& wrong) {
        put_error(error, wrong.what());
        return SUMMAND_ERROR;
    } catch (const std::bad_alloc&) {
        put_error(error, nullptr);
        return SUMMAND_NO_MEMORY;
    } catch (const std::exception& unexpected) {
        put_error(error, unexpected.what());
    } catch (...) {
        put_error(error, "an exception of an unknown kind, perhaps thrown by a progress function");
    }
    return SUMMAND_INTERNAL;
}

/// Throws `Error` for a null pointer; `what` is the function and the argument.
template <class T>
T& required(T* pointer, const char* function, const char* argument) {
    require(pointer != nullptr, function, ": expected ", argument, ", got a null pointer");
    return *pointer;
}

/// Memory that `summand_free` frees, with these bytes in it and a zero behind them.
void* allocated(const void* bytes, std::size_t count);
char* allocated(const std::string& text);

}  // namespace summand::capi
