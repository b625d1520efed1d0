// Makes the n-th call that changes a file fail, write less than it was asked to, or end the process, for every n.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <string>

#include "io/file_calls.h"
#include "summand/error.h"

namespace summand::test {

/// What happens at a call.
struct Misfortune {
    const char* name;
    int error;         ///< 0: none
    std::size_t most;  ///< bytes a write takes, of all calls from there on
    bool lasts;        ///< all later calls fail too
    bool kills;
};

inline constexpr std::size_t kAnySize = SIZE_MAX;
inline constexpr Misfortune kMisfortunes[] = {{"a full disk", ENOSPC, kAnySize, false, false},
                                              {"a broken disk", EIO, kAnySize, true, false},
                                              {"an interrupt", EINTR, kAnySize, false, false},
                                              {"short writes", 0, 7, true, false},
                                              {"a kill", 0, kAnySize, false, true}};
inline constexpr int kKilled = 77;

class Faults {
public:
    /// Lets `misfortune` happen at call `at`, counted from 0, as long as the object lives.
    Faults(const Misfortune& misfortune, long at) {
        now() = misfortune;
        first() = at;
        calls() = 0;
        file_calls::set_inject(inject);
    }
    ~Faults() { file_calls::set_inject(nullptr); }
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

    bool happened() const { return calls() > first(); }

private:
    static Misfortune& now() {
        static Misfortune misfortune;
        return misfortune;
    }
    static long& first() {
        static long at = 0;
        return at;
    }
    static std::atomic<long>& calls() {
        static std::atomic<long> count{0};
        return count;
    }
    // Only writes and syncs are interrupted: the others of these calls are not.
    static file_calls::Fault inject(file_calls::Call call) {
        const long number = calls()++;
        if (number < first() || (number > first() && !now().lasts)) return {};
        if (now().kills) ::_exit(kKilled);
        if (now().error == EINTR && call != file_calls::Call::write) return {};
        return {now().error, now().most};
    }
};

/// How some work ended.
enum class Ending { done, failed, killed };

/// Runs the work with a misfortune at call `at`; work that is to be killed runs in a process of its own. `happened`
/// says whether the work has that many calls.
inline Ending with_fault(const Misfortune& misfortune, long at, const std::function<void()>& work, bool& happened) {
    const auto run = [&] {
        Faults faults(misfortune, at);
        Ending ending = Ending::done;
        try {
            work();
        } catch (const Error&) {
            ending = Ending::failed;
        }
        happened = faults.happened();
        return ending;
    };
    if (!misfortune.kills) return run();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run() == Ending::done ? 0 : 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    happened = WIFEXITED(status) && WEXITSTATUS(status) == kKilled;
    if (happened) return Ending::killed;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Ending::done : Ending::failed;
}

}  // namespace summand::test
