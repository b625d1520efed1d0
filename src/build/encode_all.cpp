#include "build/encode_all.h"

#include "build/source.h"

namespace summand {

Codes encode_prepared(const Encoder& encoder, const VectorSource& base, const Prepare& prepare,
                      const Execution& execution) {
    const std::size_t count = encoder.quantizer().dictionaries.count;
    Codes codes;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(base.rows * count);
    for_each_chunk(base, execution, [&](const Matrix<float>& chunk, std::size_t first, const Execution& inner) {
        if (encoder.quantizer().unit_length)
            require_directions(chunk.view(), base, [&](std::size_t i) { return first + i; });
        const Matrix<float> prepared = prepare ? prepare(chunk, first) : Matrix<float>();
        const Codes part = encoder.encode(prepare ? prepared.view() : chunk.view(), inner);
        bytes.insert(bytes.end(), part.rows.values().begin(), part.rows.values().end());
        codes.bias.insert(codes.bias.end(), part.bias.begin(), part.bias.end());
        codes.model = part.model;
    });
    codes.rows = {base.rows, count, std::move(bytes)};
    return codes;
}

Codes encode_all(const Encoder& encoder, const VectorSource& base, const Execution& execution) {
    return encode_prepared(encoder, base, {}, execution);
}

}  // namespace summand
