#include "io/file_lock.h"

#include <sys/wait.h>

#include <csignal>

#include "io/support.h"

namespace summand::test {

TEST(FileLock, HasOneHolderAtATime) {
    const TemporaryDirectory folder;
    {
        const FileLock held(folder / "lock", "busy");
        expect_error([&] { FileLock(folder / "lock", "somebody works here"); }, {"somebody works here"});
    }
    const FileLock again(folder / "lock", "busy");
}

TEST(FileLock, IsFreeAfterItsHolderWasKilled) {
    const TemporaryDirectory folder;
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const FileLock held(folder / "lock", "busy");
        if (::write(ready[1], "x", 1) == 1) ::pause();
        ::_exit(0);
    }
    char byte;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    expect_error([&] { FileLock(folder / "lock", "busy"); }, {"busy"});
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const FileLock held(folder / "lock", "busy");
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST(FileLock, TakesItsFileAwayWhereItIsToldTo) {
    const TemporaryDirectory folder;
    { const FileLock held(folder / "lock", "busy", FileLock::Left::goes); }
    EXPECT_EQ(folder.files(), 0u);
}

}  // namespace summand::test
