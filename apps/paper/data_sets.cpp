#include "data_sets.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "hash.h"
#include "tool.h"

namespace summand::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtensions[] = {".fvecs", ".bvecs", ".fbin", ".u8bin", ".i8bin", ".npy"};

constexpr const char* kFirstRows = "bigann";  // the set whose first rows are taken
constexpr std::size_t kPiece = 100'000;       // rows that are hashed at once

// The sets of the paper that come as files with such names.
struct KnownSet {
    const char* name;
    const char* title;
    std::size_t base, learn, queries, dimensions;
};

constexpr KnownSet kKnownSets[] = {
    {"mnist", "MNIST", 60'000, 60'000, 10'000, 784},
    {"labelme", "LabelMe 22K", 20'019, 20'019, 2'000, 512},
    {"sift", "1M SIFT", 1'000'000, 100'000, 10'000, 128},
    {"gist", "1M GIST", 1'000'000, 500'000, 1'000, 960},
    {"cnn", "1M CNN", 1'281'167, 10'000, 100'000, 4096},
    {kFirstRows, "1B SIFT", 1'000'000'000, 1'000'000, 10'000, 128},
};

std::optional<std::string> existing(const fs::path& folder, const std::vector<std::string>& stems) {
    for (const std::string& stem : stems)
        for (const char* extension : kExtensions)
            if (fs::exists(folder / (stem + extension))) return folder / (stem + extension);
    return {};
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string folder_name(const fs::path& folder) {
    const fs::path whole = fs::weakly_canonical(folder);
    return lower(whole.has_filename() ? whole.filename() : whole.parent_path().filename());
}

std::map<Protocol, std::string> lists_beside(const fs::path& base, const std::string& prefix) {
    std::map<Protocol, std::string> paths;
    for (const Protocol protocol : kProtocols) {
        const fs::path path = base.parent_path() / concatenate(prefix, "relevance_", name(protocol), ".txt");
        if (fs::exists(path)) paths[protocol] = path;
    }
    return paths;
}

// The set whose base is this file, where it is one and queries lie beside it.
std::optional<DataFiles> triple(const fs::path& base) {
    const std::string stem = base.stem();
    const bool known =
        std::find(std::begin(kExtensions), std::end(kExtensions), base.extension()) != std::end(kExtensions);
    if (!known || !stem.ends_with("base")) return {};
    const std::string prefix = stem.substr(0, stem.size() - 4);
    const auto queries = existing(base.parent_path(), {prefix + "query", prefix + "queries"});
    if (!queries || (!prefix.empty() && !prefix.ends_with("_"))) return {};
    const auto learn = existing(base.parent_path(), {prefix + "learn"});
    const std::string name =
        prefix.empty() ? folder_name(base.parent_path()) : lower(prefix.substr(0, prefix.size() - 1));
    return DataFiles{name, base, *queries, learn.value_or(base), !prefix.empty(), lists_beside(base, prefix)};
}

std::optional<DataFiles> images(const fs::path& folder) {
    std::string paths[2];
    for (const int i : {0, 1}) {
        const std::string plain = folder / (i == 0 ? "train-images-idx3-ubyte" : "t10k-images-idx3-ubyte");
        paths[i] = fs::exists(plain) ? plain : plain + ".gz";
        if (!fs::exists(paths[i])) return {};
    }
    const bool fashion = folder_name(folder).find("fashion") != std::string::npos;
    return DataFiles{fashion ? "fashion-mnist" : "mnist", paths[0], paths[1], paths[0], true, {}};
}

void add(std::vector<DataFiles>& sets, const std::optional<DataFiles>& found) {
    const auto same = [&](const DataFiles& other) { return other.name == found->name; };
    if (found && std::none_of(sets.begin(), sets.end(), same)) sets.push_back(*found);
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(folder, fs::directory_options::skip_permission_denied))
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

void add_from(std::vector<DataFiles>& sets, const fs::path& folder) {
    add(sets, images(folder));
    for (const fs::path& path : sorted_entries(folder))
        if (fs::is_regular_file(path)) add(sets, triple(path));
}

std::string names_of(const std::vector<DataFiles>& sets) {
    std::string text;
    for (const DataFiles& set : sets) text += (text.empty() ? "" : ", ") + set.name;
    return text;
}

constexpr const char* kLookedFor =
    "looked there and in its folders for NAME_base, NAME_query and NAME_learn (or base, query and learn) as .fvecs "
    ".bvecs .fbin .u8bin .i8bin or .npy, such as sift_base.fvecs, and for train-images-idx3-ubyte with "
    "t10k-images-idx3-ubyte; ./dev fetch gets the sets that come as packages";

template <class Value>
std::uint64_t hashed(const Matrix<Value>& rows, std::uint64_t hash) {
    const std::uint64_t shape[] = {rows.rows(), rows.columns()};
    return hash_of(std::as_bytes(std::span(rows.values())), hash_of(std::as_bytes(std::span(shape)), hash));
}

std::uint64_t hashed(const VectorSource& source) {
    std::uint64_t hash = 0;
    for (std::size_t first = 0; first < source.rows; first += kPiece) {
        check_interrupt();
        hash = hashed(source.read(first, std::min(kPiece, source.rows - first)), hash);
    }
    return hash;
}

// Some of the vectors: the first ones, or a sample.
Matrix<float> some_of(const DataFiles& files, const VectorSource& source, std::size_t count, std::uint64_t seed) {
    check_interrupt();
    if (files.name == kFirstRows) return source.read(0, std::min(count, source.rows));
    return sample_vectors(source, count, seed);
}

}  // namespace

std::vector<DataFiles> find_data_sets(const std::string& folder, const std::vector<std::string>& names) {
    require(fs::is_directory(folder), folder, ": expected a folder with data sets, found none");
    std::vector<DataFiles> all;
    add_from(all, folder);
    for (const fs::path& inner : sorted_entries(folder))
        if (fs::is_directory(inner)) add_from(all, inner);
    require(!all.empty(), folder, ": no data set found; ", kLookedFor);
    if (names.empty()) return all;
    std::vector<DataFiles> chosen;
    for (const std::string& name : names) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const DataFiles& set) { return set.name == name; });
        require(found != all.end(), folder, ": no data set '", name, "'; found: ", names_of(all), "; ", kLookedFor);
        add(chosen, *found);
    }
    return chosen;
}

