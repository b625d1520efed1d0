# The comment that opens a header describes the file.
1s,^//,/// \\file\n///\n///,
2,/^[^/]|^$/s,^// ?,/// ,
# recall@R is no command of Doxygen's.
\,//,s,@,\\@,g
# All names are in one namespace, which pages need not repeat.
/^(namespace summand \{|\}  \/\/ namespace summand)$/d
# The parser of Sphinx does not know designated initialisers; k is the first member.
s/const SearchOptions& options = \{\.k = 100\}/const SearchOptions\& options = SearchOptions{100}/
# Which header includes which is of no interest to readers.
/^#include/d
# Friends are no business of readers, and values compare as they expect.
/^ *friend .*;$/d
# The header for C has comments of C: the first describes the file, others what follows or, behind code, what precedes.
1s,^/\*,/** \\file\n *\n *,
/^ *\/\* -/b
s,^( *)/\* ,\1/** ,
s,^(.*[^ ].*) /\* ,\1 /**< ,
s/^typedef (struct|enum) (\w+) \{/\1 \2 {/
s/^\} \w+;$/};/
