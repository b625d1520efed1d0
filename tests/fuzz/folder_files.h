// The files of a folder, one after the other:
//
//     | uint16 length of the name | name | uint32 length | bytes | uint16 …
#pragma once

#include <map>
#include <span>
#include <string>

#include "summand/io.h"

namespace summand::fuzz {

using FolderFiles = std::map<std::string, Bytes>;

FolderFiles files_of(const std::string& folder);
Bytes joined(const FolderFiles& files);

/// What there is of them where the bytes end too early. Names that would lie outside a folder are left out.
FolderFiles split(std::span<const std::byte> bytes);

/// Empties the folder and fills it with these.
void write_files(const std::string& folder, const FolderFiles& files);

/// Makes the lengths and checksums right that the manifest keeps of the others.
void correct_stamps(FolderFiles& files);

}  // namespace summand::fuzz
