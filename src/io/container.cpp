#include "io/container.h"

#include "base/byte_count.h"

namespace summand {

std::string_view name(Kind kind) {
    switch (kind) {
        case Kind::model:
            return "model";
        case Kind::codes:
            return "codes";
        case Kind::index:
            return "index";
        case Kind::inverted:
            return "inverted index";
        case Kind::vocabulary:
            return "vocabulary";
        case Kind::unfinished:
            return "unfinished index";
        case Kind::inverted_model:
            return "inverted model";
        case Kind::manifest:
            return "manifest";
        case Kind::segment:
            return "segment";
        default:
            return "checkpoint";
    }
}

std::string_view name(Element type) {
    switch (type) {
        case Element::text:
            return "text";
        case Element::uint8:
            return "uint8";
        case Element::nibble:
            return "nibble";
        case Element::uint64:
            return "uint64";
        case Element::float16:
            return "float16";
        case Element::float32:
            return "float32";
        default:
            return "float64";
    }
}

std::string to_string(const SectionShape& shape) {
    std::string text;
    for (const std::uint64_t size : shape) text += (text.empty() ? "" : "×") + std::to_string(size);
    return text;
}

std::optional<std::uint64_t> byte_length(Element type, const SectionShape& shape) {
    SectionShape factors = shape;
    switch (type) {
        case Element::nibble:
            factors.back() = factors.back() / 2 + factors.back() % 2;
            break;
        case Element::uint64:
        case Element::float64:
            factors.push_back(8);
            break;
        case Element::float16:
            factors.push_back(2);
            break;
        case Element::float32:
            factors.push_back(4);
            break;
        default:
            break;
    }
    return product(factors);
}

}  // namespace summand
