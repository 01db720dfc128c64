"""A journal file as a whole fake.

Takes:  the text of a journal, or its path, and the name of a peer
Gives:  a `Program` whose server says again what that peer said
Never:  guesses which peer is meant when several were recorded

The journal's format is the workbench's; it is read by the one reader there is, so that a
recording can be played by whoever can write it.
"""

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any, Final, Literal

from msgspec import Struct

from fakes.cutting import cut
from fakes.errors import ScriptError
from fakes.program import Program
from fakes.server import Server
from fakes.steps import Reply
from fakes.tape import Take, Tape
from workbench.core.errors import ConfigError
from workbench.core.journal.entry import Raw
from workbench.core.journal.jsonl import read_jsonl
from workbench.core.text.visible import visible
from workbench.core.wire.keys import DISCOVER, INITIALIZE, TOOLS_LIST
from workbench.core.wire.versions import LEGACY_REVISIONS, MODERN_REVISIONS

_MOST_NAMED: Final = 10


class Recorded(Struct, frozen=True):
    """What is to be played."""

    program: Program
    dropped: int
    """Older entries the journal had lost when it was written."""


def recorded(
    source: "str | PathLike[str]", peer: str | None = None, speed: float = 0.0
) -> Recorded:
    """Read a journal and make a program of one peer in it.

    Args:
        source: the text of a journal (it begins with "{"), or the path of one.
        peer: whose part to play; None where only one was recorded.
        speed: how much faster than recorded; 1 keeps every pause, 0 keeps none.

    Raises:
        ScriptError: if there is no such journal, peer or speed.
    """
    if not 0 <= speed < float("inf"):
        raise ScriptError(f"speed is 0 (no pauses) or how many times faster, not {speed}")
    try:
        entries, dropped = read_jsonl(_text(source))
    except ConfigError as problem:
        raise ScriptError(problem.failure.line()) from None
    name = _peer(entries, peer)
    tape = cut((entry for entry in entries if entry[2] == name), speed)
    about = f"a recording of {visible(name, 60)}"
    return Recorded(Program(name=name, server=_server(tape), about=about), dropped)


def _text(source: "str | PathLike[str]") -> str:
    if isinstance(source, str) and source.lstrip()[:1] == "{":
        return source
    try:
        with open(source, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise ScriptError(f"{fspath(source)} cannot be read: {why}") from None


def _peer(entries: list[Raw], wanted: str | None) -> str:
    names = sorted({entry[2] for entry in entries if entry[2] and entry[4] is not None})
    shown = ", ".join(visible(name, 60) for name in names[:_MOST_NAMED]) or "none"
    if wanted is None and len(names) == 1:
        return names[0]
    if wanted is None:
        raise ScriptError(f"say which peer to play; recorded: {shown}")
    if wanted not in names:
        raise ScriptError(f"no peer {visible(wanted, 60)!r} in the journal; recorded: {shown}")
    return wanted


def _server(tape: Tape) -> Server:
    answers = list(_answers(tape))
    versions = [one for _, result in answers for one in _texts(result.get("supportedVersions"))]
    modern = any(take.method == DISCOVER and "resultType" in result for take, result in answers)
    modern = modern or any("resultType" in result for _, result in answers)
    old = any(take.method == INITIALIZE for take, _ in answers)
    asked_old = any(take.method == INITIALIZE for life in tape.lives for take in life.takes)
    era: Literal["modern", "legacy", "dual"] = "modern" if modern or not asked_old else "legacy"
    if modern and old:
        era = "dual"
    tools = [
        tool
        for take, result in answers
        if take.method == TOOLS_LIST and isinstance(result.get("tools"), list)
        for tool in result["tools"]
        if isinstance(tool, dict)
    ]
    spoken = tuple(version for version in versions if version not in LEGACY_REVISIONS)
    return Server(era=era, tools=tuple(tools), versions=spoken or MODERN_REVISIONS, tape=tape)


def _answers(tape: Tape) -> Iterator[tuple[Take, dict[str, Any]]]:
    for life in tape.lives:
        for take in life.takes:
            for step in take.steps:
                if isinstance(step, Reply) and isinstance(step.result, dict):
                    yield take, step.result


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
