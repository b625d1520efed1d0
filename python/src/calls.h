// How Python waits for the library. Work that may take long runs in a thread of its own, while the thread that called
// waits without the GIL, looks for Ctrl-C and hands progress on:
//
//     const Index index = call(settings, [&](const Execution& execution) { return build(…, execution); });
//
// Other Python threads run meanwhile. Ctrl-C, and a callback that returns False or raises, request a stop.
#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "summand/execution.h"

namespace summand::python {

namespace nb = nanobind;

/// What Python says of a call: threads, and None or a function (stage, done, total) that may return False.
struct CallSettings {
    unsigned threads = 0;
    nb::object progress = nb::none();
};

/// One call; the GIL is held where it is made and used.
class Call {
public:
    explicit Call(const CallSettings& settings) : settings_(settings) {}

    /// Runs `work` to its end. Rethrows what it throws; a KeyboardInterrupt or an error of the callback comes first.
    void run(const std::function<void(const Execution&)>& work);

private:
    struct Step {
        std::string stage;
        std::size_t done = 0, total = 0;

        friend bool operator==(const Step&, const Step&) = default;
    };

    void work_and_tell(const std::function<void(const Execution&)>& work);
    bool wait();
    void look_for_signals();
    void hand_on_progress();
    void stop_for_python_error();

    CallSettings settings_;
    std::stop_source stop_ = {};
    std::mutex mutex_ = {};
    std::condition_variable finished_ = {};
    bool done_ = false;                     // this and the next two under the mutex
    std::optional<Step> latest_ = {};       // not handed on yet
    std::exception_ptr error_ = {};         // of the work
    std::exception_ptr python_error_ = {};  // of a signal or the callback
};

/// The result of work(execution).
template <class Work>
auto call(const CallSettings& settings, const Work& work) {
    std::optional<decltype(work(Execution()))> result;
    Call(settings).run([&](const Execution& execution) { result.emplace(work(execution)); });
    return std::move(*result);
}

/// The same for work that takes a moment only: in this thread, without the GIL, and without a look at Ctrl-C.
template <class Work>
auto call_briefly(const CallSettings& settings, const Work& work) {
    const nb::gil_scoped_release released;
    return work(Execution{.threads = settings.threads});
}

}  // namespace summand::python
