"""A moment as HTML: whole, escaped, and with the rule at hand."""

from html.parser import HTMLParser
from typing import Any

import pytest

from workbench.core.events import Opened, Received
from workbench.core.negotiate.moment import Moment, Origin, begun
from workbench.core.negotiate.snapshot import Terms, begin
from workbench.core.negotiate.what_if import suppose
from workbench.core.rulebook.rules import RULES
from workbench.core.stepped.scene import scene_of
from workbench.core.wire.codec import decode, encode
from workbench.core.wire.envelope import error_reply
from workbench.views.html import text_of
from workbench.views.scene import scene_html

OPENED = begun(begin(Terms())).then(Opened(), 0.0, Origin.PEER)
HOSTILE = '<img src=x onerror=alert(1)>"><script>alert(1)</script>\x1b[31m\u202e$x$'


class Seen(HTMLParser):
    """What a browser would find."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text: list[str] = []
        self.marked: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] != ["style"]:
            self.text.append(data)
        if self.tags[-1:] == ["mark"] and not self.marked:
            self.marked.append(data)


def seen(moment: Moment, **how: Any) -> Seen:
    parser = Seen()
    parser.feed(scene_html(scene_of(moment, **how)))
    return parser


def refused(message: str) -> Moment:
    frame = encode(error_reply(1, -32601, message, {"x": message}))
    return OPENED.then(Received(decode(frame)), 0.0, Origin.PEER, frame=frame)


def test_the_frame_is_whole_and_only_its_meta_is_marked() -> None:
    """Design 7.1: `_meta` is what a reader looks for."""
    page = seen(OPENED)
    (frame,) = scene_of(OPENED).sending
    assert page.marked == [frame.meta]
    assert str(frame).replace("⟦", "").replace("⟧", "") in "".join(page.text)
    assert "To be sent: server/discover, 262 bytes" in "".join(page.text)
    assert "Sent: server/discover" in "".join(seen(OPENED, performed=True).text)


@pytest.mark.parametrize("moment", [OPENED, refused("no")])
def test_the_rule_opens_with_its_source_and_its_advice(moment: Moment) -> None:
    """Design 9: the rule id leads to the rule's text, without leaving the page."""
    assert moment.decision is not None
    rule = RULES[moment.decision.rule]
    text = "".join(seen(moment).text)
    for part in (rule.id, rule.sentence, f"Source: {rule.source}", rule.where, rule.hint):
        assert part in text
    assert {"details", "summary"} <= set(seen(moment).tags)


def test_a_what_if_has_a_banner_and_the_rest_has_none() -> None:
    """Ours: a hypothetical branch is plainly labelled."""
    answer = suppose(OPENED.snapshot, "close")
    supposed = OPENED.then(answer.event, 0.0, Origin.WHAT_IF, words=answer.words)
    said = "What if the peer closed its output? Nothing of this was sent."
    assert said in "".join(seen(supposed).text)
    assert "What if" not in "".join(seen(OPENED).text)


def test_an_edited_row_is_named_so() -> None:
    """Ours: what a changed table does must not pass for what the product does."""
    from msgspec.structs import replace

    assert "(edited row)" in "".join(seen(replace(refused("no"), edited=True)).text)
    assert "(edited row)" not in "".join(seen(refused("no")).text)


def test_hostile_text_is_text() -> None:
    """Design 7.10: nothing a peer says is markup, a formula or a control character."""
    page = seen(refused(HOSTILE))
    assert not {"img", "script", "a"} & set(page.tags)
    assert page.attributes <= {"class", "style", "scope"}
    html = scene_html(scene_of(refused(HOSTILE)))
    assert not set(html) & set("\x1b\u202e")
    assert "tex2jax_ignore" in html
    assert text_of("<img src=x onerror=alert(1)>") in html
