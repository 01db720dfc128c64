"""Who is done, and how many are left."""

import asyncio
from typing import Any

import pytest

from fakes import close, modern, on, on_start
from workbench import AsyncMultiServerClient, ManualClock, MultiServerClient
from workbench.drivers.tally import Step


def client(**options: Any) -> MultiServerClient:
    made = MultiServerClient(clock=ManualClock(), **options)
    made.add_server("a", modern("a", tools=["x", "y"]))
    made.add_server("b", modern("b", tools=["z"]))
    made.add_server("dead", modern("dead").script(on_start().then(close())))
    made.add_server("void", modern("void").script(on("tools/list").then(close())))
    return made


def test_each_peer_is_told_once_with_what_came_of_it() -> None:
    """Ours: long work shows progress; a peer that fails is progress too."""
    steps: list[Step] = []
    with client(recover=False) as made:
        made.connect_all(on_progress=steps.append)
        assert sorted((one.peer, one.outcome) for one in steps) == [
            ("a", "ready"), ("b", "ready"), ("dead", "unavailable"), ("void", "ready"),
        ]  # fmt: skip
        assert [(one.done, one.total) for one in steps] == [(1, 4), (2, 4), (3, 4), (4, 4)]
        steps.clear()
        made.discover_tools(on_progress=steps.append)
    assert sorted(one.outcome for one in steps) == ["1 tool", "2 tools", "no list"]
    assert steps[-1].line().startswith("list 3 of 3: ")


def test_a_callback_that_fails_stops_nobody_and_is_written_down() -> None:
    """Ours: an application's fault is not a peer's."""
    told = []

    def fail(step: Step) -> None:
        told.append(step)
        raise RuntimeError("mine")

    with client() as made:
        report = made.connect_all(on_progress=fail)
        assert [row.status for row in report.peers].count("ready") == 3 and len(told) == 1
        assert "on_progress failed: RuntimeError: mine" in made.journal.to_text()


@pytest.mark.parametrize("watched", [True, False])
def test_the_journal_is_the_same_whether_somebody_watches_or_not(watched: bool) -> None:
    """Ours: quiet and deterministic by default."""

    async def story() -> str:
        async with AsyncMultiServerClient(clock=ManualClock()) as made:
            made.add_server("a", modern("a", tools=["x"]))
            await made.connect_all(on_progress=(lambda _: None) if watched else None)
            await made.discover_tools(on_progress=(lambda _: None) if watched else None)
            return made.journal.to_text()

    assert "on_progress" not in asyncio.run(story())
