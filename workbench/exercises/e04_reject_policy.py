"""Exercise 4: under the policy "reject" a start fails, and its error names all who collide.

Source: seed lesson, exercise 4 and collision-safe namespaces; rules MERGE-02, MERGE-03.
"""

import re
from random import Random
from typing import Final

from msgspec import Struct

from fakes import Fake, modern
from workbench.core.text.visible import visible
from workbench.core.wire.keys import TOOLS_CALL, TOOLS_LIST
from workbench.exercises import wire_checks
from workbench.exercises.exercise import (
    Call,
    Exercise,
    Finding,
    Hints,
    Outcome,
    Seen,
    ThePeers,
    Trial,
)

HINTS: Final[dict[str, Hints]] = {
    "not-listed": (
        "How do you know what a peer offers?",
        "Every peer has to be asked with tools/list before anything is merged.",
        "for name, peer in peers.items(): peer.ask(modern_request(1, 'tools/list', ...))",
    ),
    "first-page": (
        "Was that the whole list?",
        "A result with nextCursor goes on: ask again with that cursor until there is none.",
        "params = {'cursor': result['nextCursor']}, and a new id, while there is a nextCursor.",
    ),
    "overwritten": (
        "Two peers offer this name. Who gets the call?",
        "A name somebody has is never given a second time in silence (rule MERGE-02).",
        "if tool in owners: the name is contested; collect it instead of assigning it.",
    ),
    "not-rejected": (
        "Which policy did the operator choose?",
        "Under reject nothing is renamed: the start fails (rule MERGE-03).",
        "Raise an error as soon as every list is read and some name has two owners.",
    ),
    "one-name": (
        "Could the operator mend the configuration with this message?",
        "It has to name every peer that offers the name, also the third (rule MERGE-03).",
        "Collect owners: dict[str, list[str]], then ', '.join(owners[tool]) in the message.",
    ),
    "no-tool": (
        "Which name is it about?",
        "The message says which tool is contested, and by whom (rule MERGE-03).",
        "raise ValueError(f'{tool}: offered by {who}')",
    ),
    "innocent": (
        "What did the others do wrong?",
        "The message names those who collide, and nobody else (rule MERGE-03).",
        "Join the owners of the contested name, not all peers.",
    ),
    "wrong-menu": (
        "Nothing collides here. What should the menu hold?",
        "Names are compared exactly: Search and search are two tools.",
        "Return {tool: peer name} with every tool of every peer.",
    ),
    "called": (
        "What did you want to run?",
        "A start reads lists; it calls nothing.",
        "Send tools/list only, and server/discover before it if you like.",
    ),
}


class Right(Struct, frozen=True, kw_only=True):
    """What a trial has to end in."""

    menu: dict[str, str]
    """Tool to peer, when nothing collides."""
    contested: str
    """The name that collides; "" when none does."""
    owners: tuple[str, ...]
    """The peers that offer it."""
    others: tuple[str, ...]
    """The peers that do not."""


def trials(chance: Random) -> tuple[Trial, ...]:
    """Make peers that get along, and peers that do not; names vary."""
    names = chance.sample(["files", "notes", "mail", "maps", "music", "wiki"], 4)
    tool = chance.choice(["search", "find", "lookup"])
    a, b, c, d = names
    return (
        _trial("two peers that share no name", {a: [tool, "read"], b: [tool.title(), "write"]}),
        _trial("two peers with one name in common", {a: [tool, "read"], b: ["write", tool]}),
        _trial("two of three peers collide", {a: ["read"], b: [tool, "list"], c: [tool]}),
        _trial("three of four collide", {d: [tool], a: ["read", tool], b: ["list"], c: [tool]}),
        _trial("the name is on the second page", {a: ["read", tool], b: ["list", tool]}, 1),
        _trial("many pages, no name in common", {a: ["read", "list"], b: ["write", "move"]}, 1),
    )


def judge(trial: Trial, seen: Seen) -> Finding | None:
    """Look at what was asked, then at the menu or the words of the error."""
    right: Right = trial.right
    return (
        wire_checks.envelope(seen.heard)
        or _asked(trial, seen)
        or (_rejected(right, seen.last) if right.contested else _merged(right, seen.last))
    )


