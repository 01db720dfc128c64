"""Every view, with hostile text in every place a text may stand; a new view is in here or fails."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from filled import MAKERS

from workbench.core.rulebook.rulebook import Rulebook
from workbench.core.text.visible import visible
from workbench.views import display

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script><style>*{}</style>',
    "' onmouseover='alert(1)",
    "[x](javascript:alert(1)) ![y](https://evil.example/p.png) <https://evil.example>",
    "[bold]x[/bold] [link=https://evil.example]y[/link] :bomb:",
    "\x1b[31mred\x1b]0;title\x07\x9b1m\x1b]8;;https://evil.example\x1b\\link",
    "a|b`c\r\n| --- |\n# heading\n\n---\n",
    'A["x"] --> B\nclick A "javascript:alert(1)"\n%%{init: {}}%%\nend; Note over A: x',
    "gnp.\u202egpj.exe \u2066 \u200b \ufeff",
    "../../etc/passwd\x00.html",
    "&lt;b&gt; &#60;img&#62; $x$ \\(y\\)",
    "\ud800 half a pair",
)
ELEMENTS = {"table", "caption", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"class", "style", "scope", "border"}
PLAIN = "Looks fine"


def acting(shown: str, but: str = "\n") -> set[str]:
    """Return the characters a terminal or a page would act on."""
    return {char for char in shown if char not in but and visible(char) != char}


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.names: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes.update((name, value or "") for name, value in attrs)


def seen_in(html: str) -> Elements:
    elements = Elements()
    elements.feed(html)
    elements.close()
    return elements


def kinds_shown() -> set[type]:
    """Return every kind that the tables of the views know."""
    found: set[type] = {kind for kind, _ in display._HTML}
    found |= {kind for kind, _ in display._FRAMES if isinstance(kind, type)}
    return found


def test_every_kind_that_is_shown_is_tried_here() -> None:
    """Ours: a new view has to come with its maker in tests/support/filled.py."""
    assert set(MAKERS) == kinds_shown()


@pytest.mark.parametrize(
    "kind", [kind for kind in MAKERS if kind is not Rulebook], ids=lambda kind: kind.__name__
)
def test_the_makers_put_their_text_into_what_is_shown(kind: type) -> None:
    """Ours: a check must be able to fail; a value without the text would pass all the others."""
    value = MAKERS[kind](PLAIN)
    page = display.html_of(value)
    shown = str(display.frame_of(value).to_string()) + (page or "")
    assert PLAIN in shown


def test_the_checks_used_here_see_what_they_look_for() -> None:
    """Ours."""
    assert "img" in seen_in(HOSTILE[0]).names
    assert acting("a\x1b[0m\u202e\n") == {"\x1b", "\u202e"}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("kind", MAKERS, ids=lambda kind: kind.__name__)
def test_what_a_server_says_is_text_in_every_view(kind: type, text: str) -> None:
    """Design 7.10: pages, frames, text, Markdown, Mermaid, JSON."""
    value: Any = MAKERS[kind](text)
    page = display.html_of(value)
    harmless = MAKERS[kind](PLAIN)
    if page is not None:
        elements, expected = seen_in(page), seen_in(display.html_of(harmless) or "")
        assert elements.names == expected.names
        assert elements.names <= ELEMENTS
        assert {name for name, _ in elements.attributes} <= ATTRIBUTES
        assert elements.attributes == expected.attributes, "a server chose an attribute"
        assert not acting(page)
        page.encode()
    frame = display.frame_of(value)
    assert not acting(frame.to_string())
    assert not seen_in(frame.to_html()).names - ELEMENTS
    assert not acting(frame.to_html())
    for way in ("to_text", "to_markdown", "to_mermaid", "to_json", "to_jsonl", "__str__"):
        if hasattr(value, way):
            shown = getattr(value, way)()
            assert not acting(shown), way
            shown.encode()
            if way != "to_jsonl":
                same = getattr(harmless, way)()
                assert len(shown.splitlines()) == len(same.splitlines()), f"{way}: a line more"
            if way in ("to_markdown", "to_mermaid"):
                assert "<" not in shown
                assert not re.search(r"(?<!\\)\]\(", shown), "a link"
    assert not acting(repr(value))
