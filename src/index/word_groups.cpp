#include "index/word_groups.h"

#include <algorithm>
#include <array>
#include <span>

#include "kernels/kernels.h"
#include "kernels/scan.h"

namespace summand {
namespace {

constexpr std::size_t kGroups = 16;
constexpr int kIterations = 6;

using Members = std::array<std::vector<std::uint8_t>, kGroups>;

// Words of one dictionary as points; only the dimensions they use.
struct Points {
    const Dictionaries& dictionaries;
    std::size_t m;
    std::size_t begin, size;

    const float* operator[](std::size_t k) const { return dictionaries.word(m, k) + begin; }
};

Points points_of(const Dictionaries& dictionaries, std::size_t m) {
    if (!dictionaries.blocks()) return {dictionaries, m, 0, dictionaries.dimensions()};
    const std::size_t begin = dictionaries.block_begin[m];
    return {dictionaries, m, begin, dictionaries.block_begin[m + 1] - begin};
}

struct Pair {
    float distance;
    std::uint8_t word, group;

    friend bool operator<(const Pair& a, const Pair& b) {
        if (a.distance != b.distance) return a.distance < b.distance;
        return a.word != b.word ? a.word < b.word : a.group < b.group;
    }
};

// Nearest pairs of a word and a centre first, until every word has a group; groups take up to K/16 words.
Members assign(const Points& points, const Matrix<float>& centres) {
    const std::size_t words = points.dictionaries.words;
    const std::size_t most = (words + kGroups - 1) / kGroups;
    std::vector<Pair> pairs;
    for (std::size_t k = 0; k < words; ++k)
        for (std::size_t g = 0; g < kGroups; ++g)
            pairs.push_back({kernels().squared_distance(points[k], centres.row(g), points.size),
                             static_cast<std::uint8_t>(k), static_cast<std::uint8_t>(g)});
    std::sort(pairs.begin(), pairs.end());
    Members members;
    std::vector<bool> taken(words);
    for (const Pair& pair : pairs)
        if (!taken[pair.word] && members[pair.group].size() < most) {
            members[pair.group].push_back(pair.word);
            taken[pair.word] = true;
        }
    return members;
}

void move_centres(const Points& points, const Members& members, Matrix<float>& centres) {
    for (std::size_t g = 0; g < kGroups; ++g) {
        if (members[g].empty()) continue;
        std::vector<const float*> rows;
        for (const std::uint8_t word : members[g]) rows.push_back(points[word]);
        kernels().sum_rows(rows.data(), rows.size(), points.size, centres.row(g));
        for (float& x : centres[g]) x /= static_cast<float>(rows.size());
    }
}

// Each next centre is the word farthest from those before it.
Matrix<float> first_centres(const Points& points) {
    Matrix<float> centres(kGroups, points.size);
    std::vector<float> nearest(points.dictionaries.words, std::numeric_limits<float>::max());
    std::size_t word = 0;
    for (std::size_t g = 0; g < kGroups; ++g) {
        std::copy_n(points[word], points.size, centres.row(g));
        for (std::size_t k = 0; k < nearest.size(); ++k)
            nearest[k] = std::min(nearest[k], kernels().squared_distance(points[k], centres.row(g), points.size));
        word = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
    }
    return centres;
}

void write_groups(const Points& points, std::uint8_t* slots) {
    Matrix<float> centres = first_centres(points);
    Members members = assign(points, centres);
    for (int i = 0; i < kIterations; ++i) {
        move_centres(points, members, centres);
        members = assign(points, centres);
    }
    for (std::size_t g = 0; g < kGroups; ++g)
        for (std::size_t s = 0; s < kNibbleSlots; ++s)
            if (!members[g].empty()) slots[g * kNibbleSlots + s] = members[g][s < members[g].size() ? s : 0];
}

}  // namespace

std::size_t code_plane_count(const Quantizer& quantizer) {
    const Dictionaries& dictionaries = quantizer.dictionaries;
    return dictionaries.words <= kNibbleSlots ? (dictionaries.count + 1) / 2 : dictionaries.count;
}

std::vector<std::uint8_t> grouped_slots(const Quantizer& quantizer) {
    const Dictionaries& dictionaries = quantizer.dictionaries;
    if (dictionaries.words > kNibbleSlots) {
        std::vector<std::uint8_t> slots(dictionaries.count * kByteSlots, 0);
        for (std::size_t m = 0; m < dictionaries.count; ++m)
            write_groups(points_of(dictionaries, m), slots.data() + m * kByteSlots);
        return slots;
    }
    std::vector<std::uint8_t> slots(dictionaries.count * kNibbleSlots, 0);
    for (std::size_t m = 0; m < dictionaries.count; ++m)
        for (std::size_t k = 0; k < dictionaries.words; ++k) slots[m * kNibbleSlots + k] = static_cast<std::uint8_t>(k);
    return slots;
}

}  // namespace summand
