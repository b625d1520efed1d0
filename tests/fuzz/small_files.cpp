// Small files of every kind, made by the library:
//
//     small_files write FOLDER      FOLDER/TARGET/NAME, what fuzzing begins with
//     small_files flips [STEP]      flips bits and cuts files at every STEP-th place: each must be refused or harmless
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>

#include "base/random.h"
#include "fuzz/answers.h"
#include "fuzz/folder_files.h"
#include "summand/aggregate.h"
#include "summand/build.h"
#include "summand/error.h"
#include "summand/living_index.h"
#include "summand/unfinished_index.h"

namespace summand::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kColumns = 6;
const Execution kAlone{.threads = 1};

Matrix<float> vectors(std::size_t rows, std::uint64_t seed) {
    Random random(seed);
    Matrix<float> result(rows, kColumns);
    for (std::size_t i = 0; i < rows; ++i)
        for (float& x : result[i]) x = static_cast<float>(random.gaussian() + 3 * static_cast<double>(i % 5));
    return result;
}

Bytes bytes_of(const std::string& path) {
    Bytes bytes(fs::file_size(path));
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

void write(const std::string& path, std::span<const std::byte> bytes) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

class Scratch {
public:
    Scratch() {
        const fs::path memory = "/dev/shm";
        std::string pattern =
            ((fs::is_directory(memory) ? memory : fs::temp_directory_path()) / "files-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw Error("cannot make a temporary folder");
        path_ = pattern;
    }
    ~Scratch() { fs::remove_all(path_); }
    std::string operator/(const std::string& name) const { return (fs::path(path_) / name).string(); }

private:
    std::string path_;
};

using Files = std::map<std::string, Bytes>;

void add_checkpoint(Files& files) {
    TrainSettings settings{.seed = 1};
    settings.execution = kAlone;
    settings.checkpoint = [&](const Checkpoint& checkpoint) { files["checkpoint.smd"] = save(checkpoint); };
    train(vectors(60, 1).view(), parse_spec("OCQ2x2(iterations=1)"), settings);
}

void add_unfinished(Files& files, const InvertedModel& model) {
    const Scratch scratch;
    const std::string path = scratch / "unfinished.smd";
    begin_index(path, {{"--seed", "1"}}, model);
    InvertedBuilder builder(model, {.execution = kAlone});
    const CellCodes chunk = builder.encode(vectors(5, 2).view(), kAlone);
    append_chunk(path, chunk, builder);
    files["unfinished.smd"] = bytes_of(path);
}

Files containers() {
    Files files;
    const VectorSource base(vectors(70, 1));
    for (const char* spec : {"PQ2x2", "OPQ3x5(iterations=1)", "CQ2x2(iterations=1)", "RQ2x2", "IVF3,PQ2x2",
                             "IMI2x1,CQ2x2(iterations=1)", "IVF9(groups=3),PQ2x2", "PQ2x2,Refine(sq8)",
                             "PQ2x2,Refine(fp16)", "IVF3,PQ2x2,Refine(u8)", "IVF3,PQ2x2,Refine(PQ2x2)"}) {
        const bool whole = std::string_view(spec).ends_with("(u8)");
        Matrix<float> rounded = vectors(70, 1);
        for (std::size_t i = 0; whole && i < rounded.size(); ++i)
            rounded.data()[i] = std::floor(std::abs(rounded.data()[i]));
        BuildSettings settings;
        settings.execution = kAlone;
        const Index index = whole ? build(VectorSource(rounded), spec, settings) : build(base, spec, settings);
        files[std::string(spec) + ".smd"] = index.to_bytes();
        if (std::string_view(spec) == "RQ2x2") {
            files["model.smd"] = save(index.quantizer());
            files["codes.smd"] = save(index.flat()->codes(), index.quantizer());
        }
        if (std::string_view(spec) == "IVF3,PQ2x2") {
            files["inverted_model.smd"] = save(index.inverted()->model());
            add_unfinished(files, index.inverted()->model());
        }
    }
    for (const Aggregation kind : {Aggregation::vlad, Aggregation::fisher}) {
        VocabularyOptions options{.kind = kind, .words = 2};
        options.execution = kAlone;
        files[std::string(name(kind)) + ".smd"] = save(train(vectors(80, 3).view(), options));
    }
    add_checkpoint(files);
    return files;
}

std::map<std::string, FolderFiles> folders() {
    std::map<std::string, FolderFiles> result;
    for (const char* spec : {"PQ2x2", "IVF3,PQ2x2,Refine(PQ2x2)", "IVF3,PQ2x2,Refine(fp16)"}) {
        const Scratch scratch;
        const std::string folder = scratch / "index";
        BuildSettings settings;
        settings.execution = kAlone;
        LivingIndex index = LivingIndex::create(folder, VectorSource(vectors(60, 1)), spec, settings);
        index.add(VectorSource(vectors(9, 2)), kAlone);
        index.add(VectorSource(vectors(4, 3)), std::vector<std::int64_t>{90, 20, 30, 77}, Duplicates::refuse, kAlone);
        index.remove(std::vector<std::int64_t>{1, 3, 90});
        result[spec] = files_of(folder);
    }
    return result;
}

// Text, vectors and bitmaps whose first bytes say what they are.
Files others() {
    const auto text = [](std::string_view whole) {
        const auto* begin = reinterpret_cast<const std::byte*>(whole.data());
        return Bytes(begin, begin + whole.size());
    };
    using namespace std::string_view_literals;
    return {
        {"text/spec", text("\0IVF64(coding=plain,iterations=20),PQ16x4(iterations=3),Refine(sq8)"sv)},
        {"text/imi", text("\0IMI2x10(coarse=OPQ),NOCQ8(penalty=0.1),Refine(CQ8)"sv)},
        {"text/filter", text("\1"
                             "0-999,2000, 3000-\n77")},
        {"text/relevance", text("\2"
                                "7 6 8 # a comment\n9 1 2 3\n")},
        {"text/path", text("\3"
                           "npz:some/file.npz:train")},
        {"text/bytes", text("\4"
                            "1.5GiB")},
        {"row_set/array", text("\0\5\x3a\x30\0\0\1\0\0\0\0\0\1\0\x10\0\0\0\1\0\7\0"sv)},
        {"row_set/runs", text("\0\x50\x3b\x30\0\0\1\0\0\6\0\1\0\2\0\6\0"sv)},
        {"vectors/fvecs", text("\0\2\0\0\0\0\0\x80?\0\0\0@"sv)},
        {"vectors/bvecs", text("\1\3\0\0\0\1\2\3\3\0\0\0\4\5\6"sv)},
        {"vectors/ivecs", text("\2\1\0\0\0\x09\0\0\0"sv)},
        {"vectors/fbin", text("\3\1\0\0\0\1\0\0\0\0\0\x80?"sv)},
        {"vectors/npy", text("\7\x93NUMPY\1\0\x3a\0{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}\n\1\2"sv)},
        {"vectors/npz",
         text("\x8"
              "PK\3\4\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0a.npyPK\1\2\x14\0\x14\0\0\0\0\0\0\0\0\0"
              "\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a.npyPK\5\6\0\0\0\0\1\0\1\0\x33\0\0\0"
              "\x23\0\0\0\0\0"sv)},
        {"vectors/csv", text("\x09"
                             "a,b\n1,2.5e3\n-3,+4\n")},
        {"vectors/csv.gz", text("\x89"
                                "1 2 3\n4 5 6\n")},
        {"vectors/tsv", text("\x0a"
                             "1\t2\n")},
        {"vectors/idx", text("\x0b\0\0\x08\3\0\0\0\1\0\0\0\2\0\0\0\2\1\2\3\4"sv)},
        {"vectors/idx.gz", text("\x8b\0\0\x08\3\0\0\0\1\0\0\0\2\0\0\0\2\1\2\3\4"sv)},
        {"kernels/seed", text("seed")}};
}

void write_all(const std::string& folder) {
    for (const auto& [name, bytes] : containers()) {
        write(folder + "/container/" + name, bytes);
        write(folder + "/client/" + name, bytes);
    }
    for (const auto& [name, files] : folders()) write(folder + "/folder/" + name, joined(files));
    for (const auto& [name, bytes] : others()) write(folder + "/" + name, bytes);
}

struct Counts {
    std::size_t tried = 0, refused = 0, harmless = 0, wrong = 0;
};

// Uses damaged bytes; `right` are the answers of the whole file.
void judge(const std::string& what, const std::string& right, const std::function<std::string()>& answer,
           Counts& counts) {
    ++counts.tried;
    try {
        if (answer() == right) {
            ++counts.harmless;
            return;
        }
        std::cout << "other answers: " << what << "\n";
        ++counts.wrong;
    } catch (const Error&) {
        ++counts.refused;
    }
}

struct Damage {
    Counts flips, cuts;
};

void damage(const std::string& name, const std::string& path, std::size_t step,
            const std::function<std::string()>& answer, Damage& counts) {
    const Bytes good = bytes_of(path);
    const std::string right = answer();
    for (std::size_t bit = 0; bit < 8 * good.size(); bit += step) {
        Bytes bad = good;
        bad[bit / 8] ^= std::byte{1} << bit % 8;
        write(path, bad);
        judge(concatenate(name, ", bit ", bit), right, answer, counts.flips);
    }
    for (std::size_t size = 0; size < good.size(); size += step) {
        write(path, std::span(good).first(size));
        judge(concatenate(name, " cut to ", size, " bytes"), right, answer, counts.cuts);
    }
    write(path, good);
}

void print(const std::string& what, const Counts& counts) {
    std::cout << what << ": " << counts.tried << " tried, " << counts.refused << " refused, " << counts.harmless
              << " harmless, " << counts.wrong << " with other answers\n";
}

int flips(std::size_t step) {
    const Scratch scratch;
    Damage all;
    for (const auto& [name, bytes] : containers()) {
        const std::string path = scratch / "file.smd";
        write(path, bytes);
        damage(
            name, path, step, [&] { return answers_of_file(path); }, all);
    }
    for (const auto& [spec, files] : folders()) {
        const std::string folder = scratch / "index";
        fs::create_directories(folder);
        write_files(folder, files);
        for (const auto& [name, bytes] : files)
            if (name != "lock")
                damage(
                    spec + ": " + name, folder + "/" + name, step, [&] { return answers_of_folder(folder); }, all);
    }
    print("flipped bits", all.flips);
    print("cuts", all.cuts);
    return all.flips.wrong + all.cuts.wrong > 0;
}

int main(const std::vector<std::string>& arguments) {
    if (arguments.size() == 2 && arguments[0] == "write") {
        write_all(arguments[1]);
        return 0;
    }
    if (!arguments.empty() && arguments[0] == "flips")
        return flips(arguments.size() > 1 ? std::stoul(arguments[1]) : 1);
    std::cerr << "usage: small_files write FOLDER | small_files flips [STEP]\n";
    return 2;
}

}  // namespace
}  // namespace summand::fuzz

int main(int count, char** arguments) {
    try {
        return summand::fuzz::main({arguments + 1, arguments + count});
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
