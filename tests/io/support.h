// What the tests of files share: a directory that vanishes, small seeded data, and errors by their words.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "summand/error.h"
#include "summand/io.h"

namespace summand::test {

class TemporaryDirectory {
public:
    explicit TemporaryDirectory(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
        std::string pattern = (parent / "summand-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw Error("cannot make a temporary directory");
        path_ = pattern;
    }
    ~TemporaryDirectory() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    std::string operator/(std::string_view name) const { return (path_ / name).string(); }
    const std::filesystem::path& path() const { return path_; }
    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator{}));
    }

private:
    std::filesystem::path path_;
};

/// Little-endian bytes of numbers of several types, one after the other.
template <class... Numbers>
std::string bytes_of(const Numbers&... numbers) {
    std::string bytes;
    (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    return bytes;
}

inline void write_raw(const std::string& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string read_raw(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline Matrix<float> random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
    Random random(seed);
    Matrix<float> result(rows, columns);
    for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = static_cast<float>(random.gaussian());
    return result;
}

/// Whole numbers from `smallest` to `largest`.
inline Matrix<float> random_whole(std::size_t rows, std::size_t columns, int smallest, int largest,
                                  std::uint64_t seed) {
    Random random(seed);
    Matrix<float> result(rows, columns);
    for (std::size_t i = 0; i < result.size(); ++i)
        result.data()[i] = static_cast<float>(
            smallest + static_cast<int>(random.below(static_cast<std::size_t>(largest - smallest + 1))));
    return result;
}

/// Runs `action`, which must throw an `Error` whose message has all these parts.
template <class Action>
void expect_error(const Action& action, std::initializer_list<std::string_view> parts) {
    try {
        action();
    } catch (const Error& error) {
        for (const std::string_view part : parts)
            EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos)
                << "no '" << part << "' in: " << error.what();
        return;
    }
    ADD_FAILURE() << "no error was thrown, expected one with '" << (parts.size() > 0 ? *parts.begin() : "") << "'";
}

}  // namespace summand::test
