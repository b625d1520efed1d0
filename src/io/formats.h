// Which format a path means.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/source.h"

namespace summand {

enum class Layout { vecs, bin, npy };

/// A format that is both read and written, named by its extension alone.
struct Format {
    std::string_view extension;
    Layout layout;
    Stored type;  ///< of .npy: as written; what is read is in the file's header
};

/// ".fvecs" of "base.FVECS"; empty where there is none.
std::string extension(std::string_view path);

std::optional<Format> format_of(std::string_view path);

}  // namespace summand
