#include "index/code_parts.h"

#include <algorithm>

namespace summand {
namespace {

// The pieces of stretches that come first … last-1 in every `period` blocks of them.
std::vector<CodeParts::Stretch> every(std::size_t period, std::size_t first, std::size_t last,
                                      const std::vector<CodeParts::Stretch>& stretches) {
    std::vector<CodeParts::Stretch> pieces;
    std::size_t before = 0;  // blocks of the stretches before this one
    for (const CodeParts::Stretch& stretch : stretches) {
        const std::size_t end = before + (stretch.last - stretch.first);
        for (std::size_t b = before / period * period; b < end; b += period) {
            const std::size_t from = std::max(before, b + first), to = std::min(end, b + last);
            if (from < to)
                pieces.push_back({stretch.part, stretch.first + (from - before), stretch.first + (to - before)});
        }
        before = end;
    }
    return pieces;
}

std::vector<Tile> tiles_of(const std::vector<CodeParts::Stretch>& stretches, std::size_t most_blocks) {
    std::vector<Tile> tiles;
    std::size_t room = 0;
    for (CodeParts::Stretch rest : stretches)
        while (rest.first < rest.last) {
            if (room == 0) {
                tiles.emplace_back();
                room = most_blocks;
            }
            const std::size_t end = std::min(rest.last, rest.first + room);
            tiles.back().push_back({rest.part, rest.first, end});
            room -= end - rest.first;
            rest.first = end;
        }
    return tiles;
}

void add_singles(const CodeParts& parts, std::size_t first, std::size_t last, ScanOrder& order) {
    for (const CodeParts::Part& part : parts.all())
        for (const std::size_t vector : part.selection.singles()) {
            const std::size_t block = part.first_block + vector / kBlockVectors;
            if (block >= first && block < last) order.singles.emplace_back(&part, vector);
        }
}

}  // namespace

CodeParts::CodeParts(std::span<const PartOfCodes> parts) {
    for (const PartOfCodes& part : parts) {
        parts_.emplace_back(part, blocks_);
        blocks_ += part.codes.block_count();
        kept_ += parts_.back().selection.kept();
    }
}

bool CodeParts::filtered() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.selection.filtered(); });
}

std::size_t CodeParts::words() const {
    std::size_t words = 0;
    for (const Part& part : parts_) words += part.words();
    return words;
}

std::size_t CodeParts::code_bytes() const {
    std::size_t bytes = 0;
    for (const Part& part : parts_) bytes += part.codes.parts().rows.size();
    return bytes;
}

std::vector<CodeParts::Stretch> CodeParts::runs(std::size_t first, std::size_t last) const {
    std::vector<Stretch> runs;
    for (const Part& part : parts_) {
        if (part.first_block >= last) break;
        const std::size_t begin = std::max(first, part.first_block) - part.first_block, end = last - part.first_block;
        for (const Selection::Run& run : part.selection.runs()) {
            const Stretch clipped{&part, std::max(begin, run.first), std::min(end, run.last)};
            if (clipped.first < clipped.last) runs.push_back(clipped);
        }
    }
    return runs;
}

bool CodeParts::has_one_run_each() const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.selection.runs().size() <= 1; });
}

std::size_t block_count(const Tile& tile) {
    std::size_t blocks = 0;
    for (const CodeParts::Stretch& stretch : tile) blocks += stretch.last - stretch.first;
    return blocks;
}

ScanOrder plain_order(const CodeParts& parts, std::size_t first, std::size_t last, std::size_t tile_blocks) {
    ScanOrder order{{tiles_of(parts.runs(first, last), tile_blocks)}};
    add_singles(parts, first, last, order);
    return order;
}

ScanOrder spread_order(const CodeParts& parts, std::size_t first, std::size_t last, std::size_t tile_blocks) {
    if (!parts.has_one_run_each()) return plain_order(parts, first, last, tile_blocks);
    constexpr std::size_t kStride = 8, kStretches = 32, kLong = 16;
    const std::vector<CodeParts::Stretch> runs = parts.runs(first, last);
    const std::size_t stretch = std::clamp<std::size_t>(block_count(runs) / kStretches, 1, tile_blocks);
    ScanOrder order;
    const auto add_pass = [&](std::size_t from, std::size_t to) {
        order.passes.push_back(tiles_of(every(kStride * stretch, from, to, runs), tile_blocks));
    };
    const std::size_t beginning = stretch < kLong ? 0 : stretch / kStride;
    if (beginning > 0) add_pass(0, beginning);
    add_pass(beginning, stretch);
    add_pass(stretch, kStride * stretch);
    add_singles(parts, first, last, order);
    return order;
}

}  // namespace summand
