// Words transposed, so that the products of a query with 16 of them at a time are sums along its dimensions, in the
// same order for every instruction set and batch size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/aligned.h"
#include "summand/matrix.h"

namespace summand {

class WordPanels {
public:
    /// Room for that many values of words.
    explicit WordPanels(std::size_t values) : columns_(values) {}

    /// Words with dimensions begin … end-1; word_of(s) is that of entry `entry` + s of a query's products, s < slots, a
    /// multiple of 16.
    template <class WordOf>
    void add(std::size_t entry, std::size_t slots, std::size_t begin, std::size_t end, WordOf word_of) {
        for (std::size_t first = 0; first < slots; first += kSlots) {
            const Panel panel{begin, end, entry + first, std::min(kSlots, slots - first), used_};
            for (std::size_t s = 0; s < panel.slots; ++s) {
                const float* word = word_of(first + s);
                for (std::size_t d = begin; d < end; ++d) columns_[used_ + (d - begin) * panel.slots + s] = word[d];
            }
            used_ += (end - begin) * panel.slots;
            panels_.push_back(panel);
        }
    }

    /// Rows of `stride` values at `out`, one per query.
    void products(MatrixView<float> queries, std::size_t stride, float* out) const;

private:
    // Few enough to stay in the cache while queries are multiplied with them, and eight vectors of 16: a single query needs
    // as many sums at a time for none of them to wait for its last product.
    static constexpr std::size_t kSlots = 128;

    //     | dimension begin: slots floats | dimension begin + 1 | … | dimension end - 1 |
    struct Panel {
        std::size_t begin, end;  // dimensions
        std::size_t entry;       // the first
        std::size_t slots;       // how many
        std::size_t first;       // float of `columns_`
    };

    std::vector<Panel> panels_;
    AlignedBuffer<float> columns_;
    std::size_t used_ = 0;
};

}  // namespace summand
