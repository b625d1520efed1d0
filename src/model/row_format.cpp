#include "summand/index_spec.h"

namespace summand {

std::string_view name(RowFormat format) {
    switch (format) {
        case RowFormat::fp32:
            return "fp32";
        case RowFormat::fp16:
            return "fp16";
        case RowFormat::sq8:
            return "sq8";
        default:
            return "u8";
    }
}

std::optional<RowFormat> row_format(std::string_view text) {
    for (const RowFormat format : kRowFormats)
        if (text == name(format)) return format;
    return std::nullopt;
}

std::size_t row_bytes(RowFormat format, std::size_t dimensions) {
    return dimensions * (format == RowFormat::fp32 ? 4 : format == RowFormat::fp16 ? 2 : 1);
}

}  // namespace summand
