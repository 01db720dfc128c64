"""What a client keeps is a table in a notebook, and its rows that matter stand out."""

import re

import pytest

from fakes import effect, exit_, modern, on
from workbench import ManualClock, MultiServerClient
from workbench.core.errors import WorkbenchError
from workbench.core.outcome import Ended, Outcomes
from workbench.core.text.shown import Shown
from workbench.views.more_html import LIMIT, cache_html, change_html, drifts_html, outcomes_html

HOSTILE = "<img src=x onerror=alert(1)>"
STANDS_OUT = '<tr style="font-weight:bold'


def rows(html: str) -> int:
    return html.count('scope="row"')


def test_an_end_without_a_result_stands_out() -> None:
    """Design 7.7: one row a call; the reason beside it."""
    outcomes = Outcomes()
    outcomes.add(peer="p", method="tools/call", name=HOSTILE, ended=Ended.RESULT, took_ms=12.5)
    outcomes.add(
        peer="p", method="tools/call", name="x", ended=Ended.TIMED_OUT, rule="CALL-03", detail="why"
    )
    html = outcomes_html(outcomes)
    assert "Outcomes: 2 calls" in html and rows(html) == 2 and html.count(STANDS_OUT) == 1
    assert "timed out" in html and "CALL-03" in html and "&lt;img" in html and "<img" not in html
    assert "12.5" not in html


def test_many_outcomes_show_their_end() -> None:
    """Ours: a saved notebook must stay small."""
    outcomes = Outcomes()
    for _ in range(LIMIT + 5):
        outcomes.add(peer="p", method="m", name="n", ended=Ended.RESULT)
    html = outcomes_html(outcomes)
    assert rows(html) == LIMIT and f"Outcomes: {LIMIT + 5} calls" in html and ">6<" in html


def test_a_real_client_shows_its_cache_and_what_changed() -> None:
    """Design 4: every value a client gives has a table; the colours are the notebook's."""
    clock = ManualClock()
    peer = modern("p", tools=["t"]).script(on("tools/call").then(effect("t"), exit_(1)))
    with MultiServerClient(clock=clock, recover=False) as client:
        client.add_server("p", peer)
        client.connect_all()
        client.discover_tools()
        client.merge()
        with pytest.raises(WorkbenchError):
            client.call("t")
        shown: list[Shown] = [client.outcomes, client.cache, client.drift, client.menu_change]
        for value in shown:
            html = value._repr_html_()
            assert html is not None and html.startswith("<table")
            assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb|hsl|0x[0-9a-f]{6}", html)
            assert len(value.to_frame().columns) > 4
        assert "tools/list" in cache_html(client.cache)
        clock.advance(1e9)
        assert cache_html(client.cache).count(STANDS_OUT) == len(client.cache)
        assert "stale" in cache_html(client.cache)
        assert client.menu is not None and list(client.menu.to_frame()["canonical"]) == ["t"]


def test_a_changed_tool_stands_out_until_somebody_decides() -> None:
    """Fault matrix C13 and M08: pending changes, and changes of owner."""
    other = {"name": "t", "description": "another", "inputSchema": {"type": "object"}}
    old, new = modern("p", tools=["t"]), modern("p", tools=[other, "u"])

    class Replaced:
        kind = "memory"
        identity = "x"

        def __init__(self) -> None:
            self.peers = [old, new]

        def new_transport(self, clock: object) -> object:
            return self.peers.pop(0).new_transport(clock)  # type: ignore[arg-type]

    with MultiServerClient(clock=ManualClock()) as client:
        client.add_server("p", Replaced())  # type: ignore[arg-type]
        client.connect_all()
        client.discover_tools()
        client.merge()
        client.restart("p")
        html = drifts_html(client.drift)
        assert "Changed tools: 2" in html and html.count(STANDS_OUT) == 2 and "pending" in html
        changed = change_html(client.menu_change)
        assert "Menu: 2 names not as accepted" in changed and ">added<" in changed
        client.merge()
        assert STANDS_OUT not in drifts_html(client.drift)
        assert "Menu: 0 names" in change_html(client.menu_change)
