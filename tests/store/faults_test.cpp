// Every call that changes a file fails once, or ends the process, in every operation: afterwards there is the state
// before it or the one after it, all of it is sound, and the next writer leaves no file that belongs to neither.
#include "store/faults.h"

#include <filesystem>

#include "store/support.h"

namespace summand::test {
namespace {

namespace fs = std::filesystem;

const Execution kAlone{.threads = 1};

struct Operation {
    const char* name;
    std::function<void(const std::string& folder)> work;
};

Matrix<float> vectors(std::size_t rows, std::uint64_t seed) { return clustered(rows, kColumns, seed); }

// Writers that are left while they have changes may not commit them.
const Operation kOperations[] = {
    {"add", [](const std::string& folder) { LivingIndex::open(folder, Access::write).add(vectors(20, 5), kAlone); }},
    {"remove",
     [](const std::string& folder) {
         LivingIndex::open(folder, Access::write).remove(std::vector<std::int64_t>{1, 2, 33, 34, 61});
     }},
    {"remove a whole segment",
     [](const std::string& folder) { LivingIndex::open(folder, Access::write).remove(ids_between(30, 60)); }},
    {"update",
     [](const std::string& folder) {
         LivingIndex::open(folder, Access::write).update(vectors(3, 6), std::vector<std::int64_t>{3, 35, 62}, kAlone);
     }},
    {"compact", [](const std::string& folder) { LivingIndex::open(folder, Access::write).compact(); }},
    {"group commit",
     [](const std::string& folder) {
         LivingIndex index = LivingIndex::open(folder, Access::write);
         index.set_commit_every(0);
         for (std::size_t i = 0; i < 5; ++i) index.add(vectors(1, 20 + i), kAlone);
         index.remove(std::vector<std::int64_t>{4, 36});
         index.commit();
     }},
};

const std::vector<std::string> kNames{"one", "two", "three"};

// The same with ids that are texts.
const Operation kNamedOperations[] = {
    {"add names",
     [](const std::string& folder) {
         LivingIndex::open(folder, Access::write)
             .add(vectors(3, 5), std::vector<std::string>{"one", "four", "five"}, Duplicates::replace, kAlone);
     }},
    {"remove names",
     [](const std::string& folder) {
         LivingIndex::open(folder, Access::write).remove(std::vector<std::string>{"two", "none"});
     }},
    {"compact names", [](const std::string& folder) { LivingIndex::open(folder, Access::write).compact(); }},
};

// Thousands of syncs take minutes on a disk.
fs::path in_memory() { return fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(); }

// Three segments, two of them with dead rows.
void make(const std::string& folder, const IndexModel& model) {
    LivingIndex index = LivingIndex::create(folder, model);
    for (const std::int64_t first : {0, 30, 60}) {
        const std::vector<std::int64_t> ids = ids_between(first, first + 30);
        index.add(vectors(30, static_cast<std::uint64_t>(first)), ids, Duplicates::refuse, kAlone);
    }
    index.remove(std::vector<std::int64_t>{0, 31});
}

// Two segments, one of them with a dead row.
void make_named(const std::string& folder, const IndexModel& model) {
    LivingIndex index = LivingIndex::create(folder, model);
    index.add(vectors(3, 1), kNames, Duplicates::refuse, kAlone);
    index.add(vectors(1, 2), std::vector<std::string>{"two"}, Duplicates::replace, kAlone);
}

void copy(const std::string& from, const std::string& to) {
    fs::remove_all(to);
    fs::copy(from, to);
}

// All that is found: every live id and its score.
Neighbors contents(const LivingIndex& index) {
    const Matrix<float> query = vectors(1, 99);
    return index.search(query.view(),
                        {.k = 200, .probes = index.model().cells() ? std::size_t{8} : 0, .execution = kAlone});
}

std::size_t files_with(const std::string& folder, const std::string& part) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder))
        count += entry.path().filename().string().find(part) != std::string::npos ? 1 : 0;
    return count;
}

void expect_no_leftovers(const std::string& folder, const LivingIndex& index) {
    const LivingInfo info = index.info();
    std::size_t with_dead = 0;
    for (const auto& segment : info.segments) with_dead += segment.dead > 0 ? 1 : 0;
    EXPECT_EQ(files_with(folder, ".tmp-"), 0u);
    EXPECT_EQ(files_with(folder, ".dead-"), with_dead);
    EXPECT_EQ(files_with(folder, "segment-"), info.segments.size() + with_dead);
}

// Every vector has a name, by which it is found.
void expect_named(const LivingIndex& index, const Neighbors& found) {
    const std::vector<std::string> names = index.names(found.ids[0]);
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(index.contains(names[i]), found.ids[0][i] != kNoId);
}

// Returns the number of calls that were tried.
long try_every_call(const Operation& operation, const Misfortune& misfortune, const std::string& start,
                    const std::string& folder) {
    copy(start, folder);
    const Neighbors before = contents(LivingIndex::open(folder));
    operation.work(folder);
    const Neighbors after = contents(LivingIndex::open(folder));
    bool happened = true;
    long at = 0;
    for (; happened; ++at) {
        SCOPED_TRACE(concatenate(operation.name, ", ", misfortune.name, " at call ", at));
        copy(start, folder);
        const Ending ending = with_fault(
            misfortune, at, [&] { operation.work(folder); }, happened);
        const Neighbors found = contents(LivingIndex::open(folder));
        EXPECT_TRUE(found == after || (ending != Ending::done && found == before));
        EXPECT_EQ(verify(folder), std::vector<std::string>());
        LivingIndex writer = LivingIndex::open(folder, Access::write);
        EXPECT_EQ(contents(writer), found);
        expect_no_leftovers(folder, writer);
        if (writer.info().named) {
            expect_named(writer, found);
            writer.add(vectors(2, 7), std::vector<std::string>{"six", "seven"}, Duplicates::refuse, kAlone);
        } else {
            writer.add(vectors(2, 7), kAlone);
        }
        EXPECT_EQ(contents(LivingIndex::open(folder)), contents(writer));
        if (::testing::Test::HasFailure()) break;
    }
    return at - 1;
}

}  // namespace

TEST(Faults, EveryCallOfEveryChangeMayFailOrKill) {
    long points = 0;
    const TemporaryDirectory scratch(in_memory());
    make(scratch / "start", small_model("IVF8,PQ2x4,Refine(PQ2x4)"));
    for (const Operation& operation : kOperations)
        for (const Misfortune& misfortune : kMisfortunes)
            points += try_every_call(operation, misfortune, scratch / "start", scratch / "index");
    EXPECT_GT(points, 300);
    RecordProperty("points", static_cast<int>(points));
}

TEST(Faults, EveryCallOfEveryChangeOfNamesMayFailOrKill) {
    long points = 0;
    const TemporaryDirectory scratch(in_memory());
    make_named(scratch / "start", small_model("PQ2x4"));
    for (const Operation& operation : kNamedOperations)
        for (const Misfortune& misfortune : kMisfortunes)
            points += try_every_call(operation, misfortune, scratch / "start", scratch / "index");
    EXPECT_GT(points, 100);
    RecordProperty("points", static_cast<int>(points));
}

TEST(Faults, AFolderThatCouldNotBeMadeCanBeMadeAgain) {
    const TemporaryDirectory scratch(in_memory());
    const IndexModel model = small_model("IVF8,PQ2x4,Refine(PQ2x4)");
    const std::string folder = scratch / "index";
    for (const Misfortune& misfortune : kMisfortunes) {
        bool happened = true;
        for (long at = 0; happened; ++at) {
            SCOPED_TRACE(concatenate(misfortune.name, " at call ", at));
            fs::remove_all(folder);
            const Ending ending = with_fault(
                misfortune, at, [&] { LivingIndex::create(folder, model); }, happened);
            EXPECT_TRUE(ending != Ending::done || LivingIndex::is_at(folder));
            if (!LivingIndex::is_at(folder)) LivingIndex::create(folder, model);
            LivingIndex::open(folder, Access::write);
            EXPECT_EQ(verify(folder), std::vector<std::string>());
            EXPECT_EQ(files_with(folder, ".tmp-"), 0u);
        }
    }
}

std::size_t syncs_of(const std::function<void()>& work) {
    static std::atomic<std::size_t> syncs;
    syncs = 0;
    file_calls::set_inject([](file_calls::Call call) {
        syncs += call == file_calls::Call::sync;
        return file_calls::Fault();
    });
    work();
    file_calls::set_inject(nullptr);
    return syncs;
}

