// An index in a folder: manifest, model, segments and dead rows, all of them in one input (folder_files.h).
#include <filesystem>

#include "fuzz/answers.h"
#include "fuzz/folder_files.h"
#include "fuzz/forging_mutator.h"
#include "fuzz/support.h"
#include "summand/living_index.h"

namespace summand::fuzz {
namespace {

namespace fs = std::filesystem;

// Removed when the process ends.
class ScratchFolder {
public:
    ScratchFolder() {
        std::string pattern = fs::is_directory("/dev/shm") ? "/dev/shm/fuzz-XXXXXX" : "/tmp/fuzz-XXXXXX";
        must(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    ~ScratchFolder() {
        std::error_code error;
        fs::remove_all(path_, error);
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::string use(const FolderFiles& files) {
    static const ScratchFolder folder;
    write_files(folder.path(), files);
    return answers_of_folder(folder.path());
}

// One file becomes another; then whatever names it follows.
void forge(FolderFiles& files, std::size_t most, Random& random) {
    if (files.empty()) return;
    const auto chosen = std::next(files.begin(), static_cast<std::ptrdiff_t>(random.below(files.size())));
    chosen->second = forged(chosen->second, most, LLVMFuzzerMutate, random);
    correct_stamps(files);
    for (int i = 0; i < kCorrections; ++i) {
        try {
            use(files);
            return;
        } catch (const Error& error) {
            const std::string_view refusal = error.what();
            bool changed = false;
            for (auto& [name, content] : files)
                if (refusal.find("/" + name + ":") != refusal.npos) changed |= correct_identity(content, refusal);
            if (!changed && !correct_identity(files["manifest.smd"], refusal)) return;
            correct_stamps(files);
        }
    }
}

}  // namespace
}  // namespace summand::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    using namespace summand::fuzz;
    summand::Random random(seed);
    FolderFiles files = split(input(data, size));
    forge(files, most, random);
    summand::Bytes bytes = joined(files);
    bytes.resize(std::min(bytes.size(), most));
    std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace summand::fuzz;
    accepted([&] { use(split(input(data, size))); });
    return 0;
}
