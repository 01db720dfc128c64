"""A built site, looked at without a browser: what it loads, where it leads, what it documents."""

import importlib
import inspect
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

_LOADS: Final[Mapping[str, tuple[str, ...]]] = {
    "script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "source": ("src", "srcset"),
    "video": ("src", "poster"), "audio": ("src",), "embed": ("src",), "object": ("data",),
    "link": ("href",), "use": ("href", "xlink:href"), "image": ("href", "xlink:href"),
}  # fmt: skip
"""Elements that make a browser fetch something, and the attributes that say what."""
_ONLY_NAMES: Final = frozenset(
    {"canonical", "author", "license", "next", "prev", "search", "index"}
)
"""Relations of a <link> that fetch nothing."""
_AWAY: Final = re.compile(r"^\s*(?:[a-z]+:)?//", re.IGNORECASE)
_IN_STYLE: Final = re.compile(
    r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")\s]*)", re.IGNORECASE
)


class Page(HTMLParser):
    """One page of a site, read once."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)
        self.loads += _IN_STYLE.findall(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down what an element loads, where it leads, and what it is called."""
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.leads.append(given["href"])
        if tag == "link" and set(given.get("rel", "").split()) & _ONLY_NAMES:
            return
        self.loads += [given[name] for name in _LOADS.get(tag, ()) if given.get(name)]


def pages(site: Path) -> dict[Path, Page]:
    """Return every page of a site, read."""
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def from_elsewhere(site: Path, read: Mapping[Path, Page]) -> list[str]:
    """Return what a site would load from another host."""
    found = [
        f"{path.relative_to(site)}: {one}"
        for path, page in read.items()
        for one in page.loads
        if _AWAY.match(one)
    ]
    for path in sorted(site.rglob("*.css")):
        loaded = _IN_STYLE.findall(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(site)}: {one}" for one in loaded]
    return found


def dead_ends(site: Path, read: Mapping[Path, Page]) -> list[str]:
    """Return the links within a site that lead to no file, or to no place in it."""
    return [
        f"{path.relative_to(site)}: {link}"
        for path, page in read.items()
        for link in page.leads
        if not _arrives(link, path, read)
    ]


def _arrives(link: str, path: Path, read: Mapping[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target not in read:
        return target.is_file() and not parts.fragment
    return parts.fragment in ("", *read[target].ids)


class Documented(NamedTuple):
    """One entry of a site's inventory."""

    name: str
    role: str
    uri: str


def inventory(site: Path) -> list[Documented]:
    """Return the Python names that a site documents, but for aliases and members."""
    raw = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    found = []
    for line in zlib.decompress(raw).decode().splitlines():
        name, role, priority, uri, _ = line.split(" ", 4)
        if role in ("py:class", "py:function", "py:exception", "py:data") and priority != "-1":
            found.append(Documented(name, role.removeprefix("py:"), uri.replace("$", name)))
    return found


def value_of(name: str) -> Any:
    """Return what a dotted name stands for."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def public_names(modules: Iterable[ModuleType]) -> Iterator[tuple[str, Any]]:
    """Yield every name that a module says is public, with its value."""
    for module in modules:
        for name in module.__all__:
            yield f"{module.__name__}.{name}", getattr(module, name)


def undocumented(public: Iterable[tuple[str, Any]], documented: Iterable[str]) -> list[str]:
    """Return the public names whose object no entry documents, under any name."""
    held = [value_of(name) for name in documented]
    known = {id(value) for value in held}
    return [name for name, value in public if id(value) not in known]


def wordless(public: Iterable[tuple[str, Any]]) -> list[str]:
    """Return the public classes and functions that have no docstring of their own."""
    return [
        name
        for name, value in public
        if inspect.isclass(value) or inspect.isfunction(value)
        if not (value.__doc__ or "").strip() or value.__doc__ == object.__doc__
    ]


def documented_twice(documented: Iterable[str]) -> list[str]:
    """Return the names under which a class or a function is documented once more."""
    seen: dict[int, str] = {}
    again = []
    for name in documented:
        value = value_of(name)
        if inspect.isclass(value) or inspect.isfunction(value):
            if id(value) in seen:
                again.append(f"{name} is {seen[id(value)]}")
            seen.setdefault(id(value), name)
    return again
