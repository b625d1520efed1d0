#include "base/parallel.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
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

// Workers that wait for loops. They live as long as the process; a forked child starts its own.
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
        std::lock_guard one_loop_at_a_time(busy_);
        {
            std::lock_guard lock(mutex_);
            while (workers_ + 1 < threads) {
                std::thread([this, number = workers_] { work(number); }).detach();
                ++workers_;
            }
            loop_ = &loop;
            wanted_ = active_ = threads - 1;
            ++generation_;
        }
        wake_.notify_all();
        loop.run();
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return active_ == 0; });
        loop_ = nullptr;
    }

private:
    void work(unsigned number) {
        std::size_t seen = 0;
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return generation_ != seen; });
            seen = generation_;
            if (number >= wanted_) continue;
            Loop* loop = loop_;
            lock.unlock();
            loop->run();
            lock.lock();
            if (--active_ == 0) done_.notify_one();
        }
    }

    const pid_t process_ = getpid();
    std::mutex busy_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    Loop* loop_ = nullptr;
    unsigned workers_ = 0, wanted_ = 0, active_ = 0;
    std::size_t generation_ = 0;
};

}  // namespace

unsigned default_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

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
