#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "summand/device.h"
#include "summand/error.h"

namespace summand {
namespace {

// The first loop ends only when the second one has run: in turns neither would.
TEST(ParallelFor, LoopsOfSeveralCallersRunSideBySide) {
    std::atomic<bool> second_done{false};
    std::thread first([&] {
        parallel_for({.threads = 2}, 2, [&](std::size_t) {
            while (!second_done) std::this_thread::yield();
        });
    });
    std::atomic<std::size_t> calls{0};
    parallel_for({.threads = 2}, 100, [&](std::size_t) { ++calls; });
    second_done = true;
    first.join();
    EXPECT_EQ(calls, 100u);
}

TEST(ParallelFor, RunsEveryIndexOnce) {
    for (const unsigned threads : {0u, 1u, 2u, 3u, 8u})
        for (const std::size_t count : {0, 1, 2, 7, 1000}) {
            std::vector<std::atomic<int>> runs(count);
            parallel_for({.threads = threads}, count, [&](std::size_t i) { ++runs[i]; });
            for (const std::atomic<int>& run : runs) EXPECT_EQ(run, 1);
        }
}

TEST(ParallelFor, PassesAnExceptionOnAndRunsAgainAfterwards) {
    for (const unsigned threads : {1u, 2u, 4u}) {
        const auto fail = [](std::size_t i) {
            if (i == 13) throw std::runtime_error("thirteen");
        };
        try {
            parallel_for({.threads = threads}, 100, fail);
            FAIL();
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "thirteen");
        }
        std::atomic<int> runs = 0;
        parallel_for({.threads = threads}, 10, [&](std::size_t) { ++runs; });
        EXPECT_EQ(runs, 10);
    }
}

TEST(ParallelFor, ACallFromABodyStaysOnThatThread) {
    std::atomic<int> runs = 0, elsewhere = 0;
    parallel_for({.threads = 2}, 8, [&](std::size_t) {
        const std::thread::id outer = std::this_thread::get_id();
        parallel_for({.threads = 2}, 8, [&](std::size_t) {
            ++runs;
            if (std::this_thread::get_id() != outer) ++elsewhere;
        });
    });
    EXPECT_EQ(runs, 64);
    EXPECT_EQ(elsewhere, 0);
}

TEST(ParallelFor, AnExceptionPassesThroughANestedLoop) {
    EXPECT_THROW(
        parallel_for({.threads = 2}, 4,
                     [](std::size_t) { parallel_for({.threads = 2}, 4, [](std::size_t) { throw Error("inner"); }); }),
        Error);
}

TEST(ParallelFor, AStopRequestedBeforeRunsNothing) {
    for (const unsigned threads : {1u, 2u}) {
        std::stop_source source;
        source.request_stop();
        std::atomic<int> runs = 0;
        EXPECT_THROW(parallel_for({.threads = threads, .stop = source.get_token()}, 5, [&](std::size_t) { ++runs; }),
                     Cancelled);
        EXPECT_EQ(runs, 0);
        EXPECT_THROW(check_stop({.stop = source.get_token()}), Cancelled);
    }
}

TEST(ParallelFor, AStopRequestedMeanwhileEndsTheLoop) {
    for (const unsigned threads : {1u, 2u}) {
        std::stop_source source;
        std::atomic<int> runs = 0;
        EXPECT_THROW(parallel_for({.threads = threads, .stop = source.get_token()}, 1000,
                                  [&](std::size_t) {
                                      if (++runs == 3) source.request_stop();
                                  }),
                     Cancelled);
        EXPECT_LT(runs, 1000);
    }
}

TEST(ParallelFor, LoopsOfSeveralCallersDoNotMix) {
    std::atomic<int> first = 0, second = 0;
    std::thread other([&] { parallel_for({.threads = 2}, 500, [&](std::size_t) { ++first; }); });
    parallel_for({.threads = 2}, 500, [&](std::size_t) { ++second; });
    other.join();
    EXPECT_EQ(first, 500);
    EXPECT_EQ(second, 500);
}

TEST(ParallelRanges, CutTheSameWayForEveryThreadCount) {
    const auto ranges = [](unsigned threads, std::size_t total, std::size_t size) {
        std::vector<std::size_t> end(total + 1);
        parallel_ranges({.threads = threads}, total, size,
                        [&](std::size_t first, std::size_t last) { end[first] = last; });
        return end;
    };
    for (const std::size_t total : {0, 1, 99, 100, 101, 1000}) {
        const std::vector<std::size_t> one = ranges(1, total, 100);
        for (std::size_t first = 0; first < total; first = one[first]) EXPECT_LE(one[first] - first, 100u);
        EXPECT_EQ(ranges(2, total, 100), one);
        EXPECT_EQ(ranges(5, total, 100), one);
    }
}

TEST(ThreadCount, IsTheMachinesWhereNoneIsGiven) {
    EXPECT_GE(default_threads(), 1u);
    EXPECT_EQ(thread_count({}), default_threads());
    EXPECT_EQ(thread_count({.threads = 3}), 3u);
}

}  // namespace
}  // namespace summand
