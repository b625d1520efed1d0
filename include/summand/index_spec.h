// An index as users write it: a method by itself (exhaustive search), or cells and a method after a comma; then, after
// another comma, what the best candidates are scored again with: the vectors themselves, or a second layer of codes.
//
//     LOCQ8     IVF1024,LOCQ8     IVF4096(coding=plain,iterations=20),PQ16     IMI2x10(coarse=OPQ),NOCQ8
//     PQ8,Refine(flat)            IVF1024,LOCQ8,Refine(LOCQ8)                  IVF1024,LOCQ8,Refine(fp16)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "summand/train.h"

namespace summand {

/// How an index holds the vectors themselves: as floats, as halves, in a byte per value over a range of each dimension,
/// or as the whole numbers from 0 to 255 that they are.
enum class RowFormat : std::uint8_t { fp32, fp16, sq8, u8 };
inline constexpr RowFormat kRowFormats[] = {RowFormat::fp32, RowFormat::fp16, RowFormat::sq8, RowFormat::u8};

std::string_view name(RowFormat format);                          ///< "fp32"
std::optional<RowFormat> row_format(std::string_view name);       ///< none where it is no such name
std::size_t row_bytes(RowFormat format, std::size_t dimensions);  ///< of one vector

struct RefineSpec {
    std::optional<Spec> code = {};       ///< of what the first codes leave
    std::optional<RowFormat> rows = {};  ///< the vectors in the index; neither: Refine(flat), the vectors in their file
};

struct IndexSpec {
    std::optional<Spec> cells =
        {};  ///< method IVF with the number of cells, or IMI with 2 dictionaries of 2^bits words
    Spec code = {};
    std::optional<RefineSpec> refine = {};
};

/// Throws `Error` that names the part that is wrong.
IndexSpec parse_index_spec(std::string_view text);
std::string to_string(const IndexSpec& spec);

/// Throws `Error` where the options are wrong whatever the vectors are.
void check(const IndexSpec& spec, const TrainSettings& settings = {});

}  // namespace summand
