"""Known secrets out of everything that leaves the harness.

Takes:  the secret values of a configuration, and any text, bytes or value made of them
Gives:  the same with each secret replaced by a mark, also where it is escaped or encoded
Never:  guesses what a secret looks like; only values it was told about are replaced

Values shorter than four characters are ignored: replacing "1" everywhere would hide the
report, not the secret. Source: design section 5, "secrets never reach a report, a journal,
a notebook output or an exception text".
"""

import base64
import json
from collections.abc import Iterable, Iterator
from operator import is_
from typing import Any, AnyStr, ClassVar, Final
from urllib.parse import quote, quote_plus

import msgspec
from msgspec import Struct

from workbench.core.text.visible import sample, visible

MARK: Final = "‹redacted›"
SHORTEST: Final = 4
"""Shorter values, in characters, are not treated as secrets."""
_SHORTEST_LINE: Final = 8
_SCHEMES: Final = ("bearer ", "basic ", "token ")
_JSON_DEPTH: Final = 100


class Redactor:
    """Replaces known secret values.

    Args:
        secrets: values to hide; blank and very short ones are ignored.
    """

    __slots__ = ("_bytes", "_texts")
    __dataclass_fields__: ClassVar[dict[str, Any]] = {}
    """Taken for a dataclass without fields, so that a value that holds one can be encoded as
    JSON, and nothing of it is in the code."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._texts: tuple[str, ...] = ()
        self._bytes: tuple[bytes, ...] = ()
        self.add(*secrets)

    @classmethod
    def joined(cls, several: Iterable["Redactor"]) -> "Redactor":
        """Return a new one that knows what each of several knows now."""
        made = cls()
        made._know({form for one in several for form in one._texts})
        return made

    def __repr__(self) -> str:
        return f"<Redactor of {len(self._texts)} forms>"

    def add(self, *secrets: str) -> None:
        """Hide more values from now on; safe while other threads are reading."""
        forms = set(self._texts)
        for secret in secrets:
            for part in _parts(secret):
                forms.update(form for form in _forms(part) if len(form) >= SHORTEST)
        self._know(forms)

    def _know(self, forms: set[str]) -> None:
        self._texts = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self._bytes = tuple(form.encode("utf-8", "surrogatepass") for form in self._texts)

    def clean(self, text: AnyStr) -> AnyStr:
        """Return text or bytes without any known secret; the same object when none occurs."""
        if isinstance(text, bytes):
            return _without(text, self._bytes, MARK.encode())
        return _without(text, self._texts, MARK)

    def sample(self, frame: bytes, limit: int = 200) -> str:
        """Return the start of a frame as visible text; hides first, so no half secret is left."""
        return sample(self.clean(frame), limit)

    def tree(self, value: Any, depth: int = _JSON_DEPTH) -> Any:
        """Return a value of structs, tuples, lists, dicts and texts with every text cleaned.

        Args:
            value: what to clean; anything of another type is returned as it is.
            depth: how many levels to follow; deeper parts are replaced by the mark.
        """
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, bytes):
            return self.clean(value)
        if depth <= 0:
            return MARK if isinstance(value, (Struct, tuple, list, dict)) else value
        if isinstance(value, Struct):
            return self._struct(value, depth)
        if isinstance(value, (tuple, list)):
            items = [self.tree(item, depth - 1) for item in value]
            if isinstance(value, list):
                return items
            # A tuple of ours may be a kind of its own, with views of its own.
            same = all(map(is_, items, value))
            return value if same else (tuple if hasattr(value, "_fields") else type(value))(items)
        if isinstance(value, dict):
            return {self.tree(key, 0): self.tree(item, depth - 1) for key, item in value.items()}
        return value

    def _struct(self, value: Struct, depth: int) -> Struct:
        changes = {}
        for name in value.__struct_fields__:
            before = getattr(value, name)
            after = self.tree(before, depth - 1)
            if after is not before:
                changes[name] = after
        return msgspec.structs.replace(value, **changes) if changes else value


def _parts(secret: str) -> Iterator[str]:
    """Yield the value and the pieces of it that are as secret as the whole."""
    yield secret
    stripped = secret.strip()
    yield stripped
    for scheme in _SCHEMES:
        if stripped.lower().startswith(scheme):
            yield stripped[len(scheme) :].strip()
    lines = stripped.splitlines()
    if len(lines) > 1:
        yield from (line.strip() for line in lines if len(line.strip()) >= _SHORTEST_LINE)


def _forms(secret: str) -> Iterator[str]:
    """Yield every way the value may be written."""
    if len(secret) < SHORTEST:
        return
    yield secret
    yield visible(secret)
    readable = json.dumps(secret, ensure_ascii=False)[1:-1]
    portable = json.dumps(secret)[1:-1]
    yield readable
    yield portable
    yield readable.replace("/", "\\/")
    data = secret.encode("utf-8", "surrogatepass")
    for quoted in (quote(data, safe=""), quote(data), quote_plus(data)):
        yield quoted
        yield _lower_escapes(quoted)
    yield from _base64_forms(data)


def _lower_escapes(quoted: str) -> str:
    head, *rest = quoted.split("%")
    return head + "".join("%" + part[:2].lower() + part[2:] for part in rest)


def _base64_forms(data: bytes) -> Iterator[str]:
    """Yield the encoded value alone and inside longer data, at each of the three offsets."""
    found = [base64.b64encode(data).decode()]
    for offset, skipped in ((0, 0), (1, 2), (2, 3)):
        encoded = base64.b64encode(b"\0" * offset + data).decode()
        whole = (offset + len(data)) * 8 // 6
        found.append(encoded[skipped:whole])
    for form in found:
        yield form
        yield form.replace("+", "-").replace("/", "_")


def _without(text: AnyStr, forms: tuple[AnyStr, ...], mark: AnyStr) -> AnyStr:
    present = [form for form in forms if form in text]
    if not present:
        return text
    pieces: list[AnyStr] = []
    end = 0
    for start, stop in _merged(text, present):
        pieces += [text[end:start], mark]
        end = stop
    pieces.append(text[end:])
    return text[:0].join(pieces)


def _merged(text: AnyStr, forms: list[AnyStr]) -> list[tuple[int, int]]:
    """Return where secrets lie, overlapping ones joined so that no tail is left over."""
    spans: list[tuple[int, int]] = []
    for form in forms:
        at = text.find(form)
        while at >= 0:
            spans.append((at, at + len(form)))
            at = text.find(form, at + 1)
    joined: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined
