"""How the documentation is built: `make docs` writes it to `build/docs/html`.

Takes:  the Markdown pages of this folder, and the docstrings of the public names
Gives:  what Sphinx needs to know; nothing is fetched while it builds
Never:  loads anything from another host into a page: fonts, scripts and styles are files
        of the theme, and lie beside the pages

Source: ours. Every warning is an error; a type in a public signature that is documented
nowhere is one, too.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

from workbench import __version__

sys.path.insert(0, str(Path(__file__).parent))

project = "The MCP client workbench"
author = "the authors of the MCP client workbench"
release = version = __version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "rule_links",
]
source_suffix = {".md": "markdown"}
root_doc = "index"

# -- Markdown --------------------------------------------------------------------------

myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["myst.header"]

# -- docstrings ------------------------------------------------------------------------

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# A field without words stands in the signature; a member of an enumeration is asked for.
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
add_module_names = False

# -- what must resolve -----------------------------------------------------------------

nitpicky = True
# Built offline, so what belongs to others is named and not linked.
nitpick_ignore_regex = [
    # Built offline, so what belongs to others is named and not linked.
    (r"py:.*", r"(pathlib|collections|typing|datetime|enum|random|os|asyncio|msgspec|pandas)\..*"),
    (r"py:.*", r"(ipywidgets|pytest|_pytest)\..*"),
    (r"py:.*", r"(Path|PathLike|Any|Final|Self|Struct|Literal|T|optional|DataFrame|pd\..*)"),
    # Sphinx takes a type in a docstring's own brackets apart at the comma.
    (r"py:.*", r"(tuple|dict)\[.*"),
    # What nobody makes or reads by hand: a step of a script has a function that makes it, a
    # part of a client is reached through the client.
    (r"py:class", r"fakes\.(steps|http_steps)\..*|fakes\.program\.Program"),
    (r"py:class", r"(workbench\.transports\.base\.)?(Clock|Timer|Transport|TransportKind)"),
    (r"py:class", r"workbench\.(upkeep|classroom|transports\.oauth|core\.pins\.pins)\..*"),
    (
        r"py:class",
        r"workbench\.core\.text\.veiled\.T|workbench\.comparison\.\w+\.(Expected|Gathered)",
    ),
    (r"py:class", r"workbench\.exercises\.(stage|booth)\..*"),
    (r"py:class", r"workbench\.drivers\.(stepper|verdict|listening|recovery_moment)\..*"),
    (r"py:class", r"workbench\.core\.(negotiate|stepped|recovery|events|actions)\..*"),
]

# -- how it looks ----------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "MCP client workbench"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_sidebars = {"**": ["all-pages"]}
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = True
html_theme_options = {
    "logo": {"text": "MCP client workbench"},
    "navbar_align": "left",
    "navbar_center": [],
    "show_nav_level": 1,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}

# -- `make links` ----------------------------------------------------------------------

linkcheck_ignore = [r"http://127\.0\.0\.1.*"]
linkcheck_timeout = 20
linkcheck_retries = 2

# -- what docstrings and pages need ----------------------------------------------------

_CODE: Final = re.compile(r"(?<![`:\w])`([^`\n]+)`(?![`_])(?=(\w?))")
_FOR_TESTS: Final = re.compile(r"^<!-- sample: .*?-->$", re.MULTILINE | re.DOTALL)
_OUTSIDE: Final = {
    "](../CONTRIBUTING.md": "](contributing.md",
    "](../CHANGELOG.md": "](changelog.md",
    "](../README.md": "](index.md",
}
"""Files beside this folder, as a reader of the repository reaches them -> their pages here."""


_LAST_WORDS: Final[dict[str, list[str]]] = {}
_AS_WRITTEN: Final[dict[str, list[str]]] = {}


def before_napoleon(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Keep an attribute's docstring: napoleon takes its words before a colon for a type."""
    if what in ("attribute", "property", "data"):
        _AS_WRITTEN[name] = list(lines)


def after_napoleon(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Put an attribute's docstring back, and show `code` as code.

    The docstrings mark code as Markdown does, with one backtick.
    """
    lines[:] = [_CODE.sub(_code, line) for line in _AS_WRITTEN.pop(name, lines)]


def _code(found: re.Match[str]) -> str:
    # In `Name`s the letter belongs to the sentence; reStructuredText wants that said.
    return f"``{found[1]}``" + ("\\ " if found[2] else "")


def as_it_is_read(app: Sphinx, page: str, source: list[str]) -> None:
    """Lead links to files of the repository to their pages of the site; drop what tests are told.

    Lines are kept, so that a warning names the right one.
    """
    source[0] = _FOR_TESTS.sub(lambda found: "\n" * found.group().count("\n"), source[0])
    for link, here in _OUTSIDE.items():
        source[0] = source[0].replace(link, here)


def where_it_is_public(
    app: Sphinx, env: Any, node: pending_xref, shown: nodes.Element
) -> nodes.Element | None:
    """Resolve the home of a name to the place where it is documented.

    Annotations name the module in which a class was written; the pages have the name that
    people import.
    """
    if node.get("refdomain") != "py":
        return None
    python = env.get_domain("py")
    last = node["reftarget"].rpartition(".")[2]
    found = _by_last_word(python.objects).get(last, [])
    if len(found) != 1:
        return None
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, shown)


def _by_last_word(objects: Mapping[str, Any]) -> dict[str, list[str]]:
    # All pages have been read when the first reference is looked for.
    if not _LAST_WORDS:
        for full, entry in objects.items():
            if entry.objtype not in ("method", "attribute", "property"):
                _LAST_WORDS.setdefault(full.rpartition(".")[2], []).append(full)
    return _LAST_WORDS


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx of them."""
    app.connect("autodoc-process-docstring", before_napoleon, priority=400)
    app.connect("autodoc-process-docstring", after_napoleon, priority=600)
    app.connect("source-read", as_it_is_read)
    app.connect("missing-reference", where_it_is_public)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
