#include "base/parallel.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "summand/device.h"
#include "summand/error.h"

namespace summand {
namespace {

thread_local bool inside_body = false;

// One parallel loop: threads take the next index until none is left or one failed.
struct Loop {
    const std::function<void(std::size_t)>& body;
    const std::stop_token& stop;
    std::size_t count;
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;

    bool finished() const { return next >= count; }

    void run() {
        const bool outer = std::exchange(inside_body, true);
        try {
            for (std::size_t i; (i = next.fetch_add(1)) < count;) {
                if (stop.stop_requested()) throw Cancelled();
                body(i);
            }
        } catch (...) {
            next = count;
            std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
        inside_body = outer;
    }
};

// Workers that help with loops. Loops of several callers run side by side: each is run by its caller, and idle workers
// join the one that the fewest help. Workers live as long as the process; a forked child starts its own.
class Pool {
public:
    static Pool& instance() {
        static std::mutex mutex;
        static Pool* pool = nullptr;  // never destroyed: workers may outlive main
        std::lock_guard lock(mutex);
        if (!pool || pool->process_ != getpid()) pool = new Pool;
        return *pool;
    }

    void run(Loop& loop, unsigned threads) {
        Job job{loop, threads - 1};
        {
            std::lock_guard lock(mutex_);
            start_workers(threads - 1);
            jobs_.push_back(&job);
        }
        wake_.notify_all();
        loop.run();
        std::unique_lock lock(mutex_);
        std::erase(jobs_, &job);
        done_.wait(lock, [&] { return job.helping == 0; });
    }

private:
    struct Job {
        Loop& loop;
        unsigned wanted;  // helpers beside the caller
        unsigned helping = 0;
    };

    // Where the system has no more threads, the callers work with those there are.
    void start_workers(unsigned count) {
        for (; workers_ < count; ++workers_) {
            try {
                std::thread([this] { work(); }).detach();
            } catch (const std::system_error&) {
                return;
            }
        }
    }

    Job* neediest() const {
        Job* best = nullptr;
        for (Job* job : jobs_)
            if (job->helping < job->wanted && !job->loop.finished() && (!best || job->helping < best->helping))
                best = job;
        return best;
    }

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            Job* job = nullptr;
            wake_.wait(lock, [&] { return (job = neediest()) != nullptr; });
            ++job->helping;
            lock.unlock();
            job->loop.run();
            lock.lock();
            if (--job->helping == 0) done_.notify_all();
        }
    }

    const pid_t process_ = getpid();
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<Job*> jobs_;
    unsigned workers_ = 0;
};

}  // namespace

// Asking the system takes 5 µs, a good part of a single query, so it is asked once.
unsigned default_threads() {
    static const unsigned count = std::max(1u, std::thread::hardware_concurrency());
    return count;
}

unsigned thread_count(const Execution& execution) { return execution.threads ? execution.threads : default_threads(); }

void check_stop(const Execution& execution) {
    if (execution.stop.stop_requested()) throw Cancelled();
}

void parallel_for(const Execution& execution, std::size_t count, const std::function<void(std::size_t)>& body) {
    Loop loop{.body = body, .stop = execution.stop, .count = count};
    const unsigned threads = static_cast<unsigned>(std::min<std::size_t>(thread_count(execution), count));
    if (threads <= 1 || inside_body)
        loop.run();
    else
        Pool::instance().run(loop, threads);
    if (loop.failure) std::rethrow_exception(loop.failure);
}

void parallel_ranges(const Execution& execution, std::size_t total, std::size_t size,
                     const std::function<void(std::size_t, std::size_t)>& body) {
    parallel_for(execution, (total + size - 1) / size,
                 [&](std::size_t i) { body(i * size, std::min(total, (i + 1) * size)); });
}

}  // namespace summand
