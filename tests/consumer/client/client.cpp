// client MODEL: encodes one vector as a program without the library does.
#include <summand/client.h>

#include <cstdio>

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const auto encoder = summand::QueryEncoder::from_file(arguments[1]);
    std::vector<float> query(encoder.dimensions());
    for (std::size_t d = 0; d < query.size(); ++d) query[d] = static_cast<float>(d + 1);
    const std::vector<std::uint8_t> code = encoder.encode(query.data());
    const std::vector<std::uint8_t> file = encoder.code_file(code);
    std::printf("%zu codes below %zu, a file of %zu bytes\n", code.size(), encoder.words(), file.size());
    for (const std::uint8_t word : code)
        if (word >= encoder.words()) return 1;
    return code.size() == encoder.dictionaries() ? 0 : 1;
}
