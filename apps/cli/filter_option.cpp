#include "filter_option.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "summand/error.h"
#include "summand/io.h"
#include "summand/roaring.h"

namespace summand::cli {
namespace {

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    require(file.good() && !std::filesystem::is_directory(path), path, ": cannot open for reading");
    return {std::istreambuf_iterator<char>(file), {}};
}

constexpr std::pair<const char*, RoaringFormat> kRoaring[] = {{".roaring", RoaringFormat::bits32},
                                                              {".roaring64", RoaringFormat::bits64}};

bool holds_ids(const std::string& path) {
    const auto ends = [&](const char* extension) { return path.ends_with(extension); };
    return ends(".ivecs") || ends(".ibin") || ends(".npy");
}

std::vector<IdRange> ranges_of_file(const std::string& path) {
    if (!holds_ids(path)) return parse_ranges(read_text(path), path);
    std::vector<IdRange> ranges;
    const Matrix<std::int64_t> ids = read_ids(path);
    for (const std::int64_t id : ids.values()) {
        require(id >= 0, path, ": expected ids from 0 on, got ", id);
        ranges.push_back({id, id});
    }
    return ranges;
}

}  // namespace

IdFilter parse_filter(const std::string& text) {
    for (const auto& [extension, format] : kRoaring)
        if (text.starts_with('@') && text.ends_with(extension)) {
            const std::string path = text.substr(1);
            const std::string bytes = read_text(path);
            return filter_of_roaring(std::as_bytes(std::span(bytes)), format, path);
        }
    return IdFilter::ranges(text.starts_with('@') ? ranges_of_file(text.substr(1)) : parse_ranges(text, "--filter"));
}

IdFilter parse_filter(const std::string& text, const LivingIndex& index) {
    if (!index.info().named) return parse_filter(text);
    require(text.starts_with('@'),
            "--filter: the ids of the index are texts, expected @FILE with one in each line, got ", text);
    return index.filter(read_names(text.substr(1)));
}

}  // namespace summand::cli
