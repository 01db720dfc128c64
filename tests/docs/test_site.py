"""The documentation, built: without a warning, without another host, with every public name.

It is built once for this module. Building needs no network.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
import website
from by_path import module_at
from website import Page

import fakes
import workbench
from workbench import exercises, lint, notebook
from workbench.exercises import exercise

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"
MODULES: Final = (workbench, notebook, fakes, exercises, lint)
FOR_AUTHORS: Final = (
    "Call Exercise Finding Function Heard Input Outcome Output Seen ThePeer ThePeers Trial"
)
LONGEST_S: Final = 300


def build(folder: Path, site: Path, *options: str) -> tuple[int, str]:
    """Build a folder of pages; return the status, and what was said."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", *options]
    done = subprocess.run(
        [*command, "-b", "html", "-d", str(site.with_name("doctrees")), str(folder), str(site)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=LONGEST_S,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the documentation as `make docs` does."""
    site: Path = tmp_path_factory.mktemp("docs") / "html"
    status, said = build(DOCS, site)
    assert (status, said) == (0, "")
    return site


@pytest.fixture(scope="module")
def read(site: Path) -> dict[Path, Page]:
    """Read every page of it."""
    return website.pages(site)


@pytest.fixture(scope="module")
def documented(site: Path) -> list[website.Documented]:
    """Read its inventory."""
    return website.inventory(site)


def test_every_page_is_built(site: Path) -> None:
    """Ours: what stands in the repository stands on the site."""
    wanted = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert {path for path in wanted if not (site / path).is_file()} == set()


def test_nothing_is_loaded_from_another_host(site: Path, read: dict[Path, Page]) -> None:
    """Ours: a page works in a train, and tells nobody that it is read."""
    assert sum(len(page.loads) for page in read.values()) > 100
    assert website.from_elsewhere(site, read) == []


def test_every_link_of_the_site_arrives(site: Path, read: dict[Path, Page]) -> None:
    """Ours: headings make other anchors on a site than in a repository browser."""
    assert sum(len(page.leads) for page in read.values()) > 1_000
    assert website.dead_ends(site, read) == []


def test_every_rule_that_is_named_leads_to_its_row(read: dict[Path, Page], site: Path) -> None:
    """Ours: whoever is refused looks the rule up; that the rows exist, the test above sees."""
    leads = {link for link in read[site / "troubleshooting.html"].leads if "rulebook" in link}
    assert len(leads) > 40
    assert set(workbench.RULES) <= read[site / "rulebook.html"].ids


def test_every_public_name_is_documented_once(documented: list[website.Documented]) -> None:
    """Ours: a name added to `__all__` needs its place on the pages of the reference."""
    names = [one.name for one in documented]
    public = list(website.public_names(MODULES))
    public += [(f"{exercise.__name__}.{n}", getattr(exercise, n)) for n in FOR_AUTHORS.split()]
    assert len(public) > 100
    assert website.undocumented(public, names) == []
    assert website.wordless(public) == []
    assert website.documented_twice(names) == []


def without_words(entries: list[website.Documented], site: Path) -> list[str]:
    """Return the constants whose place on a page says nothing."""
    silent = []
    for one in entries:
        if one.role == "data":
            text = (site / one.uri.partition("#")[0]).read_text(encoding="utf-8")
            place = re.search(rf'id="{re.escape(one.name)}">.*?</dt>\s*<dd><p>', text, re.DOTALL)
            silent += [] if place else [one.name]
    return silent


def test_every_constant_is_explained(documented: list[website.Documented], site: Path) -> None:
    """Ours: a constant has no docstring, so its words stand on the page."""
    assert sum(one.role == "data" for one in documented) > 8
    assert without_words(documented, site) == []


def test_the_reference_speaks_of_no_private_name(documented: list[website.Documented]) -> None:
    """Ours: what begins with an underscore is nobody's business."""
    assert [one.name for one in documented if re.search(r"\._[a-z]", one.name)] == []


# -- the checks themselves -------------------------------------------------------------


def test_a_page_that_is_wrong_is_not_built(tmp_path: Path) -> None:
    """Ours: a check must be able to fail."""
    page = (
        "# A\n\n[x](nowhere.md) [y](#no-place)\n\n```{eval-rst}\n"
        ".. autofunction:: workbench.no_such\n\n:py:class:`workbench.Nobody`\n```\n"
    )
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "index.md").write_text(page, encoding="utf-8")
    status, said = build(tmp_path / "pages", tmp_path / "html", "-c", str(DOCS))
    assert status == 1
    for told in ("nowhere.md", "no-place", "no_such", "workbench.Nobody"):
        assert told in said, said


@pytest.mark.parametrize(
    ("page", "bad"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', True),
        ('<link rel="preconnect" href="https://fonts.example">', True),
        ('<img src="http://img.example/x.png">', True),
        ("<style>@import 'https://fonts.example/x.css';</style>", True),
        ('<p style="background: url(https://img.example/x.png)">', True),
        ('<script src="_static/x.js"></script><a href="https://example.org">x</a>', False),
        ('<link rel="next" href="https://example.org">', False),
    ],
)
def test_an_asset_of_another_host_is_found(page: str, bad: bool, tmp_path: Path) -> None:
    """Ours: a check must be able to fail."""
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    assert bool(website.from_elsewhere(tmp_path, website.pages(tmp_path))) is bad


def test_a_style_sheet_that_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    """Ours: a check must be able to fail."""
    style = "@font-face { src: url('https://fonts.example/x.woff2'); } a { b: url(x.png) }"
    (tmp_path / "a.css").write_text(style, encoding="utf-8")
    assert website.from_elsewhere(tmp_path, {}) == ["a.css: https://fonts.example/x.woff2"]


@pytest.mark.parametrize(
    ("link", "good"),
    [
        ("b.html", True),
        ("b.html#there", True),
        ("#here", True),
        ("x.txt", True),
        ("https://example.org/x#y", True),
        ("c.html", False),
        ("b.html#nowhere", False),
        ("#nowhere", False),
    ],
)
def test_a_dead_end_of_the_site_is_found(link: str, good: bool, tmp_path: Path) -> None:
    """Ours: a check must be able to fail."""
    (tmp_path / "a.html").write_text(f'<a id="here" href="{link}">x</a>', encoding="utf-8")
    (tmp_path / "b.html").write_text('<h1 id="there">x</h1>', encoding="utf-8")
    (tmp_path / "x.txt").write_text("x", encoding="utf-8")
    assert (website.dead_ends(tmp_path, website.pages(tmp_path)) == []) is good


def test_a_name_that_is_left_out_or_told_twice_is_found() -> None:
    """Ours: a check must be able to fail."""
    names = ["workbench.Journal", "workbench.core.journal.journal.Journal", "workbench.RULES"]
    public = [("workbench.Journal", workbench.Journal), ("workbench.accept", workbench.accept)]
    assert website.undocumented(public, names) == ["workbench.accept"]
    assert website.undocumented([("workbench.notebook.RULES", notebook.RULES)], names) == []
    assert website.documented_twice(names) == [f"{names[1]} is {names[0]}"]


def test_a_function_without_words_is_found() -> None:
    """Ours: a check must be able to fail."""

    class Silent: ...

    assert website.wordless([("a", Silent), ("b", lambda: 0), ("c", Page)]) == ["a", "b"]


def test_an_id_that_is_no_rule_stays_text() -> None:
    """Ours: a link to nothing is worse than none."""
    links = module_at(DOCS / "rule_links.py")
    made = list(links.pieces("ERA-10, ERA-99 and UTF-16", "rulebook.html"))
    assert "".join(piece.astext() for piece in made) == "ERA-10, ERA-99 and UTF-16"
    assert [one["refuri"] for one in made if "refuri" in getattr(one, "attributes", {})] == [
        "rulebook.html#ERA-10"
    ]


def test_a_constant_without_words_is_found(tmp_path: Path) -> None:
    """Ours: a check must be able to fail."""
    entry = website.Documented("a.B", "data", "x.html#a.B")
    page = tmp_path / "x.html"
    page.write_text('<dl><dt id="a.B">B</dt>\n<dd></dd></dl>', encoding="utf-8")
    assert without_words([entry], tmp_path) == ["a.B"]
    page.write_text('<dl><dt id="a.B">B</dt>\n<dd><p>It is.</p></dd></dl>', encoding="utf-8")
    assert without_words([entry], tmp_path) == []
