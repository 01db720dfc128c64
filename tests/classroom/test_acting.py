"""A plan played through: the stages in their order, and the verdicts of the plain client."""

import asyncio
from typing import Any

import pytest
from driven import driven

from fakes import library, modern
from workbench import AsyncMultiServerClient, ManualClock
from workbench.classroom.acting import act, example_arguments, options_for
from workbench.classroom.rehearsal import RehearsalClient
from workbench.classroom.stage import Stage
from workbench.core.errors import WorkbenchError
from workbench.views.panels.demonstration import Demonstration, Plan

HOSTILE = "<img src=x onerror=window.pwned=1>\x1b[31m"
IN_MEMORY = [name for name, _ in library.casts() if "memory" in library.cast(name).ways]


def played(name: str, **choices: Any) -> Demonstration:
    """Return a demonstration, played in memory."""
    stage = Stage(library)
    try:
        return stage.perform(Plan(cast=name, **choices), lambda _: None)
    finally:
        stage.close()


def stages(shown: Demonstration) -> list[str]:
    return list(dict.fromkeys(one.stage for one in shown.acts))


async def plain(name: str, allow_legacy: bool) -> tuple[Any, ...]:
    """Return what the plain client makes of a situation: its verdicts, menu, first call's end."""
    clock = ManualClock()
    cast = library.cast(name)
    client = AsyncMultiServerClient(clock=clock, can_declare={"elicitation": {}})
    for peer, fake in cast.peers.items():
        own = {"allow_legacy": allow_legacy, "call_timeout_s": 3.0, **cast.settings.get(peer, {})}
        client.add_server(peer, fake, **own)
    await driven(client.connect_all(), clock)
    await driven(client.discover_tools(), clock)
    menu = client.merge()
    report = client.report()
    items = menu.items_of(next(iter(cast.peers))) or menu.items
    if items and cast.then != "listen":
        try:
            given = example_arguments(items[0].tool.input_schema)
            await driven(client.call(items[0].canonical, given), clock)
        except WorkbenchError:
            pass
    ended = [str(one.ended) for one in client.outcomes]
    await driven(client.aclose(), clock)
    return [(r.peer, r.status, r.era, r.version, r.rule) for r in report.peers], menu.names, ended


@pytest.mark.parametrize("allow_legacy", [False, True], ids=["strict", "legacy-allowed"])
@pytest.mark.parametrize("name", IN_MEMORY)
def test_the_verdict_is_that_of_the_plain_client(name: str, allow_legacy: bool) -> None:
    """Fault matrix, every situation in memory: a demonstration shows nothing of its own."""
    shown = played(name, allow_legacy=allow_legacy)
    rows, names, ended = asyncio.run(plain(name, allow_legacy))
    assert [(r.peer, r.status, r.era, r.version, r.rule) for r in shown.report.peers] == rows
    assert f"{len(names)} name" in next(one.what for one in shown.acts if one.stage == "merge")
    if ended:
        assert shown.ended == ended[0]


def test_the_parity_check_can_fail() -> None:
    """Ours: a check must be able to fail; the flag makes a difference."""
    rows, _, _ = asyncio.run(plain("P02-error-32601", True))
    assert rows[0][1] == "ready"
    assert played("P02-error-32601").report.peers[0].status == "unavailable"


def test_the_stages_follow_one_another_and_a_fault_that_shows_later_is_brought_out() -> None:
    """Fault matrix C12, C13: listening, and listing again."""
    assert stages(played("P01-valid")) == ["connect", "list", "merge", "call"]
    assert stages(played("C12-refused")) == ["connect", "list", "merge", "listen", "call"]
    again = played("C13-description", drift_policy="pin")
    assert stages(again)[-3:] == ["connect again", "list again", "call again"]
    assert again.acts[-1].rule == "DRIFT-01" or "DRIFT" in str(again.acts[-1].rule)


def test_a_failure_is_an_act_and_the_neighbours_are_untouched() -> None:
    """Fault matrix M01 under "reject", and C04 beside good peers."""
    refused = played("M01-same-name", merge_policy="reject")
    assert [one.rule for one in refused.acts if one.stage == "merge"] == ["MERGE-03"]
    dies = played("C04-dies-after", beside=("modern", "legacy"))
    calls = [(one.who, one.what.split(".")[0]) for one in dies.acts if one.stage == "call"]
    assert calls[0] == ("peer", "create: outcome unknown")
    assert {who for who, _ in calls[1:]} == {"a-modern-one", "a-legacy-one"}
    assert all("result" in what for _, what in calls[1:])


@pytest.mark.parametrize(
    ("asked_back", "answer", "ended"),
    [
        ("the user agrees", b'"action":"accept"', "result"),
        ("the user declines", b'"action":"decline"', "result"),
        ("nobody answers", b'"name":"create"', "protocol error"),
    ],
)
def test_a_question_is_answered_as_planned(asked_back: Any, answer: bytes, ended: str) -> None:
    """Fault matrix C10: yes, no, and nobody to ask."""
    shown = played("C10-confirm", asked_back=asked_back)
    sent = [one.frame or b"" for one in shown.journal.entries("peer", "sent")]
    assert answer in sent[-1]
    assert shown.ended == ended


def test_a_broken_call_is_repeated_only_where_that_was_chosen() -> None:
    """Design 7.7: an idempotency key is the caller's word."""
    assert played("C04-dies-before").ended == "outcome unknown"
    assert played("C04-dies-before", repeat=True).ended == "result"


def test_what_a_peer_says_is_made_safe_when_it_is_shown() -> None:
    """Design 7.10: server text is data."""
    with RehearsalClient(**options_for(Plan(cast=""))) as client:
        client.add_server("evil", modern(HOSTILE, tools=[HOSTILE]))
        told: list[str] = []
        shown = act(
            client, Plan(cast=HOSTILE), about=HOSTILE, subject="evil", then="", tell=told.append
        )
    text = "\n".join(shown.lines())
    assert "\x1b" not in text + "\n".join(told)
    assert r"\x1b" in text
    assert [told[0], *told[-1:]] == ["connect: asking every peer what it speaks …", told[-1]]


def test_arguments_are_made_up_from_a_schema() -> None:
    """Ours: a call needs something to be called with."""
    schema = {
        "type": "object",
        "properties": {
            "q": {"type": "string"}, "n": {"type": "integer"}, "sure": {"type": "boolean"},
            "unit": {"enum": ["m", "ft"]}, "odd": 7,
        },
    }  # fmt: skip
    assert example_arguments(schema) == {"q": "tea", "n": 1, "sure": True, "unit": "m"}
    assert example_arguments({"properties": 7}) == {}
