"""Where something stands in a configuration, and the error that says so.

Takes:  a source, a path such as `$.mcpServers.notes`, and the line of every path
Gives:  the places below it, and a `ConfigError` that names source, line and path
Never:  shows a value; paths are made of keys

Source: design section 5; case N13, "error with file, line and key".
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from workbench.core.errors import ConfigError, Failure, Kind
from workbench.core.text.visible import visible

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*", re.ASCII)
_LONGEST_KEY: Final = 80


class Place(Struct, frozen=True):
    """One place in a configuration."""

    path: str = "$"
    """From the root, with a dot before a plain key: `$.servers.notes.args[2]`."""
    source: str = ""
    """The file as the reader knows it; "" for a configuration built in code."""
    lines: Mapping[str, int] = {}
    """Line of each path in the source, from 1; a path that is not there has its parent's."""
    parent: "Place | None" = None

    def key(self, name: str) -> "Place":
        """Return the place of a key below this one."""
        if _PLAIN_KEY.fullmatch(name):
            return self._below(f"{self.path}.{visible(name, _LONGEST_KEY)}")
        quoted = visible(json.dumps(name, ensure_ascii=False), _LONGEST_KEY)
        return self._below(f"{self.path}[{quoted}]")

    def item(self, index: int) -> "Place":
        """Return the place of an array item below this one, counted from 0."""
        return self._below(f"{self.path}[{index}]")

    def _below(self, path: str) -> "Place":
        return Place(path=path, source=self.source, lines=self.lines, parent=self)

    @property
    def line(self) -> int | None:
        """Line in the source, counted from 1, or None when it is not known."""
        found = self.lines.get(self.path)
        return found if found is not None or self.parent is None else self.parent.line

    def said(self, sentence: str) -> str:
        """Return a sentence about this place: source, line, path, and what is the matter."""
        line = self.line
        where = visible(self.source) + (f" line {line}" if line is not None else "")
        return f"{where.strip()}: {self.path}: {sentence}" if where else f"{self.path}: {sentence}"

    def fault(self, sentence: str, hint: str = "", rule: str = "CONF-03") -> ConfigError:
        """Build the error for this place, ready to raise.

        Args:
            sentence: what was expected and what is there; never with a value that may be secret.
            hint: what the reader can do.
            rule: id of the rule that refused.
        """
        return config_error(self.said(sentence), hint, rule)

    def mismatch(self, expected: str, value: Any, hint: str = "") -> ConfigError:
        """Build the error for a value of the wrong type; shows its type, never the value."""
        return self.fault(f"expected {expected}, got {type_of(value)}", hint)


def config_error(detail: str, hint: str = "", rule: str = "CONF-03") -> ConfigError:
    """Build a `ConfigError` of the configuration stage, ready to raise."""
    return ConfigError(
        Failure(kind=Kind.CONFIG, stage="config", detail=detail, hint=hint, rule=rule)
    )


def type_of(value: Any) -> str:
    """Return the JSON type of a value in words."""
    if value is None:
        return "null"
    # A boolean is an int in Python, so it comes first.
    words = ((bool, "true or false"), (str, "a string"), (int, "a number"), (float, "a number"))
    for kind, word in words:
        if isinstance(value, kind):
            return str(value).lower() if kind is bool else word
    if isinstance(value, dict):
        return "an object"
    return "an array" if isinstance(value, (list, tuple)) else "something that is not JSON"
