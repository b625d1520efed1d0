#include "index/word_groups.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/kernels.h"
#include "kernels/scan.h"

namespace summand {
namespace {

constexpr int kIterations = 6;

using Word = std::uint8_t;
using Group = std::vector<Word>;

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
    Word word;
    std::uint8_t group;

    friend bool operator<(const Pair& a, const Pair& b) {
        if (a.distance != b.distance) return a.distance < b.distance;
        return a.word != b.word ? a.word < b.word : a.group < b.group;
    }
};

// Nearest pairs of a word and a centre first, until every word has a group; no group is larger than it must be.
std::vector<Group> assign(const Points& points, const Group& words, const Matrix<float>& centres) {
    const std::size_t most = (words.size() + centres.rows() - 1) / centres.rows();
    std::vector<Pair> pairs;
    for (const Word word : words)
        for (std::size_t g = 0; g < centres.rows(); ++g)
            pairs.push_back({kernels().squared_distance(points[word], centres.row(g), points.size), word,
                             static_cast<std::uint8_t>(g)});
    std::sort(pairs.begin(), pairs.end());
    std::vector<Group> groups(centres.rows());
    std::vector<bool> taken(points.dictionaries.words);
    for (const Pair& pair : pairs)
        if (!taken[pair.word] && groups[pair.group].size() < most) {
            groups[pair.group].push_back(pair.word);
            taken[pair.word] = true;
        }
    return groups;
}

void move_centres(const Points& points, const std::vector<Group>& groups, Matrix<float>& centres) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].empty()) continue;
        std::vector<const float*> rows;
        for (const Word word : groups[g]) rows.push_back(points[word]);
        kernels().sum_rows(rows.data(), rows.size(), points.size, centres.row(g));
        for (float& x : centres[g]) x /= static_cast<float>(rows.size());
    }
}

// Each next centre is the word farthest from those before it.
Matrix<float> first_centres(const Points& points, const Group& words, std::size_t count) {
    Matrix<float> centres(count, points.size);
    std::vector<float> nearest(words.size(), std::numeric_limits<float>::max());
    std::size_t next = 0;
    for (std::size_t g = 0; g < count; ++g) {
        std::copy_n(points[words[next]], points.size, centres.row(g));
        for (std::size_t i = 0; i < words.size(); ++i)
            nearest[i] =
                std::min(nearest[i], kernels().squared_distance(points[words[i]], centres.row(g), points.size));
        next = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
    }
    return centres;
}

// Balanced k-means.
std::vector<Group> groups_of(const Points& points, const Group& words, std::size_t count) {
    if (words.empty()) return std::vector<Group>(count);
    Matrix<float> centres = first_centres(points, words, count);
    std::vector<Group> groups = assign(points, words, centres);
    for (int i = 0; i < kIterations; ++i) {
        move_centres(points, groups, centres);
        groups = assign(points, words, centres);
    }
    return groups;
}

// Fills `ranks` with the words of the groups, an equal share for each; spare ranks repeat a word of their own group.
void write_ranks(const std::vector<Group>& groups, std::span<Word> ranks) {
    const std::size_t share = ranks.size() / groups.size();
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t i = 0; i < share; ++i)
            if (!groups[g].empty()) ranks[g * share + i] = groups[g][i < groups[g].size() ? i : 0];
}

// In the order of twins: words 0 and 2, 1 and 3 are the nearest two pairs.
Group with_twins(const Points& points, Group words) {
    if (words.size() != kSlotQuartet) return words;
    const auto apart = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
        return kernels().squared_distance(points[words[a]], points[words[b]], points.size) +
               kernels().squared_distance(points[words[c]], points[words[d]], points.size);
    };
    const float first = apart(0, 1, 2, 3), as_they_are = apart(0, 2, 1, 3), last = apart(0, 3, 1, 2);
    if (as_they_are <= first && as_they_are <= last) return words;
    return first <= last ? Group{words[0], words[2], words[1], words[3]}
                         : Group{words[0], words[1], words[3], words[2]};
}

Group all_words(const Dictionaries& dictionaries) {
    Group words(dictionaries.words);
    std::iota(words.begin(), words.end(), Word{0});
    return words;
}

void write_byte_slots(const Points& points, Word* slots) {
    const std::vector<Group> groups = groups_of(points, all_words(points.dictionaries), kByteSlots / kSlotGroup);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        std::array<Word, kSlotGroup> ranks;
        ranks.fill(groups[g].empty() ? Word{0} : groups[g][0]);
        std::vector<Group> quartets = groups_of(points, groups[g], kSlotGroup / kSlotQuartet);
        for (Group& quartet : quartets) quartet = with_twins(points, std::move(quartet));
        write_ranks(quartets, ranks);
        for (std::size_t i = 0; i < kSlotGroup; ++i) slots[byte_slot(g * kSlotGroup + i)] = ranks[i];
    }
}

// Quartets matter in the high nibble only, which is where dictionaries of odd number are.
void write_nibble_slots(const Points& points, Word* slots) {
    const Group words = all_words(points.dictionaries);
    if (points.m % 2 == 0) {
        std::copy(words.begin(), words.end(), slots);
        return;
    }
    std::array<Word, kNibbleSlots> ranks{};
    write_ranks(groups_of(points, words, kNibbleSlots / kSlotQuartet), ranks);
    for (std::size_t i = 0; i < kNibbleSlots; ++i) slots[nibble_slot(i)] = ranks[i];
}

}  // namespace

std::vector<std::uint8_t> grouped_slots(const Quantizer& quantizer) {
    const Dictionaries& dictionaries = quantizer.dictionaries;
    const bool nibbles = dictionaries.words <= kNibbleSlots;
    const std::size_t count = nibbles ? kNibbleSlots : kByteSlots;
    std::vector<std::uint8_t> slots(dictionaries.count * count, 0);
    for (std::size_t m = 0; m < dictionaries.count; ++m)
        (nibbles ? write_nibble_slots : write_byte_slots)(points_of(dictionaries, m), slots.data() + m * count);
    return slots;
}

}  // namespace summand