def _asked(trial: Trial, seen: Seen) -> Finding | None:
    for one in seen.frames(TOOLS_CALL):
        return Finding(key="called", seen=f"A tool of {one.peer} was called.", frame=one.frame)
    for name in trial.peers:
        if not seen.frames(TOOLS_LIST, name):
            bad = wire_checks.crashed(seen.outcomes)
            said = f"{name} was never asked for its tools."
            return bad or Finding(key="not-listed", seen=said)
    for name, fake in trial.peers.items():
        server = fake.program.server
        pages = len(server.tools) if server.page_size == 1 else 1
        if len(seen.frames(TOOLS_LIST, name)) < pages:
            said = f"The list of {name} has {pages} pages, and not all were read."
            frame = seen.frames(TOOLS_LIST, name)[-1].frame
            return Finding(key="first-page", seen=said, frame=frame)
    return None


def _merged(right: Right, outcome: Outcome) -> Finding | None:
    bad = wire_checks.crashed([outcome], ())
    if bad is not None or outcome.value == right.menu:
        return bad
    shown = visible(repr(outcome.value), 200)
    return Finding(key="wrong-menu", rule="MERGE-01", seen=f"The menu is {shown}.")


def _rejected(right: Right, outcome: Outcome) -> Finding | None:
    if outcome.ended != "raised":
        return _accepted(right, outcome)
    said = f"The error says: {outcome.error}: {outcome.text}"
    missing = [name for name in right.owners if not _names(outcome.text, name)]
    if len(missing) == len(right.owners):
        bad = wire_checks.crashed([outcome], ())
        # An error with no name in it at all was not meant to be one.
        return bad if outcome.error in _ACCIDENTS else _one_name(said, missing)
    if missing:
        return _one_name(said, missing)
    if not _names(outcome.text, right.contested):
        lacks = f"{said}; it does not name the tool {right.contested}."
        return Finding(key="no-tool", rule="MERGE-03", seen=lacks)
    blamed = [name for name in right.others if _names(outcome.text, name)]
    if blamed:
        lacks = f"{said}; {', '.join(blamed)} does not offer {right.contested}."
        return Finding(key="innocent", rule="MERGE-03", seen=lacks)
    return None


_ACCIDENTS: Final = ("AttributeError", "IndexError", "KeyError", "NameError", "TypeError")


def _one_name(said: str, missing: list[str]) -> Finding:
    lacks = f"{said}; it does not name {', '.join(missing)}."
    return Finding(key="one-name", rule="MERGE-03", seen=lacks)


def _accepted(right: Right, outcome: Outcome) -> Finding:
    held = outcome.value if isinstance(outcome.value, dict) else {}
    owners = ", ".join(right.owners)
    shown = visible(repr(outcome.value), 120)
    said = f"{owners} all offer {right.contested}, and the start returned {shown}."
    # The full set of tools under other names is a renaming; fewer are a loss.
    lost = right.contested in held and not any(right.contested in k[1:] for k in held)
    if lost:
        return Finding(key="overwritten", rule="MERGE-02", seen=said)
    return Finding(key="not-rejected", rule="MERGE-03", seen=said)


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _trial(about: str, offers: dict[str, list[str]], page_size: int = 0) -> Trial:
    fakes: dict[str, Fake] = {
        name: modern(name, tools=tools, page_size=page_size) for name, tools in offers.items()
    }
    owners: dict[str, list[str]] = {}
    for name, tools in offers.items():
        for tool in tools:
            owners.setdefault(tool, []).append(name)
    contested = next((tool for tool, who in owners.items() if len(who) > 1), "")
    guilty = tuple(owners.get(contested, ()))
    right = Right(
        menu={tool: who[0] for tool, who in owners.items()},
        contested=contested,
        owners=guilty,
        others=tuple(name for name in offers if name not in guilty),
    )
    calls = (Call(args=(ThePeers(tuple(offers)),)),)
    return Trial(name=about, about=about, peers=fakes, calls=calls, right=right)


EXERCISE: Final = Exercise(
    number=4,
    name="reject-policy",
    title="A start that is refused",
    answer="start",
    task="Merge the tools of many peers, and refuse to start when two offer one name.",
    rules=("MERGE-01", "MERGE-02", "MERGE-03"),
    trials=trials,
    judge=judge,
    hints=HINTS,
)
