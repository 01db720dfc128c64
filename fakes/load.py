"""A fake as JSON text and back, with precise paths in errors.

Takes:  JSON text (a whole program, or a bare list of rules)
Gives:  a `Program`, or rules
Never:  guesses: an unknown field is an error, not a comment
"""

from typing import TypeVar

import msgspec

from fakes.errors import ScriptError
from fakes.program import Program
from fakes.script import Rule

_Loaded = TypeVar("_Loaded")


def dump(program: Program) -> bytes:
    """Return the JSON form of `program`, readable and stable."""
    return msgspec.json.format(msgspec.json.encode(program), indent=2) + b"\n"


def load_program(text: bytes | str) -> Program:
    """Read a whole program.

    Raises:
        ScriptError: if the text is not one; the message ends in the path of the fault.
    """
    return _load(text, Program)


def load_rules(text: bytes | str) -> tuple[Rule, ...]:
    """Read a list of rules.

    Raises:
        ScriptError: if the text is not one; the message ends in the path of the fault.
    """
    return _load(text, tuple[Rule, ...])


def is_program(text: bytes | str) -> bool:
    """Say whether the text looks like a whole program rather than a list of rules."""
    start = text.lstrip()[:1]
    return start in ("{", b"{")


def _load(text: bytes | str, kind: type[_Loaded]) -> _Loaded:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise ScriptError(f"the script cannot be used: {problem}") from None
