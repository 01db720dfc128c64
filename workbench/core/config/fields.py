"""The fields of one server entry, read with their types.

Takes:  the entry's JSON object, its place, and the environment
Gives:  a text, a list, a mapping, a number or a flag for each key; None when it is absent
Never:  converts: "true" is no boolean, "1000" no number, and null is no value

Variables are replaced in texts, lists of texts and mappings of texts, where the reader asks
for it, and nowhere else. What came from the environment is remembered, for redaction.
Source: design section 5; case N14, "expand in documented fields only".
"""

from collections.abc import Mapping
from typing import Any

from workbench.core.config.expand import expand
from workbench.core.config.place import Place


class Fields:
    """Typed access to one JSON object.

    Args:
        entry: the object.
        place: where it stands.
        environ: where variables are looked up.
    """

    __slots__ = ("_entry", "_environ", "_place", "secrets")

    def __init__(self, entry: Mapping[str, Any], place: Place, environ: Mapping[str, str]) -> None:
        self._entry = entry
        self._place = place
        self._environ = environ
        self.secrets: set[str] = set()
        """Values that variables were replaced by, so far."""

    def __contains__(self, key: str) -> bool:
        """Return whether the key is present, with whatever value."""
        return key in self._entry

    def text(self, key: str, *, expanded: bool = True) -> str | None:
        """Return a string; variables are replaced unless `expanded` is false."""
        if key not in self._entry:
            return None
        return self._text(self._entry[key], self._place.key(key), expanded)

    def texts(self, key: str, *, expanded: bool = True) -> tuple[str, ...] | None:
        """Return an array of strings."""
        if key not in self._entry:
            return None
        place, value = self._place.key(key), self._entry[key]
        if not isinstance(value, list):
            raise place.mismatch("an array of strings", value)
        return tuple(
            self._text(item, place.item(index), expanded) for index, item in enumerate(value)
        )

    def mapping(self, key: str) -> dict[str, str] | None:
        """Return an object whose values are strings; variables are replaced in the values."""
        if key not in self._entry:
            return None
        place, value = self._place.key(key), self._entry[key]
        if not isinstance(value, dict):
            raise place.mismatch("an object of strings", value)
        return {name: self._text(item, place.key(name), True) for name, item in value.items()}

    def flag(self, key: str) -> bool | None:
        """Return true or false; a string that says so is refused."""
        if key not in self._entry:
            return None
        value = self._entry[key]
        if not isinstance(value, bool):
            hint = f"Write {value} without quotes." if value in ("true", "false") else ""
            raise self._place.key(key).mismatch("true or false", value, hint)
        return value

    def whole(self, key: str) -> int | None:
        """Return a whole number; `1000.0` is one."""
        if key not in self._entry:
            return None
        value = self._number(key, "a whole number")
        if not float(value).is_integer():
            raise self._place.key(key).fault(f"expected a whole number, got {value}")
        return int(value)

    def number(self, key: str) -> float | None:
        """Return a number."""
        return float(self._number(key, "a number")) if key in self._entry else None

    def _number(self, key: str, expected: str) -> int | float:
        value = self._entry[key]
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._place.key(key).mismatch(expected, value)
        return value

    def _text(self, value: Any, place: Place, expanded: bool) -> str:
        if not isinstance(value, str):
            hint = "Put it in double quotes." if isinstance(value, (bool, int, float)) else ""
            raise place.mismatch("a string", value, hint)
        if not expanded:
            return value
        done = expand(value, self._environ, place)
        self.secrets |= done.secrets
        return done.text