// The folder before the manifest names new files, and after it was renamed.
TEST(Faults, ACommitSyncsEachFileOnceAndTheFolderTwice) {
    const TemporaryDirectory scratch(in_memory());
    LivingIndex index = LivingIndex::create(scratch / "index", small_model("PQ2x4"));
    for (int segment = 0; segment < 3; ++segment) EXPECT_EQ(syncs_of([&] { index.add(vectors(30, 9)); }), 4u);
    const std::vector<std::int64_t> of_all{3, 33, 63};
    EXPECT_EQ(syncs_of([&] { index.remove(of_all); }), 3u + 1 + 2);
    EXPECT_EQ(syncs_of([&] { index.compact(); }), 4u);
}

// A writer that met an error goes on with what is in the folder.
TEST(Faults, AWriterGoesOnAfterAnError) {
    const TemporaryDirectory scratch(in_memory());
    make(scratch / "start", small_model("PQ2x4"));
    bool happened = true;
    for (long at = 0; happened; ++at) {
        SCOPED_TRACE(at);
        copy(scratch / "start", scratch / "index");
        LivingIndex writer = LivingIndex::open(scratch / "index", Access::write);
        const auto work = [&] { writer.update(vectors(3, 6), std::vector<std::int64_t>{3, 35, 62}, kAlone); };
        with_fault(kMisfortunes[0], at, work, happened);
        writer.remove(std::vector<std::int64_t>{40});
        writer.compact();
        EXPECT_EQ(contents(LivingIndex::open(scratch / "index")), contents(writer));
        EXPECT_EQ(verify(scratch / "index"), std::vector<std::string>());
    }
}

TEST(Faults, AnIndexFileIsTheOldOneOrTheNewOne) {
    const TemporaryDirectory scratch(in_memory());
    const Index first = build(vectors(200, 1), "PQ2x4"), second = build(vectors(300, 2), "IVF8,PQ2x4");
    const std::string path = scratch / "index.smd";
    for (const Misfortune& misfortune : kMisfortunes) {
        bool happened = true;
        for (long at = 0; happened; ++at) {
            SCOPED_TRACE(concatenate(misfortune.name, " at call ", at));
            first.save(path);
            const Ending ending = with_fault(
                misfortune, at, [&] { second.save(path); }, happened);
            const std::size_t size = Index::open(path).size();
            EXPECT_TRUE(size == 300 || (size == 200 && ending != Ending::done)) << size;
            EXPECT_EQ(verify(path), std::vector<std::string>());
            first.save(path);
            EXPECT_EQ(files_with(scratch.path().string(), ".tmp-"), 0u);
        }
    }
}

TEST(Faults, ABuildGoesOnFromItsCheckpointWhereverItWasStopped) {
    const TemporaryDirectory scratch(in_memory());
    const Matrix<float> base = vectors(300, 1);
    const std::string checkpoint = scratch / "work.smd";
    BuildSettings settings{.checkpoint = checkpoint, .execution = kAlone};
    const std::vector<std::byte> whole = build(base, "IVF8,PQ2x4", {.execution = kAlone}).to_bytes();
    for (const Misfortune& misfortune : kMisfortunes) {
        bool happened = true;
        for (long at = 0; happened; ++at) {
            SCOPED_TRACE(concatenate(misfortune.name, " at call ", at));
            fs::remove(checkpoint);
            with_fault(
                misfortune, at, [&] { build(base, "IVF8,PQ2x4", settings); }, happened);
            EXPECT_EQ(build(base, "IVF8,PQ2x4", settings).to_bytes(), whole);
            EXPECT_EQ(verify(checkpoint), std::vector<std::string>());
        }
    }
}

TEST(Faults, ARepairLeavesAFolderThatCanBeRepairedOrIs) {
    const TemporaryDirectory scratch(in_memory());
    make(scratch / "start", small_model("PQ2x4"));
    std::string bytes = read_raw(scratch / "start/segment-00000002.smd");
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write_raw(scratch / "start/segment-00000002.smd", bytes);
    for (const Misfortune& misfortune : kMisfortunes) {
        bool happened = true;
        for (long at = 0; happened; ++at) {
            SCOPED_TRACE(concatenate(misfortune.name, " at call ", at));
            copy(scratch / "start", scratch / "index");
            with_fault(
                misfortune, at, [&] { LivingIndex::repair(scratch / "index"); }, happened);
            LivingIndex::repair(scratch / "index");
            EXPECT_EQ(LivingIndex::open(scratch / "index", Access::write).size(), 59u);
            EXPECT_EQ(verify(scratch / "index"), std::vector<std::string>());
        }
    }
}

}  // namespace summand::test
