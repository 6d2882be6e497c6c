"""The site of the documentation, by Sphinx: `make docs`."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
os.environ.setdefault("MPLBACKEND", "Agg")

import ibgn
from ibgn._kernels import compile as compilation

# what examples print must not depend on what was compiled before
compilation.NOTICE._say = lambda: None

project = "ibgn"
author = "The ibgn developers"
copyright = "the ibgn developers"
version = release = ibgn.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "layout",
    "links",
    "stale",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/**/*.py"]
templates_path = ["_templates"]
default_role = "py:obj"

# pages in Markdown, which a code host shows too
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.directive_unknown"]

# reference
autosummary_generate = True
autodoc_preserve_defaults = True  # `SECTIONS`, not what is in it
autodoc_typehints = "none"  # docstrings say it in words
smartquotes = False
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# examples; what they print and draw is what the page shows
sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"plot_",
    "within_subsection_order": "reading_order.ReadingOrder",
    "backreferences_dir": "gallery/uses",
    "doc_module": ("ibgn",),
    "capture_repr": ("_repr_html_",),
    "inspect_global_variables": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "plot_gallery": "True",
    "line_numbers": False,
}

# look; everything is served from the site itself
html_theme = "pydata_sphinx_theme"
html_title = "ibgn"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "ibgn", "alt_text": "ibgn: start of the documentation"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": []}
