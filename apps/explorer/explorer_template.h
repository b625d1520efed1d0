// The page without its contents: web/explorer.html, with @DESCRIPTION@ and @PARTS@ in it.
#pragma once

namespace summand::cli {

extern const char* const kExplorerTemplate;

}  // namespace summand::cli
