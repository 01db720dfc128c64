"""The retry question with buttons, without a browser."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fakes import effect, exit_, modern, on
from workbench import AsyncMultiServerClient
from workbench.core.errors import Failure, Kind, OutcomeUnknown
from workbench.views.panels.retry import RetryPanel

LOST = Failure(kind=Kind.OUTCOME_UNKNOWN, detail="it <b>ended</b> & went", peer="notes")


def clicked_when_asked(panel: RetryPanel, button: Any) -> None:
    """Click as soon as there is something to decide."""
    panel.repeat.observe(lambda change: change.new or button.click(), "disabled")


@pytest.mark.parametrize("yes", [True, False])
def test_a_click_decides_and_the_buttons_are_off_again(yes: bool) -> None:
    """Seed skill: a user-confirmed retry decision."""
    panel = RetryPanel("write")
    clicked_when_asked(panel, panel.repeat if yes else panel.leave)
    assert panel(LOST) is yes
    assert panel.repeat.disabled and panel.leave.disabled
    assert panel.to_text().splitlines()[1:] == [
        "Decided: it is repeated once." if yes else "Decided: not repeated."
    ]


def test_a_cell_can_wait_for_the_question() -> None:
    """Ours: a lesson shows the panel while it asks, whoever is faster."""
    panel = RetryPanel("write")
    assert not panel.wait_for_question(0.0)
    with ThreadPoolExecutor(1) as elsewhere:
        answer = elsewhere.submit(panel, LOST)
        assert panel.wait_for_question()
        shown = panel.to_text()
        panel.leave.click()
        assert answer.result() is False
    assert "[Do not repeat] [Repeat]" in shown
    assert not panel.wait_for_question(0.0)


def test_silence_is_a_no() -> None:
    """Ours: every wait is bounded, and nothing is repeated without a word."""
    panel = RetryPanel(deadline_s=0.01)
    assert panel(LOST) is False
    assert panel.to_text().endswith("\nNobody decided within 0.01 s: not repeated.")


def test_a_click_before_the_question_is_no_answer() -> None:
    """Ours: an old click decides nothing that is asked later."""
    panel = RetryPanel(deadline_s=0.01)
    panel.repeat.click()
    assert panel(LOST) is False


def test_a_second_question_beside_an_open_one_is_a_no() -> None:
    """Ours: one click, and one half of a double click, never answers two questions."""
    panel, second = RetryPanel(), []

    def look(change: Any) -> None:
        if not change.new:
            second.append(panel(LOST))
            panel.repeat.click()

    panel.repeat.observe(look, "disabled")
    assert panel(LOST) is True
    assert second == [False]


def test_the_question_names_peer_tool_and_what_is_known_as_text() -> None:
    """Design section 7.10: labelled, with a text twin; peer text is never markup."""
    panel, seen = RetryPanel("write <now>"), []
    said = panel.widget.children[-2]

    def look(change: Any) -> None:
        if not change.new:
            seen.extend([panel.to_text(), said.value])
            panel.leave.click()

    panel.repeat.observe(look, "disabled")
    panel(LOST)
    text, markup = seen
    for part in ("notes", "write <now>", "it <b>ended</b> & went", "[Do not repeat] [Repeat]"):
        assert part in text
    assert "<b>" not in markup and "&lt;b&gt;ended&lt;/b&gt; &amp; went" in markup
    assert 'role="status"' in panel.widget.children[-3].value
    assert [one.description for one in panel.widget.children[1].children] == [
        "Do not repeat",
        "Repeat",
    ]


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf")])
def test_a_deadline_that_is_none_is_refused(wrong: float) -> None:
    """Ours: every wait is bounded."""
    with pytest.raises(ValueError, match="deadline"):
        RetryPanel(deadline_s=wrong)


@pytest.mark.parametrize("yes", [True, False])
def test_a_client_goes_on_while_the_panel_asks(yes: bool) -> None:
    """Fault matrix C04: repeated only after a click, and never blocked meanwhile."""
    dying = on("tools/call").in_lifetime(1).then(effect("write"), exit_(9))
    peer = modern("peer", tools=["write"]).script(dying)
    panel = RetryPanel("write", deadline_s=10)

    async def story() -> None:
        loop, asked = asyncio.get_running_loop(), asyncio.Event()
        panel.repeat.observe(lambda _: loop.call_soon_threadsafe(asked.set), "disabled")
        client = AsyncMultiServerClient()
        client.add_server("peer", peer)
        client.add_server("good", modern("good", tools=["fine"]))
        async with client, asyncio.timeout(10):
            await client.connect_all()
            await client.discover_tools()
            client.merge()
            call = asyncio.ensure_future(client.call("write", on_retry=panel))
            await asked.wait()
            assert (await client.call("fine")).is_error is False
            (panel.repeat if yes else panel.leave).click()
            if yes:
                assert (await call).is_error is False
            else:
                with pytest.raises(OutcomeUnknown):
                    await call

    asyncio.run(story())
    assert peer.effects == (["write", "write"] if yes else ["write"])


def test_the_name_comes_with_the_question() -> None:
    """Ours: whoever is asked must know what is repeated; the failure names the call."""
    panel, seen = RetryPanel(), []

    def look(change: Any) -> None:
        if not change.new:
            seen.append(panel.to_text())
            panel.leave.click()

    panel.repeat.observe(look, "disabled")
    panel(Failure(kind=Kind.OUTCOME_UNKNOWN, detail="gone", peer="notes", name="notes/\x1bwrite"))
    assert r"Peer notes, tool notes/\x1bwrite: gone." in seen[0]