PaperVectors read_paper_vectors(const DataFiles& files, const SampleSizes& sizes, std::uint64_t seed) {
    const VectorReader learn(files.learn), queries(files.queries);
    PaperVectors vectors;
    vectors.base = VectorSource::file(files.base);
    require_dimensions(learn, vectors.base->columns, files.base);
    require_dimensions(queries, vectors.base->columns, files.base);
    const auto own = sizes.learn_of.find(files.name);
    vectors.learn = some_of(files, learn, own == sizes.learn_of.end() ? sizes.learn : own->second, seed);
    vectors.queries = some_of(files, queries, sizes.queries, seed);
    if (vectors.base->rows <= sizes.base) return vectors;
    if (files.name == kFirstRows) {
        vectors.base->rows = sizes.base;
        return vectors;
    }
    vectors.sample = some_of(files, *vectors.base, sizes.base, seed);
    vectors.base = VectorSource(vectors.sample);
    return vectors;
}

PaperSet describe_set(const DataFiles& files, const SampleSizes& sizes, Extent extent, std::uint64_t seed) {
    const PaperVectors vectors = read_paper_vectors(files, sizes, seed);
    PaperSet set{.files = files, .sizes = sizes, .name = files.name, .title = files.name, .published = {}};
    set.dimensions = vectors.base->columns;
    set.base = vectors.base->rows;
    set.learn = vectors.learn.rows();
    set.queries = vectors.queries.rows();
    set.base_rows = VectorReader(files.base).rows();
    set.hash = hashed(vectors.queries, hashed(vectors.learn, hashed(*vectors.base)));
    for (const auto& [protocol, path] : files.relevance) {
        const Relevance relevance = read_relevance(path, set.base_rows);
        set.lists[protocol] = hashed(relevance.relevant, hash_of(std::as_bytes(std::span(relevance.queries))));
    }
    for (const KnownSet& known : kKnownSets) {
        if (!files.usual_names || files.name != known.name || set.dimensions != known.dimensions) continue;
        set.title = set.known = known.title;
        if (set.base == known.base && set.learn == known.learn && set.queries == known.queries)
            set.published = known.title;
    }
    if (files.name == "fashion-mnist") set.title = "Fashion-MNIST";
    if (extent == Extent::slice) {
        set.name += "-slice";
        set.title += ", slice";
    }
    return set;
}

}  // namespace summand::cli
