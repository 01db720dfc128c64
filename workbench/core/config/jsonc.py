"""JSON as people write it in configuration files, read strictly.

Takes:  JSON text with `//` and `/* */` comments and trailing commas
Gives:  plain values, and the `Place` of the root, which knows the line of every path
Never:  lets the second of two equal keys win, shows a piece of the text in an error, or
        raises anything but `ConfigError`

A parser of our own, because the standard one knows no lines for keys and keeps silent
about duplicates; single strings and numbers are still read by the standard library.
Source: design section 5, "comments allowed"; case N13.
"""

import json
import math
import re
from typing import Any, Final

from workbench.core.config.place import Place, config_error
from workbench.core.errors import ConfigError
from workbench.core.text.visible import visible

DEEPEST: Final = 64
"""Levels of nesting; a configuration needs five, and the interpreter's stack is finite."""

SYNTAX: Final = "CONF-01"
TWICE: Final = "CONF-02"

_SPACE: Final = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
# Possessive: the matcher keeps no way back, which would cost a hundred bytes a character.
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\.)*+"')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_SIGNS: Final = {'"': "a double quote", "'": "a single quote", ",": "a comma"}
_WORDS: Final = {"true": True, "false": False, "null": None}
_LONGEST_INTEGER: Final = 300
"""Digits; more than any setting has, and less than the interpreter refuses to convert."""


def read_jsonc(text: str, source: str = "") -> tuple[Any, Place]:
    """Parse `text` and return its value and the place of its root.

    Args:
        text: the whole document; a byte order mark in front is allowed.
        source: how errors call the document.

    Raises:
        ConfigError: at the first fault, with line, column and what was expected, or with the
            path that appears twice.
    """
    return _Parser(text, source).document()


class _Parser:
    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._at = 1 if text.startswith("\ufeff") else 0
        # Line breaks occur between tokens only, so both are kept up where space is skipped.
        self._line = 1
        self._line_at = self._at
        self._lines: dict[str, int] = {}

    def document(self) -> tuple[Any, Place]:
        root = Place("$", self._source, self._lines)
        self._skip()
        value = self._value(root, 0)
        self._skip()
        if self._at < len(self._text):
            raise self._fault("the end of the file", "One file holds one object.")
        return value, root

    def _value(self, place: Place, depth: int) -> Any:
        self._lines.setdefault(place.path, self._line)
        char = self._peek()
        if char in "{[" and char:
            if depth >= DEEPEST:
                raise self._syntax(f"the nesting is deeper than {DEEPEST} levels")
            self._at += 1
            return (self._object if char == "{" else self._array)(place, depth + 1)
        if char == '"':
            return self._string()
        for word, value in _WORDS.items():
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return value
        number = _NUMBER.match(self._text, self._at)
        if number is None:
            hint = "Strings need double quotes." if char and char in "'`“”‘’" else ""
            raise self._fault("a value", hint)
        return self._number(number)

    def _object(self, place: Place, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while self._more("}", bool(found)):
            if self._peek() != '"':
                expected = 'a key in double quotes or "}"'
                raise self._fault(expected if not found else "a key in double quotes")
            line = self._line
            key = self._string()
            inside = place.key(key)
            if key in found:
                raise self._twice(inside, line)
            self._lines[inside.path] = line
            self._skip()
            if self._peek() != ":":
                raise self._fault('":" after the key')
            self._at += 1
            self._skip()
            found[key] = self._value(inside, depth)
        return found

    def _array(self, place: Place, depth: int) -> list[Any]:
        found: list[Any] = []
        while self._more("]", bool(found)):
            found.append(self._value(place.item(len(found)), depth))
        return found

    def _more(self, closing: str, after_one: bool) -> bool:
        """Step over a comma or the closing bracket; return whether another member follows."""
        self._skip()
        if after_one and self._peek() != closing:
            if self._peek() != ",":
                raise self._fault(f'"," or "{closing}"')
            self._at += 1
            self._skip()
        if self._peek() != closing:
            return True
        self._at += 1
        return False

    def _string(self) -> str:
        token = _STRING.match(self._text, self._at)
        if token is None:
            raise self._syntax(
                "expected a string that ends with a double quote on the same line",
                'Write a line break inside a string as "\\n".',
            )
        try:
            value = str(json.loads(token[0]))
        except ValueError:
            raise self._syntax(
                "expected a valid escape after each backslash in the string",
                'Write a backslash as "\\\\".',
            ) from None
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise self._syntax("expected a string of whole characters, found half a pair")
        self._at = token.end()
        return value

    def _number(self, token: re.Match[str]) -> int | float:
        whole = token[1] is None and token[2] is None
        if whole and len(token[0]) <= _LONGEST_INTEGER:
            value: int | float = int(token[0])
        else:
            value = math.inf if whole else float(token[0])
        if math.isinf(value):
            raise self._syntax("expected a number that is not so large")
        self._at = token.end()
        return value

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self) -> None:
        while space := _SPACE.match(self._text, self._at):
            breaks = space[0].count("\n")
            if breaks:
                self._line += breaks
                self._line_at = space.start() + space[0].rindex("\n") + 1
            self._at = space.end()
        if self._text.startswith("/*", self._at):
            raise self._syntax('expected "*/" at the end of the comment that starts here')

    def _fault(self, expected: str, hint: str = "") -> ConfigError:
        char = self._peek()
        # A letter may belong to a secret; a sign alone gives nothing away.
        if not char:
            found = ", found the end"
        elif char.isprintable():
            found = "" if char.isalnum() else f", found {_SIGNS.get(char, char)}"
        else:
            found = f", found the character U+{ord(char):04X}"
        return self._syntax(f"expected {expected}{found}", hint)

    def _syntax(self, sentence: str, hint: str = "") -> ConfigError:
        where = f"line {self._line}, column {self._at - self._line_at + 1}"
        named = f"{visible(self._source)} {where}" if self._source else where
        return config_error(f"{named}: {sentence}", hint, SYNTAX)

    def _twice(self, place: Place, line: int) -> ConfigError:
        first = place.line
        where = f"{visible(self._source)} line {line}: " if self._source else f"line {line}: "
        return config_error(
            f"{where}{place.path} appears twice (first on line {first})",
            "Keep one of the two.",
            TWICE,
        )
