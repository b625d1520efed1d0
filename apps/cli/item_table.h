// What stands for the vectors of an index, as text: a table with a head line (.csv, .tsv), or a line for each vector.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace summand::cli {

struct ItemTable {
    std::vector<std::string> columns;            ///< one named "text" where the file is no table
    std::vector<std::vector<std::string>> rows;  ///< a field for each column

    /// The fields of the column with this name, which leaves the table; nothing where it has none.
    std::optional<std::vector<std::string>> take(const std::string& column);
};

/// The lines of a text file, without their ends. Throws `Error` where there are none.
std::vector<std::string> lines_of(const std::string& path);

/// A field of .csv may stand in double quotes and then hold commas, line ends and doubled quotes. Throws `Error` where
/// a row has other fields than the head.
ItemTable read_item_table(const std::string& path);

}  // namespace summand::cli
