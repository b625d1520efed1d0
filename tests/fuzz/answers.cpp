#include "fuzz/answers.h"

#include "io/byte_source.h"
#include "io/container_reader.h"
#include "store/manifest.h"
#include "summand/aggregate.h"
#include "summand/describe.h"
#include "summand/encoder.h"
#include "summand/error.h"
#include "summand/index.h"
#include "summand/io.h"
#include "summand/living_index.h"
#include "summand/unfinished_index.h"

namespace summand::fuzz {
namespace {

constexpr std::size_t kMostWork = std::size_t{1} << 22;  // operations that a file of some kB may ask for
const Execution kAlone{.threads = 1};

class Digest {
public:
    template <class T>
    void add(const std::vector<T>& values) {
        text_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    void add(const Neighbors& found) {
        add(found.ids.values());
        add(found.scores.values());
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

// Of any length but zero, which cosine has no use for.
Matrix<float> vector_of(std::size_t dimensions) {
    Matrix<float> vector(1, dimensions);
    for (std::size_t d = 0; d < dimensions; ++d) vector[0][d] = static_cast<float>(d % 7) - 2.5f;
    return vector;
}

// A query may overflow: that is for it to be told.
template <class Searched>
void search(const Searched& index, Digest& digest) {
    const Matrix<float> query = vector_of(index.dimensions());
    for (const bool refined : {false, true}) {
        SearchOptions options{.k = 5, .execution = kAlone};
        if (!refined) options.refine = 0;
        try {
            digest.add(index.search(query.view(), options));
        } catch (const Error&) {
        }
    }
}

void encode_with(const Quantizer& quantizer, Digest& digest) {
    const Dictionaries& words = quantizer.dictionaries;
    digest.add(std::vector<std::uint64_t>{identity(quantizer)});
    if (words.rows.size() * words.count * words.words > kMostWork) return;
    const Matrix<float> vector = vector_of(quantizer.dimensions());
    const Codes codes = encode(quantizer, vector.view(), {.effort = Effort::fast, .execution = kAlone});
    digest.add(codes.rows.values());
    digest.add(codes.bias);
}

void use_index(std::span<const std::byte> bytes, Digest& digest) {
    const Index index = Index::from_bytes(bytes);
    search(index, digest);
    describe(index);
    Index::from_bytes(index.to_bytes());  // what is accepted can be saved and loaded again
}

void use_vocabulary(const Vocabulary& vocabulary, Digest& digest) {
    digest.add(aggregate(vocabulary, vector_of(vocabulary.mean.size()).view()));
}

void use_checkpoint(const Checkpoint& checkpoint, Digest& digest) {
    digest.add(checkpoint.codes.values());
    digest.add(checkpoint.dictionaries.rows.values());
    digest.add(checkpoint.objective);
}

void use_codes(const Codes& codes, Digest& digest) {
    digest.add(codes.rows.values());
    digest.add(codes.bias);
}

}  // namespace

std::string answers(std::span<const std::byte> container) {
    const MemoryBytes bytes(container);
    Digest digest;
    switch (ContainerReader(bytes, "memory").kind()) {
        case Kind::model:
            encode_with(load_quantizer(container), digest);
            break;
        case Kind::codes:
            use_codes(load_codes(container), digest);
            break;
        case Kind::index:
        case Kind::inverted:
            use_index(container, digest);
            break;
        case Kind::checkpoint:
            use_checkpoint(load_checkpoint(container), digest);
            break;
        case Kind::vocabulary:
            use_vocabulary(load_vocabulary(container), digest);
            break;
        case Kind::inverted_model:
            encode_with(load_inverted_model(container).quantizer, digest);
            break;
        default:
            throw Error("memory: expected a container that is read by itself");
    }
    return digest.take();
}

std::string answers_of_file(const std::string& path) {
    if (!holds_unfinished_index(path)) {
        const InputFile file(path);
        Bytes bytes(file.size());
        file.read_at(0, bytes);
        return answers(bytes);
    }
    verify_unfinished_index(path);
    std::string text;
    for (const auto& [name, value] : unfinished_task(path)) text += name + value;
    return text;
}

std::string answers_of_folder(const std::string& folder) {
    const LivingIndex index = LivingIndex::open(folder);
    Digest digest;
    search(index, digest);
    return digest.take();
}

}  // namespace summand::fuzz
