"""A peer's text is text in every view: nothing it says is run, styled or followed."""

import io
from html.parser import HTMLParser

import pytest
from msgspec import Struct

from workbench.core.errors import Failure, Kind
from workbench.core.journal.journal import Journal
from workbench.core.report import PeerReport, StartupReport, ToolName
from workbench.core.tool import Dropped
from workbench.core.wire.codec import encode
from workbench.views.display import html_of
from workbench.views.frames import collisions_frame, journal_frame, report_frame
from workbench.views.html import collisions_html
from workbench.views.terminal import print_errors, print_report

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "[bold]x[/bold] [link=https://evil.example]y[/link] :bomb:",
    "\x1b[31mred\x1b]0;title\x07\x9b1m",
    "a|b`c\n",
    "gnp.\u202egpj.exe",
    '"><script>alert(1)</script>',
    "&lt;b&gt; $x$ https://evil.example",
)
FORBIDDEN = "\x1b\x07\x9b\u202e"


class Clash(Struct, frozen=True):
    name: str
    peers: tuple[str, ...]
    outcome: str
    canonical: tuple[str, ...]
    reason: str


def report(text: str) -> StartupReport:
    row = PeerReport(
        peer=text,
        transport="stdio",
        status="ready",
        version=text,
        cache_scope=text,
        tools=(ToolName(text, text), ToolName(f"p/{text}", text)),
        reason=text,
        evidence=text,
        rule=text,
        hint=text,
        server=text,
        deviations=(text,),
        dropped=(Dropped(name=text, reason=text, rule=text),),
    )
    clash = Clash(text, (text,), text, (text,), text)
    return StartupReport(peers=(row,), collisions=(clash,), policy=text)


def journal(text: str) -> Journal:
    record = Journal()
    record.opened(0.0, text, text)
    record.sent(0.0, text, encode({"jsonrpc": "2.0", "id": text, "method": text}))
    record.received(0.0, text, encode({"jsonrpc": "2.0", "id": text, "result": {}}))
    record.received(0.0, text, text.encode())
    record.decided(0.0, text, text, text, text, text, text)
    record.stray(0.0, text, text, text.encode())
    return record


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(html: str) -> Elements:
    elements = Elements()
    elements.feed(html)
    elements.close()
    return elements


def test_the_parser_used_here_sees_an_element_when_there_is_one() -> None:
    """Ours: a check must be able to fail."""
    assert "img" in parsed(HOSTILE[0]).names


@pytest.mark.parametrize("text", HOSTILE)
def test_html_shows_it_as_text(text: str) -> None:
    """Ours: design 7.10; only our own table elements and attributes come out."""
    pages = [html_of(report(text)), html_of(report(text).peers[0]), html_of(journal(text))]
    pages.append(collisions_html(report(text).collisions))
    for page in pages:
        assert page is not None
        elements = parsed(page)
        assert elements.names <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
        assert elements.attributes <= {"class", "style", "scope"}
        assert not set(page) & set(FORBIDDEN)
    if text.isprintable() and "\u202e" not in text:
        assert text in parsed(pages[0] or "").text


@pytest.mark.parametrize("text", HOSTILE)
def test_a_frame_shows_it_as_text(text: str) -> None:
    """Ours: pandas escapes by default, and control characters never get into a cell."""
    tables = (
        report_frame(report(text)),
        journal_frame(journal(text)),
        collisions_frame(report(text).collisions),
    )
    for frame in tables:
        names = parsed(frame.to_html()).names
        assert not names & {"img", "script", "b", "a"}
        assert not set(frame.to_string() + frame.to_html()) & set(FORBIDDEN)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_shows_it_as_text(text: str, width: int) -> None:
    """Ours: no markup, no emoji code, no escape sequence."""
    stream = io.StringIO()
    print_report(report(text), stream, width)
    print_errors([Failure(kind=Kind.REFUSED, detail=text, peer=text, hint=text)], stream)
    shown = stream.getvalue()
    assert not set(shown) & set(FORBIDDEN)
    if text == HOSTILE[1]:
        assert "[bold]x[/bold]" in shown
        assert ":bomb:" in shown


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_text_markdown_and_mermaid_show_it_as_text(text: str) -> None:
    """Ours: design 7.10."""
    page, record = report(text), journal(text)
    plain = page.to_text() + record.to_text(frames=True) + record.diagram().text
    markdown, drawn = page.to_markdown(), record.to_mermaid()
    assert not set(plain + markdown + drawn) & set(FORBIDDEN)
    assert len(markdown.splitlines()) == 7
    assert "<" not in markdown
    assert len(drawn.splitlines()) == 9
    assert "<" not in drawn
    assert len(record.to_text().splitlines()) == 6
