// Which vectors a search looks at: all, or those a filter keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "summand/flat_index.h"

namespace summand {

/// Stretches of blocks with many kept vectors are scanned as a whole; elsewhere the few are scored one by one.
class Selection {
public:
    struct Run {
        std::size_t first, last;  ///< blocks
    };

    Selection(std::size_t vectors, const IdFilter* filter);  ///< null keeps all
    Selection(const Selection&) = delete;
    Selection& operator=(const Selection&) = delete;

    const std::vector<Run>& runs() const { return runs_; }
    const std::vector<std::size_t>& singles() const { return singles_; }  ///< vectors outside of runs, ascending
    std::size_t kept() const { return kept_; }
    std::size_t kept_in(std::size_t first, std::size_t last) const;  ///< blocks first … last-1, as if they were full
    bool filtered() const { return filtered_; }

    /// Bits of the kept ones among vectors 64·word … 64·word + 63.
    std::uint64_t word(std::size_t word) const {
        const std::uint64_t kept = !filtered_ ? kAll : word < bits_.size() ? bits_[word] : 0;
        return word < whole_words_ ? kept : word == whole_words_ ? kept & last_word_ : 0;
    }

    /// Returns the words first … first + count - 1. They are written to `buffer` unless they lie in memory in this
    /// form.
    const std::uint64_t* words(std::size_t first, std::size_t count, std::uint64_t* buffer) const;

private:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};

    void add_blocks(std::size_t first, std::size_t last);
    void add_run(std::size_t block);
    void add_singles(std::size_t block);

    bool filtered_;
    std::vector<std::uint64_t> room_;      // of the bits, where the filter has them in another form
    std::span<const std::uint64_t> bits_;  // of the filter: the vectors it keeps
    std::size_t whole_words_;
    std::uint64_t last_word_;
    std::size_t kept_ = 0;
    std::vector<std::uint16_t> counts_;  // of each block, where there is a filter
    std::vector<Run> runs_;
    std::vector<std::size_t> singles_;
};

}  // namespace summand
