// One holder at a time, in this process and in others. The system frees the lock when its holder ends, however it ends,
// so a killed process locks nobody out.
#pragma once

#include <string>

namespace summand {

class FileLock {
public:
    /// What becomes of the lock's file when it is let go: it stays for the next holder, or it goes with the work.
    enum class Left : unsigned char { stays, goes };

    /// Makes the file where there is none. Throws `Error` that says `busy` where another one holds it.
    FileLock(const std::string& path, const std::string& busy, Left left = Left::stays);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    std::string path_;
    Left left_;
    int descriptor_ = -1;
};

}  // namespace summand
