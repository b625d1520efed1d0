// Short forms for tests that save and load the parts of an index.
#pragma once

#include <string>
#include <string_view>

#include "summand/index.h"
#include "summand/io.h"

namespace summand::test {

inline Bytes save(const Index& index) { return index.to_bytes(); }
inline Bytes save(const FlatIndex& index) { return save(Index(index)); }
inline Bytes save(const InvertedIndex& index) { return save(Index(index)); }

inline void save(const std::string& path, const Index& index) { index.save(path); }
inline void save(const std::string& path, const FlatIndex& index) { save(path, Index(index)); }
inline void save(const std::string& path, const InvertedIndex& index) { save(path, Index(index)); }

inline Index load_index(const Bytes& bytes, std::string_view name = "memory") { return Index::from_bytes(bytes, name); }
inline Index load_index(const std::string& path) { return Index::open(path); }

template <class... From>
FlatIndex load_flat(const From&... from) {
    return *load_index(from...).flat();
}

template <class... From>
InvertedIndex load_inverted(const From&... from) {
    return *load_index(from...).inverted();
}

}  // namespace summand::test
