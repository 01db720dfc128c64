"""The drawing is well formed, the same each time, and nobody's text leaves its place."""

from xml.etree import ElementTree

from workbench.core.journal.entry import Entry
from workbench.core.journal.journal import Journal
from workbench.core.journal.sequence_svg import sequence_svg

HOSTILE = '<script>alert(1)</script>"\x1b[31m&'
SVG = "{http://www.w3.org/2000/svg}"


def story() -> Journal:
    journal = Journal()
    journal.sent(0.0, "notes", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    journal.decided(0.0, "notes", "listing", "keep", "LIST-01")
    journal.received(0.1, "notes", b'{"jsonrpc":"2.0","id":1,"result":{}}')
    journal.sent(0.2, "web", b'{"jsonrpc":"2.0","id":2,"method":"ping"}')
    journal.stray(0.3, "web", "noise", b"noise")
    return journal


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_every_entry_is_drawn_once_between_the_right_lanes() -> None:
    """Ours: the same story as the Mermaid form tells."""
    svg = story().to_svg()
    assert texts(svg) == [
        "client",
        "notes",
        "web",
        "tools/list (id 1)",
        "LIST-01: keep",
        "result (id 1)",
        "ping (id 2)",
        "stray: noise (not JSON: noise)",
    ]
    assert svg.count("stroke-dasharray") == 1
    assert "<title>Messages between client and notes, web</title>" in svg


def test_the_drawing_is_the_same_each_time_and_of_one_peer_if_asked() -> None:
    """Ours: deterministic; no ids, no dates."""
    assert story().to_svg() == story().to_svg()
    assert "ping" not in story().to_svg("notes")


def test_hostile_text_is_text() -> None:
    """Design 7.10: no element, no attribute, no control character."""
    journal = Journal()
    journal.sent(0.0, HOSTILE, b'{"jsonrpc":"2.0","id":1,"method":"<a href=x>"}')
    journal.decided(0.0, HOSTILE, "s", HOSTILE, None)
    svg = journal.to_svg()
    tags = {one.tag.removeprefix(SVG) for one in ElementTree.fromstring(svg).iter()}
    assert tags == {"svg", "title", "rect", "line", "path", "text"}
    assert "\x1b" not in svg and "<a href=x>" in " ".join(texts(svg))


def test_a_long_story_shows_its_end_and_long_texts_are_cut() -> None:
    """Ours: a page has an end."""
    long = "x" * 200
    entries = [
        Entry(number=n, at=0.0, peer="p", kind="decision", what="w", summary=f"step {n} {long}")
        for n in range(1, 6)
    ]
    said = texts(sequence_svg(entries, limit=2))
    assert said[2] == "3 earlier entries left out"
    assert said[3].startswith("step 4 ") and said[-1].endswith("…") and len(said) == 5
    assert texts(sequence_svg([])) == ["client"]
