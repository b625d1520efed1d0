// The client's side of mobile search: a query travels as a code of M bytes, and the server puts it together again
// (`summand search --query-model`, or decode()). This file is all that a client needs: C++17, the standard library,
// nothing to link, no other header of summand; one file to copy, for which it is longer than the others.
//
//     const auto encoder = summand::QueryEncoder::from_file("query_model.smd");    // of summand train --spec CQd8
//     const std::vector<std::uint8_t> code = encoder.encode(query);                // M codes, to be sent
//     const std::vector<std::uint8_t> file = encoder.code_file(code);              // or a file for `summand search`
//
// A code minimises |y - Σ_m c[m][code_m]|², y the vector in the space of the words, by iterated conditional modes: from
// a greedy start one dictionary after the other takes its best word, all others given, until none changes. Then come
// rounds of local search: a dictionary takes its second-best word and another one a random word, modes again, kept if
// better.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace summand {

/// Encodes with one model. Whatever is wrong with a file or a vector is a std::runtime_error that says what.
class QueryEncoder {
public:
    using Bytes = std::vector<std::uint8_t>;

    static QueryEncoder from_memory(const void* bytes, std::size_t size, const std::string& name = "memory") {
        return {static_cast<const std::uint8_t*>(bytes), size, name};
    }
    static QueryEncoder from_file(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        const Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        if (!file) throw std::runtime_error(path + ": cannot be read");
        return {bytes.data(), bytes.size(), path};
    }

    std::size_t dimensions() const { return centre_.size(); }          ///< D
    std::size_t dictionaries() const { return dictionaries_.size(); }  ///< M
    std::size_t words() const { return words_; }                       ///< K

    /// M codes, each below K, of a vector of D values. More rounds, smaller error.
    Bytes encode(const float* vector, std::size_t rounds = 16) const {
        const std::size_t M = dictionaries();
        Attempt best{Bytes(M), in_code_space(vector)};
        for (std::size_t m = 0; m < M; ++m) choose(m, kNone, best);
        settle(0, best);
        std::uint32_t state = 1;
        const auto below = [&state](std::size_t n) {  // of a linear congruential generator
            state = state * 1664525 + 1013904223;
            return (state >> 8) % n;
        };
        for (std::size_t round = 0; round < rounds && M > 1 && !blocks_; ++round) {
            Attempt attempt = best;
            const std::size_t m = round % M, other = (m + 1 + below(M - 1)) % M;
            replace(other, static_cast<std::uint8_t>(below(words_)), attempt);
            take_back(m, attempt);
            choose(m, attempt.code[m], attempt);
            settle(m + 1, attempt);
            if (attempt.error < best.error) best = std::move(attempt);
        }
        return best.code;
    }

    /// The code file of n vectors, M codes of each after the other.
    Bytes code_file(const Bytes& codes) const {
        check(!codes.empty() && codes.size() % dictionaries() == 0, "code file", "expected codes of ", dictionaries(),
              " bytes each, got ", codes.size(), " bytes");
        for (const std::uint8_t code : codes)
            check(code < words_, "code file", "expected codes below ", words_, ", got ", unsigned{code});
        const std::uint64_t n = codes.size() / dictionaries();
        const std::string text = "{\"codes\":{\"dictionaries\":" + std::to_string(dictionaries()) +
                                 ",\"model\":" + identity_ + ",\"vectors\":" + std::to_string(n) +
                                 ",\"words\":" + std::to_string(words_) + "}}";
        const bool nibbles = words_ <= 16;
        Bytes file(kHeader + 2 * kEntry);
        add_section(file, 0, "codes", nibbles ? kNibble : kUint8, {n, dictionaries()}, nibbles ? packed(codes) : codes);
        add_section(file, 1, "metadata", kText, {text.size()}, Bytes(text.begin(), text.end()));
        std::memcpy(file.data(), kMagic, 8);
        const std::uint64_t fields[][3] = {{8, 4, kVersion}, {12, 4, kCodesKind}, {16, 8, file.size()}, {24, 4, 2}};
        for (const auto& [at, size, value] : fields) store(&file[at], size, value);
        store(&file[28], 4, crc32(file.data(), kHeader + 2 * kEntry));
        return file;
    }

private:
    // Words of a dictionary are zero outside the dimensions [first, first + width); word k is words[k·width …].
    struct Dictionary {
        std::size_t first, width;
        std::vector<float> words;

