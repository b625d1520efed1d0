#include "index/list_parts.h"

#include <algorithm>
#include <utility>

namespace summand {

ListParts::ListParts(std::vector<ListPart> parts) : parts_(std::move(parts)) {
    for (ListPart& part : parts_) {
        part.first_place = size_;
        size_ += part.lists.size();
    }
}

ListParts::ListParts(const InvertedLists& lists, const IdFilter* filter) : ListParts({{lists, filter}}) {}

std::size_t ListParts::length(std::size_t first, std::size_t last) const {
    std::size_t length = 0;
    for (const ListPart& part : parts_) length += part.lists.begin(last) - part.lists.begin(first);
    return length;
}

ListParts::Place ListParts::place(std::size_t number) const {
    const auto after =
        std::upper_bound(parts_.begin(), parts_.end(), number,
                         [](std::size_t place, const ListPart& part) { return place < part.first_place; });
    const auto part = static_cast<std::size_t>(after - parts_.begin()) - 1;
    return {part, number - parts_[part].first_place};
}

bool ListParts::is_before(std::size_t first, std::size_t second) const {
    if (parts_.size() == 1) return first < second;
    const auto key = [&](std::size_t number) {
        const Place own = place(number);
        const ListPart& part = parts_[own.part];
        return std::pair(part.lists.cell_of(own.position), part.id(own.position));
    };
    return key(first) < key(second);
}

}  // namespace summand
