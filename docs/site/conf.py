"""Settings of Sphinx for the site; tools/site calls it with the folder of Doxygen's XML and the tool in the environment."""
import os
import pathlib
import re
import site
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here))
site.addsitedir(os.environ["SUMMAND_PACKAGES"])   # the installed wheel, after what Sphinx itself needs

project = "summand"
copyright = "the summand developers"
release = re.search(r"project\(summand VERSION ([0-9.]+)", (here / "../../CMakeLists.txt").read_text()).group(1)
html_title = "summand"
html_copy_source = False
html_show_sphinx = False

extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe", "summand_site"]
exclude_patterns = ["docs/site"]
suppress_warnings = ["myst.header"]   # a page may begin its sections at any level

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_type_aliases = {name: name for name in
                        ("VectorsLike", "Floats", "Ids", "Bytes", "FilterLike", "Metric", "Effort", "Progress")}
autodoc_mock_imports = ["pyspark"]   # half a gigabyte, for names alone
nitpicky = True
nitpick_ignore_regex = [
    ("cpp:.*", ".*"),   # names of the standard library, and of what headers keep to themselves
    ("py:.*", "|".join([*autodoc_type_aliases, "ArrayLike", "csr_matrix", "float32", "TypeAliasForwardRef",
                        "DataFrame", "Column", r"(summand\._lake_table\.)?(Manifest|FileEntry)", "Cells"])),
    ("py:.*", r"(numpy|np|npt|os|collections|typing|types|scipy|sklearn|faiss|pa|pyarrow|pyspark)\..*"),
]
add_module_names = False
python_use_unqualified_type_names = True

breathe_projects = {"summand": os.environ["SUMMAND_DOXYGEN"]}
breathe_default_project = "summand"
breathe_default_members = ("members",)
highlight_language = "none"
smartquotes = False

html_theme = "pydata_sphinx_theme"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
