// One exception type for everything that can go wrong at the public door.
//
//     require(k > 0, "search: expected k of at least 1, got ", k);
//
// A message names the operation, the value met and what was expected instead.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace summand {

class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Thrown when `Execution::stop` was requested while work was under way; nothing was written.
class Cancelled : public Error {
public:
    Cancelled() : Error("cancelled") {}
};

template <class... Parts>
std::string concatenate(const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    return text.str();
}

/// Throws `Error` with the concatenated parts unless `ok`.
template <class... Parts>
void require(bool ok, const Parts&... parts) {
    if (!ok) throw Error(concatenate(parts...));
}

/// Runs `work`; an error that does not name `subject`, a file for instance, gets it in front.
template <class Work>
auto about(const std::string& subject, const Work& work) {
    try {
        return work();
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& error) {
        const std::string message = error.what();
        throw Error(message.find(subject) == std::string::npos ? subject + ": " + message : message);
    }
}

}  // namespace summand
