// Which format a path means: by its extension, or by a name before a colon.
//
//     base.fvecs      csv:numbers.txt      arrays.npz:train      fvecs:-
//                     format               array                 standard input or output
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/source.h"

namespace summand {

enum class Layout { vecs, bin, npy, npz, text, hdf5, idx };

struct Format {
    std::string_view name;  ///< the extension without its dot
    Layout layout;
    Stored type;  ///< of .fvecs and its like; of .npy as written: what is read is in the file's header

    bool writable() const { return layout == Layout::vecs || layout == Layout::bin || layout == Layout::npy; }
};

/// A path as users write it, taken apart. Nothing is opened.
struct VectorPath {
    std::string prefix;            ///< "csv:" where a format is named, else empty
    std::string file;              ///< "-": standard input or output
    std::string array;             ///< inside an HDF5 or npz file; empty where none is named
    std::optional<Format> format;  ///< none: unknown extension

    bool standard() const { return file == "-"; }
};

VectorPath parse_vector_path(const std::string& path);

/// ".fvecs" of "base.FVECS"; empty where there is none.
std::string extension(std::string_view path);

}  // namespace summand
