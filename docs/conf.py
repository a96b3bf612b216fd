"""The site: Sphinx with MyST and Furo; `make docs` builds it into `site/`."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_site"), str(HERE.parent / "src")]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["PYTHONPATH"] = str(HERE.parent / "src")  # for the notebooks' own processes

import hushrank  # noqa: E402  # from the path above

release = hushrank.__version__
project = "hushrank"
author = "the hushrank authors"
html_title = "hushrank"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "myst_nb",
    "commands",  # the pages below are of this project: docs/_site
    "docstrings",
    "mathml",
]
nitpicky = True
# types of other packages, whose documents are elsewhere
nitpick_ignore_regex = [("py:.*", r".*")]
# pages of one table, and of one benchmark, are found by links and not in the menu
suppress_warnings = ["mystnb.unknown_mime_type", "toc.not_included"]
smartquotes_action = "q"  # two dashes begin an option
exclude_patterns = ["_site", "site", "jupyter_execute", "schemas"]

myst_enable_extensions = ["dollarmath", "deflist", "attrs_inline", "colon_fence"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
myst_links_external_new_tab = False

nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_cache_path = str(HERE.parent / ".jupyter_cache")
nb_merge_streams = True

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
maximum_signature_line_length = 70

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
templates_path = ["_site/templates"]
