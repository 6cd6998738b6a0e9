"""How these pages are built: ``sphinx-build -W --keep-going -b html docs docs/_build/html``. No network is needed.

Their code is run by ``sphinx-build -b doctest docs docs/_build/doctest``.
"""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import redunet

sys.path.insert(0, str(Path(__file__).parent))  # gallery_style, gallery_order

project = "redunet"
author = "The redunet developers"
copyright = "the redunet developers"
version = release = redunet.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "auto_examples/*.ipynb", "auto_examples/*.py"]
nitpicky = False

# Pages.
html_theme = "furo"
html_title = f"redunet {release}"
html_static_path = ["_static"]
html_css_files = ["redunet.css"]
html_show_sourcelink = False
html_copy_source = False
pygments_style = "friendly"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072B2", "color-brand-content": "#0072B2"},
    "dark_css_variables": {"color-brand-primary": "#56B4E9", "color-brand-content": "#56B4E9"},
}
myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3

# PyTorch is optional. Without it examples that need it are shown and not run, its code on the pages is skipped, and the
# API reference lacks redunet.torch.
has_torch = find_spec("torch") is not None
doctest_global_setup = f"has_torch = {has_torch}"
suppress_warnings = [] if has_torch else ["autodoc.import_object"]

# What the code says of itself.
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]  # names end in _, and some share a line

# Examples.
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"[\\/]plot_" if has_torch else r"[\\/]plot_(?!.*_torch\.py)",
    "within_subsection_order": "gallery_order.ByNumber",
    "reset_modules": ("matplotlib", "gallery_style.calm"),
    "capture_repr": (),
    "image_srcset": ["2x"],
    "thumbnail_size": (800, 280),
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "remove_config_comments": True,
}


def escape_stars_and_bars(app, what, name, obj, options, lines):
    """Docstrings write (n_samples, *grid) and |cosine| as Python and mathematics do; reStructuredText reads markup."""
    for i, line in enumerate(lines):
        parts = line.split("``")  # what is between double backquotes stays as it is
        parts[::2] = [re.sub(r"(?<![\w*])\*(?=(?:grid|kernel)\b)|\|", r"\\\g<0>", part) for part in parts[::2]]
        lines[i] = "``".join(parts)


def setup(app):
    """Escape before napoleon reads."""
    app.connect("autodoc-process-docstring", escape_stars_and_bars, priority=400)
