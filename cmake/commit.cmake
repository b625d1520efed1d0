# cmake -D SOURCE=DIR -D OUTPUT=FILE -P commit.cmake: writes kCommitName, the commit of a checkout, "-dirty" where files
# differ from it, empty outside of one. The file is touched only when that changes.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE name ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
set(content "#pragma once\n\nnamespace summand::cli {\n\ninline constexpr const char* kCommitName = \"${name}\";\n\n}  // namespace summand::cli\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT content STREQUAL before)
  file(WRITE ${OUTPUT} "${content}")
endif()
