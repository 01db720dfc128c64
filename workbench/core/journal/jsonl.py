"""The file form of a journal: one JSON object a line, the first says what file this is.

Takes:  entries (already redacted), or the text of a file
Gives:  the text of a file, or the tuples a journal holds
Never:  loses a byte of a frame: what is not UTF-8 is written in base64

Format 1 grows by optional members only (`facts` is one): an older reader ignores what it does
not know. Source: design section 6, `lint` and `replay`.
"""

import base64
import binascii
from collections.abc import Iterable
from typing import Any, Final, TypeVar

import msgspec

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.journal.entry import Entry, EntryKind, Noted, Raw
from workbench.core.journal.facts import Facts
from workbench.core.text.json_text import json_text
from workbench.core.version import __version__

FORMAT: Final = 1
_NAME: Final = "mcp-client-workbench"
LineT = TypeVar("LineT")


class Line(msgspec.Struct, kw_only=True, forbid_unknown_fields=False):
    """One entry as it stands in the file."""

    number: int
    at: float
    peer: str
    kind: EntryKind
    frame: str | None = None
    frame_base64: str | None = None
    method: str | None = None
    stage: str = ""
    what: str = ""
    rule: str | None = None
    evidence: str | None = None
    detail: str = ""
    facts: Facts | None = None


class Header(msgspec.Struct, kw_only=True):
    """The first line."""

    journal: str
    format: int
    dropped: int = 0
    version: str = ""


def write_jsonl(entries: Iterable[Entry], dropped: int = 0) -> str:
    """Return the text of a file.

    Args:
        entries: what to write, oldest first.
        dropped: how many older entries are missing.
    """
    header = {"journal": _NAME, "format": FORMAT, "version": __version__, "dropped": dropped}
    bodies = [header, *map(_body, entries)]
    return "".join(json_text(body) + "\n" for body in bodies)


def read_jsonl(text: str) -> tuple[list[Raw], int]:
    """Return the tuples of a file and how many entries were missing when it was written.

    Raises:
        ConfigError: if a line is not what format 1 says; names the line.
    """
    # Only the line feed ends a line; other separators are content.
    lines = [line for line in text.split("\n") if line.strip()]
    header = _line(lines[0] if lines else "", 1, Header)
    if header.journal != _NAME or header.format != FORMAT:
        raise _wrong(1, f"this is not a journal of format {FORMAT}")
    found: list[Raw] = []
    for position, line in enumerate(lines[1:], 2):
        raw = _raw(_line(line, position, Line), position)
        if found and raw[0] <= found[-1][0]:
            raise _wrong(position, "entry numbers must rise")
        found.append(raw)
    return found, header.dropped


def _body(entry: Entry) -> dict[str, Any]:
    body: dict[str, Any] = {
        "number": entry.number,
        "at": entry.at,
        "peer": entry.peer,
        "kind": entry.kind,
    }
    if entry.frame is not None:
        try:
            body["frame"] = entry.frame.decode("utf-8")
        except UnicodeDecodeError:
            body["frame_base64"] = base64.b64encode(entry.frame).decode("ascii")
    for key in ("method", "stage", "what", "rule", "evidence", "detail"):
        value = getattr(entry, key)
        if value:
            body[key] = value
    if entry.facts is not None:
        body["facts"] = msgspec.to_builtins(entry.facts)
    return body


def _raw(line: Line, position: int) -> Raw:
    frame = None if line.frame is None else line.frame.encode("utf-8", "surrogatepass")
    if line.frame_base64 is not None:
        try:
            frame = base64.b64decode(line.frame_base64, validate=True)
        except (binascii.Error, ValueError) as problem:
            raise _wrong(position, f"frame_base64: {problem}") from problem
    if frame is None and line.kind in ("sent", "received"):
        raise _wrong(position, f'an entry of kind "{line.kind}" needs a frame')
    noted: Noted | None = (line.stage, line.what, line.rule, line.evidence, line.detail)
    if line.kind in ("sent", "received"):
        noted = None
    method = line.method if line.kind == "sent" else None
    return (line.number, line.at, line.peer, line.kind, frame, method, noted, line.facts)


def _line(text: str, position: int, kind: type[LineT]) -> LineT:
    try:
        return msgspec.json.decode(text, type=kind)
    except RecursionError:
        raise _wrong(position, "nested too deeply") from None
    except UnicodeEncodeError:
        raise _wrong(position, "bytes that are not UTF-8, or halves of surrogates") from None
    except msgspec.MsgspecError as problem:
        raise _wrong(position, str(problem)) from problem


def _wrong(position: int, detail: str) -> ConfigError:
    return ConfigError(
        Failure(
            kind=Kind.CONFIG,
            detail=f"journal line {position}: {detail}",
            stage="journal",
            hint="Give a file written by journal.to_jsonl().",
        )
    )