        const float* word(std::size_t k) const { return words.data() + k * width; }
    };

    struct Attempt {
        Bytes code;
        std::vector<float> rest;  // y - Σ_m c[m][code_m]
        double error = 0;         // its squared length
    };

    struct Section {
        std::uint32_t type = 0;
        std::vector<std::uint64_t> shape = {};
        const std::uint8_t* data = nullptr;
        std::size_t length = 0;
    };

    // docs/format.md
    static constexpr const char* kMagic = "SUMMAND\n";
    static constexpr std::size_t kHeader = 64, kEntry = 96, kAlignment = 64, kMostDictionaries = 64, kNone = 256;
    static constexpr std::uint32_t kVersion = 1, kModelKind = 1, kCodesKind = 2;
    static constexpr std::uint32_t kText = 1, kUint8 = 2, kNibble = 3, kUint64 = 4, kFloat32 = 5;

    template <class... Parts>
    static void check(bool ok, const std::string& name, const Parts&... parts) {
        if (ok) return;
        const auto text = [](const auto& part) {
            if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>)
                return std::to_string(part);
            else
                return std::string(part);
        };
        throw std::runtime_error(name + ": " + (text(parts) + ...));
    }

    static std::uint64_t load(const std::uint8_t* from, std::size_t bytes) {
        std::uint64_t value = 0;
        for (std::size_t i = bytes; i-- > 0;) value = value << 8 | from[i];
        return value;
    }

    static void store(std::uint8_t* to, std::size_t bytes, std::uint64_t value) {
        for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
    }

    static std::size_t aligned(std::size_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

    static std::uint32_t crc32(const std::uint8_t* bytes, std::size_t size) {
        std::array<std::uint32_t, 256> table{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            table[i] = i;
            for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
        }
        std::uint32_t crc = ~std::uint32_t{0};
        for (std::size_t i = 0; i < size; ++i) crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
        return ~crc;
    }

    // Reading

    QueryEncoder(const std::uint8_t* bytes, std::size_t size, const std::string& name) : name_(name) {
        const std::size_t count = verified_sections(bytes, size);
        read_metadata(section(bytes, count, "metadata"));
        centre_ = floats(section(bytes, count, "centre"), 1);
        const Section rotation = section(bytes, count, "rotation");
        if (rotation.data != nullptr) rotation_ = floats(rotation, 2);
        check(rotation_.empty() || rotation_.size() == dimensions() * dimensions(), name_,
              "the rotation does not fit the centre");
        read_dictionaries(section(bytes, count, "words"), section(bytes, count, "blocks"));
    }

    // Header, table, checksums and padding; the number of sections.
    std::size_t verified_sections(const std::uint8_t* bytes, std::size_t size) const {
        check(size >= kHeader && std::memcmp(bytes, kMagic, 8) == 0, name_, "is not a summand file");
        check(load(bytes + 8, 4) == kVersion, name_, "format version ", load(bytes + 8, 4), ", expected ", kVersion);
        const std::size_t count = load(bytes + 24, 4), head = kHeader + count * kEntry;
        check(count >= 1 && count <= 32 && head <= size && load(bytes + 16, 8) == size, name_,
              "truncated or damaged: ", load(bytes + 16, 8), " bytes expected, got ", size);
        Bytes table(bytes, bytes + head);
        store(&table[28], 4, 0);
        check(load(bytes + 28, 4) == crc32(table.data(), head), name_, "damaged header: its checksum does not match");
        check(load(bytes + 12, 4) == kModelKind, name_, "is not a model");
        std::size_t end = head;
        for (const std::uint8_t* entry = bytes + kHeader; entry < bytes + head; entry += kEntry) {
            const std::size_t offset = load(entry + 72, 8), length = load(entry + 80, 8);
            check(offset == aligned(end) && offset <= size && length <= size - offset, name_,
                  "a section lies outside the file");
            while (end < offset) check(bytes[end++] == 0, name_, "damaged: padding is not zero");
            check(crc32(bytes + offset, length) == load(entry + 88, 4), name_, "a section is damaged");
            end = offset + length;
        }
        check(end == size, name_, "trailing bytes");
        return count;
    }

    // Without data where there is none of that name.
    static Section section(const std::uint8_t* bytes, std::size_t count, const char* wanted) {
        Section found;
        for (const std::uint8_t* entry = bytes + kHeader; entry < bytes + kHeader + count * kEntry; entry += kEntry) {
            if (std::strncmp(reinterpret_cast<const char*>(entry), wanted, 32) != 0) continue;
            found = {
                static_cast<std::uint32_t>(load(entry + 32, 4)), {}, bytes + load(entry + 72, 8), load(entry + 80, 8)};
            for (std::size_t i = 0; i < load(entry + 36, 4) && i < 4; ++i)
                found.shape.push_back(load(entry + 40 + 8 * i, 8));
        }
        return found;
    }

    std::vector<float> floats(const Section& from, std::size_t dimensions) const {
        check(from.type == kFloat32 && from.shape.size() == dimensions, name_, "a section is missing or not of floats");
        std::vector<float> values(from.length / 4);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto bits = static_cast<std::uint32_t>(load(from.data + 4 * i, 4));
            std::memcpy(&values[i], &bits, 4);
            check(std::isfinite(values[i]), name_, "holds a number that is not finite");
        }
        return values;
    }

    // The value of a field; quotes inside a JSON string are escaped, so that "key" stands in no other place.
    std::string field(const std::string& json, const std::string& key) const {
        std::size_t at = json.find('"' + key + '"');
        check(at != std::string::npos, name_, "metadata has no ", key);
        at = json.find_first_not_of(" :", at + key.size() + 2);
        check(at != std::string::npos, name_, "metadata ends after ", key);
        return json.substr(at, json.find_first_of(" ,}", at) - at);
    }

    void read_metadata(const Section& from) {
        check(from.type == kText, name_, "has no metadata");
        const std::string json(reinterpret_cast<const char*>(from.data), from.length);
        check(field(json, "stores_bias") == "false", name_,
              "stores a bias with each code, which a query does not need; train with --spec CQd8");
        unit_length_ = field(json, "unit_length") == "true";
        identity_ = field(json, "identity");
        check(identity_.size() == 18 && identity_.find_first_not_of("\"0123456789abcdef") == std::string::npos, name_,
              "the identity is not 16 hexadecimal digits");
    }

    void read_dictionaries(const Section& from, const Section& blocks) {
        blocks_ = blocks.data != nullptr;
        check(!blocks_ || blocks.type == kUint64, name_, "the blocks are not whole numbers");
        const std::vector<float> all = floats(from, blocks_ ? 2 : 3);
        const std::size_t D = dimensions(), count = blocks_ ? blocks.length / 8 - 1 : from.shape[0];
        words_ = from.shape[blocks_ ? 0 : 1];
        check(count >= 1 && count <= kMostDictionaries && words_ >= 2 && words_ <= 256 && D > 0 &&
                  from.shape.back() == D && all.size() == (blocks_ ? 1 : count) * words_ * D,
              name_, "the words do not fit the centre");
        const float* next = all.data();
        for (std::size_t m = 0; m < count; ++m) {
            const std::size_t first = blocks_ ? load(blocks.data + 8 * m, 8) : 0;
            const std::size_t last = blocks_ ? load(blocks.data + 8 * m + 8, 8) : D;
            check(first <= last && last <= D && first * words_ <= all.size(), name_, "the blocks are not in order");
            if (blocks_) next = all.data() + first * words_;
            dictionaries_.push_back({first, last - first, {next, next + (last - first) * words_}});
            next += D * words_;
        }
    }

    // Encoding

    std::vector<float> in_code_space(const float* vector) const {
        const std::size_t D = dimensions();
        double squared = 0;
        for (std::size_t d = 0; d < D; ++d) squared += static_cast<double>(vector[d]) * static_cast<double>(vector[d]);
        check(std::isfinite(squared) && (squared > 0 || !unit_length_), "encode",
              "expected finite values, not all of them zero where the model is for cosine");
        const double length = unit_length_ ? std::sqrt(squared) : 1.0;  // too long for a float, perhaps
        std::vector<float> moved(D);
        for (std::size_t d = 0; d < D; ++d)
            moved[d] = static_cast<float>(static_cast<double>(vector[d]) / length) - centre_[d];
        if (rotation_.empty()) return moved;
        std::vector<float> rotated(D);
        for (std::size_t i = 0; i < D; ++i)
            for (std::size_t d = 0; d < D; ++d) rotated[i] += rotation_[i * D + d] * moved[d];
        return rotated;
    }

    // Modes, beginning with dictionary `first`, until nothing changes.
    void settle(std::size_t first, Attempt& attempt) const {
        constexpr int kSweeps = 16;
        bool changed = !blocks_;  // words of blocks do not influence each other
        for (int sweep = 0; sweep < kSweeps && changed; ++sweep) {
            changed = false;
            for (std::size_t turn = 0; turn < dictionaries(); ++turn) {
                const std::size_t m = (first + turn) % dictionaries();
                const std::uint8_t before = attempt.code[m];
                take_back(m, attempt);
                choose(m, kNone, attempt);
                changed |= attempt.code[m] != before;
            }
        }
        attempt.error = 0;
        for (const float value : attempt.rest) attempt.error += static_cast<double>(value) * static_cast<double>(value);
    }

    // The word nearest to the rest, but not that one, is taken.
    void choose(std::size_t m, std::size_t excluded, Attempt& attempt) const {
        const Dictionary& dictionary = dictionaries_[m];
        const float* rest = attempt.rest.data() + dictionary.first;
        float least = std::numeric_limits<float>::infinity();
        std::uint8_t nearest = 0;
        for (std::size_t k = 0; k < words_; ++k) {
            float distance = 0;
            for (std::size_t d = 0; d < dictionary.width; ++d) {
                const float difference = rest[d] - dictionary.word(k)[d];
                distance += difference * difference;
            }
            if (k == excluded || !(distance < least)) continue;
            least = distance;
            nearest = static_cast<std::uint8_t>(k);
        }
        take(m, nearest, attempt);
    }

    void take(std::size_t m, std::uint8_t k, Attempt& attempt) const {
        attempt.code[m] = k;
        add(m, -1, attempt);
    }

    void take_back(std::size_t m, Attempt& attempt) const { add(m, 1, attempt); }

    void replace(std::size_t m, std::uint8_t k, Attempt& attempt) const {
        take_back(m, attempt);
        take(m, k, attempt);
    }

    // The present word of dictionary m to the rest, or from it.
    void add(std::size_t m, float sign, Attempt& attempt) const {
        const Dictionary& dictionary = dictionaries_[m];
        const float* word = dictionary.word(attempt.code[m]);
        for (std::size_t d = 0; d < dictionary.width; ++d) attempt.rest[dictionary.first + d] += sign * word[d];
    }

    // Writing

    // Two codes to a byte, the first in the low half; a vector begins a new byte.
    Bytes packed(const Bytes& codes) const {
        const std::size_t M = dictionaries(), width = (M + 1) / 2;
        Bytes result(codes.size() / M * width);
        for (std::size_t i = 0; i < codes.size(); ++i)
            result[i / M * width + i % M / 2] |= static_cast<std::uint8_t>(codes[i] << (4 * (i % M % 2)));
        return result;
    }

    static void add_section(Bytes& file, std::size_t number, const char* name, std::uint32_t type,
                            const std::vector<std::uint64_t>& shape, const Bytes& content) {
        const std::size_t offset = aligned(file.size());
        file.resize(offset);
        file.insert(file.end(), content.begin(), content.end());
        std::uint8_t* entry = &file[kHeader + number * kEntry];
        std::memcpy(entry, name, std::strlen(name));
        store(entry + 32, 4, type);
        store(entry + 36, 4, shape.size());
        for (std::size_t i = 0; i < shape.size(); ++i) store(entry + 40 + 8 * i, 8, shape[i]);
        store(entry + 72, 8, offset);
        store(entry + 80, 8, content.size());
        store(entry + 88, 4, crc32(content.data(), content.size()));
    }

    std::string name_;
    bool unit_length_ = false, blocks_ = false;
    std::string identity_;  // quoted, as in the file
    std::size_t words_ = 0;
    std::vector<float> centre_, rotation_;
    std::vector<Dictionary> dictionaries_;
};

}  // namespace summand
