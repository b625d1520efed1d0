// NumPy's .npz: a zip archive with an .npy file for each array. Stored arrays are read where they lie, compressed ones
// are held in memory.
#include <algorithm>

#include "io/source.h"
#include "io/zip.h"
#include "summand/error.h"

namespace summand {

namespace {

constexpr std::string_view kSuffix = ".npy";

std::string names_of(const std::vector<ZipMember>& members) {
    std::string names;
    for (const ZipMember& member : members) names += " " + member.name.substr(0, member.name.rfind(kSuffix));
    return names;
}

/// The named array, or the only one.
const ZipMember& chosen(const std::vector<ZipMember>& members, const std::string& path, const std::string& array) {
    require(!members.empty(), path, ": holds no arrays");
    if (array.empty()) {
        require(members.size() == 1, path,
                ": holds several arrays, expected one of their names after a colon:", names_of(members));
        return members.front();
    }
    const auto found = std::find_if(members.begin(), members.end(), [&](const ZipMember& member) {
        return member.name == array || member.name == array + std::string(kSuffix);
    });
    require(found != members.end(), path, ": has no array ", array, ", expected one of:", names_of(members));
    return *found;
}

}  // namespace

SourcePointer open_npz(std::unique_ptr<InputFile> file, const std::string& array) {
    const std::string path = file->path();
    const std::vector<ZipMember> members = zip_members(*file);
    const ZipMember& member = chosen(members, path, array);
    return open_npy(open_member(std::move(file), member), array.empty() ? path : path + ":" + array);
}

}  // namespace summand
