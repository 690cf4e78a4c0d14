"""Sphinx' settings for the site; build.py says what is rendered."""

import sys
from importlib.metadata import distribution
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from nbseal.course import Course  # noqa: E402

from tools import settings  # noqa: E402

course = Course.at(HERE.parent.parent)

project = html_title = settings.of(course).name
html_show_copyright = False
html_show_sphinx = False
html_use_index = False
extensions = ["myst_nb", "course_pages"]
exclude_patterns = ["README.md", "data/*.md"]  # linked to as files

# Notebooks: as they were saved. What a figure shows is said by course_pages.
nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show = "Show code"
nb_code_prompt_hide = "Hide code"

# Markdown as Jupyter and GitHub read it, and three additions for the start page.
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "attrs_inline"]
myst_dmath_double_inline = True
myst_heading_anchors = 4
myst_heading_slug_func = "course_pages.slug"

# Formulas: one file of MathJax from a package on this machine, which needs no fonts beside it.
mathjax = distribution("sphinx-mathjax-offline").locate_file(
    "sphinx-mathjax-offline/static/mathjax/tex-svg-full.js"
)
mathjax_path = Path(mathjax).name
mathjax3_config = {"options": {"enableMenu": False}}

templates_path = ["templates"]
html_static_path = ["static", str(mathjax)]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_context = {"default_mode": "auto"}
html_theme = "sphinx_book_theme"
html_sidebars = {"**": ["course-name.html", "search-button-field.html", "sbt-sidebar-nav.html"]}
html_theme_options = {
    "home_page_in_toc": False,
    "show_navbar_depth": 1,
    "navbar_persistent": [],
    "footer_content_items": [],
    "show_prev_next": False,  # course_pages leads from a lecture to its exercise
    "use_download_button": False,  # page-buttons.html has one that names what it downloads
    "use_fullscreen_button": False,
    "article_header_end": ["page-buttons.html"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
