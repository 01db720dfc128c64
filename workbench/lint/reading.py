"""Whatever people have recorded, as a journal.

Takes:  the text of a file: a journal of ours, frames one a line or in one array, or an export
        of the MCP Inspector; bytes that are not UTF-8 as lone surrogates ("surrogateescape")
Gives:  a `Journal`, and which form it was
Never:  guesses between forms: the first character and the first member tell them apart
"""

from typing import Any, Final, Literal

import msgspec

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.journal.journal import Journal
from workbench.lint.inspector import from_network, from_protocol
from workbench.lint.raw_lines import from_lines

Form = Literal["journal", "raw lines", "Inspector protocol export", "Inspector network export"]

HINT: Final = (
    "Give a journal (--record FILE), one JSON-RPC message a line, or the Protocol or Network "
    "export of the MCP Inspector."
)


def read_record(text: str, peer: str = "peer") -> tuple[Journal, Form]:
    """Read a record in any known form.

    Args:
        text: the content of the file.
        peer: the peer's name, where the record has none.

    Raises:
        ConfigError: if the form is unknown or something in it is wrong; says where.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise wrong("the record is empty")
    if text.lstrip()[:1] == "[" and (entries := _export(text)) is not None:
        return _from_export(entries, peer)
    head = _decoded(text.lstrip().split("\n", 1)[0])
    if isinstance(head, dict) and "journal" in head:
        return _built(lambda content, _: Journal.from_jsonl(content), text, peer), "journal"
    return _built(from_lines, text, peer), "raw lines"


def _from_export(entries: list[Any], peer: str) -> tuple[Journal, Form]:
    first = entries[0] if entries else None
    if isinstance(first, dict) and "message" in first:
        return _built(from_protocol, entries, peer), "Inspector protocol export"
    if isinstance(first, dict) and "requestHeaders" in first:
        return _built(from_network, entries, peer), "Inspector network export"
    if isinstance(first, dict) and "jsonrpc" in first:
        lines = "\n".join(msgspec.json.encode(entry).decode() for entry in entries)
        return _built(from_lines, lines, peer), "raw lines"
    raise wrong("a JSON array of neither messages nor requests")


def _export(text: str) -> list[Any] | None:
    value = _decoded(text)
    # A batch on the first of several lines begins like an export, but does not end like one.
    return value if isinstance(value, list) else None


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _built(build: Any, content: Any, peer: str) -> Journal:
    try:
        journal: Journal = build(content, peer)
    except ValueError as problem:
        raise wrong(str(problem)) from None
    return journal


def wrong(detail: str) -> ConfigError:
    """Return the error for a record that cannot be read."""
    return ConfigError(Failure(kind=Kind.CONFIG, stage="lint", detail=detail, hint=HINT))
