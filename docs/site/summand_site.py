"""What the site does beyond Sphinx: its order of pages, links between files of the tree, references made at build time.

Pages stay plain Markdown that reads as well in any other viewer, so nothing here is written in them.
"""
import os
import pathlib
import re
import shutil
import subprocess

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

# The page above and those below it; a star stands for all that are named nowhere else.
CONTENTS = {
    "index": ["docs/start", "docs/howto", "docs/methods/README", "docs/reference/README", "docs/results/README",
              "ARCHITECTURE", "docs/README"],
    "docs/start": ["docs/install"],
    "docs/howto": ["docs/command-line", "python/README", "docs/inverted", "docs/refine", "docs/tune", "docs/living",
                   "docs/web", "docs/queries", "docs/retrieval", "*docs/*"],
    "docs/methods/README": ["docs/methods/locq", "docs/methods/pq", "docs/methods/opq", "docs/methods/nocq",
                            "docs/methods/cq", "*docs/methods/*"],
    "docs/reference/README": ["docs/reference/python", "docs/reference/cpp", "docs/reference/cpp-search",
                              "docs/reference/cpp-living", "docs/reference/cpp-methods", "docs/reference/cpp-data",
                              "docs/reference/cpp-parts", "docs/c", "docs/reference/command-line", "docs/format",
                              "docs/math"],
    "docs/results/README": ["docs/results/measured", "docs/paper", "*docs/results/*", "*bench/results/*"],
    "ARCHITECTURE": ["docs/walk", "docs/reliability", "SECURITY", "CONTRIBUTING", "CHANGELOG", "*docs/decisions/*"],
}
TITLES = {"docs/start": "Start", "docs/howto": "How to", "docs/methods/README": "Methods",
          "docs/reference/README": "Reference", "docs/results/README": "Results", "ARCHITECTURE": "Design",
          "docs/README": "All pages", "python/README": "The Python package"}


def entries(page, found):
    """The pages below one, of those that exist."""
    named = {name for names in CONTENTS.values() for name in names}
    for name in CONTENTS[page]:
        if name.startswith("*"):
            folder = pathlib.PurePath(name[1:]).parent
            yield from sorted(other for other in found - named if pathlib.PurePath(other).parent == folder)
        elif name in found:
            yield name


def add_contents(app, page, source):
    if page in CONTENTS:
        lines = (f"{TITLES[name]} </{name}>" if name in TITLES else f"/{name}" for name in entries(page, app.env.found_docs))
        source[0] += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(lines) + "\n```\n"


def add_headers(app, page, source):
    """References of headers that no page names: the C interface goes to its guide, any other to the parts."""
    if page == "docs/c":
        source[0] += "\n## Reference\n\n```{doxygenfile} summand.h\n```\n"
    if page == "docs/reference/cpp-parts":
        named = " ".join(path.read_text() for path in pathlib.Path(app.srcdir).glob("docs/reference/cpp*.md"))
        for header in sorted(pathlib.Path("include/summand").glob("*.h")):
            if f"}} {header.name}\n" not in named and header.name != "summand.h":
                source[0] += f"\n## {header.name}\n\n```{{doxygenfile}} {header.name}\n```\n"


def link_files(app, tree):
    """Back-quoted paths of pages become links, and links to pages of HTML open them."""
    here = app.env.docname
    for literal in list(tree.findall(nodes.literal)):
        page = literal.astext().removesuffix(".md")
        if page != literal.astext() and page in app.env.found_docs and not isinstance(literal.parent, nodes.reference):
            link = addnodes.pending_xref("", reftype="doc", refdomain="std", refexplicit=True, reftarget="/" + page,
                                         refdoc=here, refwarn=True)
            literal.replace_self(link)
            link += literal
    for download in list(tree.findall(addnodes.download_reference)):
        target = os.path.normpath(os.path.join(os.path.dirname(here), download["reftarget"]))
        if target.endswith(".html"):
            copy = pathlib.Path(app.outdir) / target
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.path.join(app.srcdir, target), copy)
            download.replace_self(nodes.reference("", "", *download.children, refuri=download["reftarget"]))


class Commands(SphinxDirective):
    """The verbs of the tool with their options, as it prints them."""

    def run(self):
        printed = subprocess.run([os.environ["SUMMAND"], "documentation", "markdown"], check=True, capture_output=True,
                                 text=True).stdout
        return self.parse_text_to_nodes(printed, allow_section_headings=True)


def leave_out(app, kind, name, member, skip, options):
    """Fields of named tuples, which the signature of their class shows."""
    return True if (member.__doc__ or "").startswith("Alias for field number") else None


ARRAY_LIKE = re.compile(r"~?numpy\._typing\._array_like\._Buffer \|.*?_NestedSequence\[complex \| bytes \| str\]")


def short_signature(app, kind, name, member, options, signature, returns):
    """Aliases by their names; and classes that are made by functions have no arguments to show."""
    if signature is None:
        return None
    if kind == "class" and "summand._core." in signature:
        return "", returns
    return re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", ARRAY_LIKE.sub("ArrayLike", signature)), returns


def setup(app):
    app.add_directive("commands", Commands)
    app.connect("source-read", add_contents)
    app.connect("source-read", add_headers)
    app.connect("doctree-read", link_files)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("autodoc-process-signature", short_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
