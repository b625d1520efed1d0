// An index as Python holds it. It is never changed in place: what changes it makes another one and takes its place, so
// searches of other threads go on undisturbed.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "summand/index.h"

namespace summand::python {

namespace nb = nanobind;

struct HeldIndex {
    std::shared_ptr<const Index> index;

    explicit HeldIndex(Index made) : index(std::make_shared<const Index>(std::move(made))) {}
    const std::shared_ptr<const Index>& searched() const { return index; }
};

void bind_indexes(nb::module_& m);
void bind_living_indexes(nb::module_& m);

}  // namespace summand::python
