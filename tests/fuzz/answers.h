// What a file says, loaded as its kind demands and used for what it is there for.
#pragma once

#include <span>
#include <string>

namespace summand::fuzz {

/// The bytes of the numbers that come out of a container: of an index the answers to a query, of a model the code of a
/// vector, and so on. Throws `Error` where it is refused.
std::string answers(std::span<const std::byte> container);

/// The same of an unfinished index, the one file that holds several containers, or of any other file.
std::string answers_of_file(const std::string& path);

/// The same of an index in a folder.
std::string answers_of_folder(const std::string& folder);

}  // namespace summand::fuzz
