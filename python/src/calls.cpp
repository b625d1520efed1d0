#include "calls.h"

#include <nanobind/stl/string.h>

#include <chrono>
#include <thread>

namespace summand::python {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

}  // namespace

void Call::run(const std::function<void(const Execution&)>& work) {
    std::thread worker([&] { work_and_tell(work); });
    while (!wait()) {
        look_for_signals();
        hand_on_progress();
    }
    {
        const nb::gil_scoped_release released;
        worker.join();
    }
    if (!python_error_ && !error_) hand_on_progress();
    if (python_error_) std::rethrow_exception(python_error_);
    if (error_) std::rethrow_exception(error_);
}

void Call::work_and_tell(const std::function<void(const Execution&)>& work) {
    std::exception_ptr error;
    try {
        Execution execution{.threads = settings_.threads, .stop = stop_.get_token()};
        if (!settings_.progress.is_none())
            execution.progress = [this](const Progress& progress) {
                const std::lock_guard lock(mutex_);
                latest_ = Step{std::string(progress.stage), progress.step, progress.steps};
            };
        work(execution);
    } catch (...) {
        error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    done_ = true;
    finished_.notify_one();
}

/// Waits a moment; true where the work has ended.
bool Call::wait() {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex_);
    return finished_.wait_for(lock, kBetweenLooks, [this] { return done_; });
}

void Call::look_for_signals() {
    if (PyErr_CheckSignals() != 0) stop_for_python_error();
}

void Call::hand_on_progress() {
    std::optional<Step> step;
    {
        const std::lock_guard lock(mutex_);
        std::swap(step, latest_);
    }
    if (!step || python_error_) return;
    try {
        if (settings_.progress(step->stage, step->done, step->total).is(nb::bool_(false))) stop_.request_stop();
    } catch (...) {  // the thread must be joined, whatever it is
        if (!python_error_) python_error_ = std::current_exception();
        stop_.request_stop();
    }
}

/// The error that Python has set is thrown at the end.
void Call::stop_for_python_error() {
    try {
        throw nb::python_error();
    } catch (const nb::python_error&) {
        if (!python_error_) python_error_ = std::current_exception();
    }
    stop_.request_stop();
}

}  // namespace summand::python
