# SPDX-License-Identifier: Apache-2.0
"""Configures Sphinx for the site that scripts/docs makes. Nothing comes from another host."""
import os

project = "anydnn"
copyright = "anydnn developers"
release = os.environ["ANYDNN_DOCS_VERSION"]
html_title = f"anydnn {release}"
extensions = ["myst_parser", "breathe"]
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
root_doc = "index"
exclude_patterns = ["site", "_files"]

breathe_projects = {"anydnn": os.environ["ANYDNN_DOCS_XML"]}
breathe_default_project = "anydnn"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
primary_domain = "c"
highlight_language = "none"

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
pygments_style = "friendly"
pygments_dark_style = "native"
