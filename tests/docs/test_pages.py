"""The pages as a reader of the repository sees them: their links and anchors lead somewhere."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = sorted(
    [
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
    ]
)
FENCE: Final = re.compile(r"^```.*?^```$|^<!--.*?-->$", re.MULTILINE | re.DOTALL)
CODE: Final = re.compile(r"`[^`\n]*`")
LINK: Final = re.compile(r"\]\(([^)\s]*)\)|<(https?://[^>\s]+)>")
HEADING: Final = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
SECURE: Final = re.compile(r"https://[\w.-]+\.[a-z]{2,}(?::\d+)?(?:/[^\s<>]*)?")
LOCAL: Final = re.compile(r"http://(?:127\.0\.0\.1|localhost)(?::\d+)?(?:/[^\s<>]*)?")


def links(page: str) -> list[str]:
    """Return where a page leads, but for its code."""
    text = CODE.sub("", FENCE.sub("", page))
    return [inner or outer for inner, outer in LINK.findall(text)]


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, as repository browsers and the site make them."""
    found: list[str] = []
    for heading in HEADING.findall(FENCE.sub("", page)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return set(found)


def dead(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere, and addresses that are not safe."""
    text = page.read_text(encoding="utf-8")
    return [link for link in links(text) if not _alive(link, page, text)]


def _alive(link: str, page: Path, text: str) -> bool:
    if re.match(r"[a-z]+:", link):
        return bool(SECURE.fullmatch(link) or LOCAL.fullmatch(link))
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return False
    if not anchor or target.suffix != ".md":
        return not anchor
    return anchor in anchors(text if target == page else target.read_text(encoding="utf-8"))


def unlisted(index: str, names: Iterable[str]) -> list[str]:
    """Return the pages that the contents do not name."""
    listed = set(re.findall(r"^([\w/]+)$", index, re.MULTILINE))
    return [name for name in names if name not in listed and name != "index"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    """Ours: files, anchors, and addresses that are safe; that those answer, `make links` sees."""
    assert dead(path) == []


@pytest.mark.parametrize("folder", ["docs", "docs/api"])
def test_every_page_is_in_the_contents(folder: str) -> None:
    """Ours: a page that nothing leads to is not read."""
    names = sorted(path.stem for path in (ROOT / folder).glob("*.md"))
    index = (ROOT / folder / "index.md").read_text(encoding="utf-8")
    assert unlisted(index, names) == []


@pytest.mark.parametrize(
    ("link", "good"),
    [
        ("there.md", True),
        ("there.md#a-heading", True),
        ("#here", True),
        ("there.md#a-heading-1", True),
        ("https://example.org/x", True),
        ("http://127.0.0.1:8000", True),
        ("missing.md", False),
        ("there.md#no-heading", False),
        ("#nowhere", False),
        ("http://example.org/x", False),
        ("https://example", False),
        ("ftp://example.org/x", False),
    ],
)
def test_a_dead_link_is_found(link: str, good: bool, tmp_path: Path) -> None:
    """Ours: a check must be able to fail."""
    there = "# A `heading`!\n\n# A heading\n"
    (tmp_path / "there.md").write_text(there, encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(f"# Here\n\n[x]({link})\n\n```\n[y](nowhere.md)\n```\n", encoding="utf-8")
    assert (dead(page) == []) is good


def test_a_page_outside_the_contents_is_found() -> None:
    """Ours: a check must be able to fail."""
    assert unlisted("```{toctree}\nhidden\n\na\n```\n", ["index", "a", "b"]) == ["b"]
