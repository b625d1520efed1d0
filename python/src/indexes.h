// An index as Python holds it. It is never changed in place: a change makes another one, which takes its place, so that
// searches of other threads go on undisturbed.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "summand/index.h"

namespace summand::python {

namespace nb = nanobind;

class HeldIndex {
public:
    explicit HeldIndex(Index made) : shared_(std::make_unique<Shared>(std::move(made))) {}

    std::shared_ptr<const Index> searched() const { return shared_->index.load(); }

    /// work(index) on a copy that takes the place of the index; changes of several threads follow each other. Called
    /// without the GIL, which those who hold the lock may wait for.
    template <class Work>
    auto change(const Work& work) const {
        const std::lock_guard alone(shared_->changing);
        Index changed = *searched();
        auto result = work(changed);
        shared_->index = std::make_shared<const Index>(std::move(changed));
        return result;
    }

private:
    struct Shared {
        explicit Shared(Index made) : index(std::make_shared<const Index>(std::move(made))) {}

        std::atomic<std::shared_ptr<const Index>> index;
        std::mutex changing;
    };
    std::unique_ptr<Shared> shared_;
};

void bind_indexes(nb::module_& m);
void bind_living_indexes(nb::module_& m);

}  // namespace summand::python
