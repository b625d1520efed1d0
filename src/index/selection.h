// Which vectors a search looks at: all, or those a filter keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "summand/index.h"

namespace summand {

/// Blocks with many kept vectors are scanned as a whole; those with a few are not, their vectors are scored one by one.
class Selection {
public:
    struct Run {
        std::size_t first, last;  ///< blocks
    };

    Selection(std::size_t vectors, const IdFilter* filter);  ///< null keeps all

    const std::vector<Run>& runs() const { return runs_; }
    const std::vector<std::size_t>& singles() const { return singles_; }  ///< ascending
    std::size_t kept() const { return kept_; }
    bool filtered() const { return filter_ != nullptr; }

    /// Bits of the kept ones among vectors 64·word … 64·word + 63.
    std::uint64_t word(std::size_t word) const {
        const std::uint64_t kept = filter_ ? filter_->word(word) : ~std::uint64_t{0};
        return word < whole_words_ ? kept : word == whole_words_ ? kept & last_word_ : 0;
    }

private:
    void add_block(std::size_t block);

    const IdFilter* filter_;
    std::size_t whole_words_;
    std::uint64_t last_word_;
    std::size_t kept_ = 0;
    std::vector<Run> runs_;
    std::vector<std::size_t> singles_;
};

}  // namespace summand
