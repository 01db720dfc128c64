"""The stage: every transport, one plan at a time, and nothing left behind."""

import os
import threading
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
from kernels import eventually

from fakes import library
from workbench.classroom.stage import BoundedClient, Stage, client_for
from workbench.core.errors import MisuseError
from workbench.views.panels.demonstration import Plan


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage(library)
    yield made
    made.close()


def left_over() -> list[Any]:
    """Return the processes below this one, and the ports it listens on."""
    me = psutil.Process(os.getpid())
    listening = [one for one in me.net_connections("tcp") if one.status == psutil.CONN_LISTEN]
    return [*me.children(recursive=True), *listening]


def perform(stage: Stage, name: str, **choices: Any) -> Any:
    return stage.perform(Plan(cast=name, **choices), lambda _: None)


@pytest.mark.parametrize("transport", ["memory", "stdio", "http"])
def test_the_verdict_is_the_same_on_every_way(stage: Stage, transport: Any) -> None:
    """Fault matrix P02 and P12, and nothing is open afterwards."""
    before = left_over()
    shown = perform(stage, "P02-error-32601", transport=transport, beside=("modern",))
    assert (shown.verdict, shown.rule) == ("unavailable", "ERA-10")
    assert [row.transport for row in shown.report.peers] == [transport] * 2
    assert shown.answered_by == "a-modern-one"
    assert eventually(lambda: left_over() == before)


def test_a_process_that_will_not_end_is_ended(stage: Stage) -> None:
    """Fault matrix C14: nothing survives the demonstration."""
    before = left_over()
    shown = perform(stage, "C14-ignores-sigterm", transport="stdio")
    assert shown.verdict == "ready, modern"
    assert eventually(lambda: left_over() == before)


def test_two_names_for_one_peer_share_its_address(stage: Stage) -> None:
    """Fault matrix M09: two accounts at one server."""
    shown = perform(stage, "M09-two-contexts", transport="http")
    urls = {entry.peer: entry.facts for entry in shown.journal.entries(kind="sent")}
    assert set(urls) == {"ann-notes", "bob-notes"}
    assert [one.who for one in shown.acts if one.stage == "list"] == ["ann-notes", "bob-notes"]


@pytest.mark.parametrize("transport", ["memory", "stdio", "http"])
def test_a_stepper_comes_to_the_same_verdict_and_is_closed(stage: Stage, transport: Any) -> None:
    """Design 3: one core, two drivers; and the stage closes what it opened."""
    before, threads = left_over(), threading.active_count()
    stepper = stage.stepper(Plan(cast="P02-error-32601", transport=transport))
    stepper.run()
    assert "ERA-10" in stepper.decisions[-1]
    stage.close()
    assert eventually(lambda: left_over() == before)
    assert eventually(lambda: threading.active_count() <= threads)


def test_a_way_on_which_it_cannot_be_played_is_refused(stage: Stage) -> None:
    """Ours: the error says over what it can."""
    with pytest.raises(MisuseError, match="It can over: http"):
        perform(stage, "H10-405")


def test_a_client_of_a_real_transport_is_bounded() -> None:
    """Design 7.9: nothing hangs in front of a class."""
    client = client_for(Plan(cast="", transport="stdio"))
    assert isinstance(client, BoundedClient)
    client.close()
