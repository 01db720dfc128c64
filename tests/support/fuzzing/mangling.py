"""Valid samples spoilt by seeded chance.

Takes:  samples, and a source of chance
Gives:  bytes that are nearly what a reader expects, and now and then far from it
Never:  more than `LONGEST` bytes, so that what a reader needs can be held against it

A byte that is wrong by chance seldom gets past the first check. So most changes are made of
whole pieces that trouble readers of JSON: depth, length, doubled keys, halves of pairs.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

LONGEST: Final = 65_536
"""Bytes."""

PIECES: Final = (
    b"\x00", b"\n", b"\r", b"\r\n", b"\r\r", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    b"\xe2\x80\xa8", b"\\", b"\\u0000", b"\\ud800", b"\\udfff\\ud800", b'"', b"{", b"}", b"[",
    b"]", b":", b",", b"null", b"true", b"-", b"0", b"-0", b"1.0", b"1e400", b"1E-400", b"NaN",
    b"Infinity", b"9" * 19, b"9" * 400, b"9" * 5_000, b"-" + b"9" * 40, b"/*", b"*/", b"//",
    b"${", b"${env:", b"}", b"=?base64?", b"?=", b"data: ", b"data", b"event: x", b"id: \x00",
    b"retry: 99999999999999999999", b": ", b"\x1b[2J", b"$ref", b'"x-mcp-header":"A"',
)  # fmt: skip
VALUES: Final = (
    b"null", b"true", b"-1", b"1.5", b'""', b"[]", b"{}", b'"x"', b'{"":null}', b"9" * 40,
    b'"\\ud83d\\ude00"', b"[[],{}]", b'{"a":1,"a":2}', b'"' + b"x" * 3_000 + b'"',
    b'{"$ref":"#"}', b'{"allOf":[{"$ref":"#"},{"$ref":"#"}]}', b'"2.0"', b'"complete"',
)  # fmt: skip
_TOKENS: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]', re.DOTALL)
LEVELS: Final = (3, 5, 10, 20, 60, 64, 65, 190, 201, 900, 960, 985, 990, 995, 1_000, 1_100, 8_000)
"""About where readers stop: what they allow, and what the interpreter allows."""


def mangled(samples: Sequence[bytes], chance: random.Random) -> bytes:
    """Return one sample with one to four changes."""
    data = chance.choice(samples)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        data = chance.choice(_CHANGES)(data, chance)
    if chance.random() < 0.05:
        data = _spliced(data, chance.choice(samples), chance)
    return data[:LONGEST]


def nested(levels: int, chance: random.Random) -> bytes:
    """Return a JSON value of so many levels; now and then without its end."""
    opened, closed = chance.choice(
        ((b"[", b"]"), (b'{"a":', b"}"), (b'{"properties":{"a":', b"}}"), (b'{"not":', b"}"))
    )
    core = chance.choice((b"1", b"{}", b'"x"', b"null"))
    levels = min(levels, LONGEST // (2 * len(opened)))
    return opened * levels + core + (closed * levels if chance.random() < 0.9 else b"")


def behind_each_colon(data: bytes, value: bytes, most: int = 8) -> Iterator[bytes]:
    """Yield the data with a value in the place of each member's, one at a time.

    Args:
        data: a sample; one without colons gets the value in front.
        value: what is put there.
        most: places that are tried, the first ones.
    """
    places = [found.end() for found in re.finditer(b":", data)][:most]
    for start in places:
        yield data[:start] + value + data[_value_end(data, start) :]
    if not places:
        yield value + data


def _place(data: bytes, chance: random.Random) -> int:
    return chance.randint(0, len(data))


def _flipped(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes((data[at] ^ (1 << chance.randrange(8)),)) + data[at + 1 :]


def _cut(data: bytes, chance: random.Random) -> bytes:
    start = _place(data, chance)
    return data[:start] + data[start + chance.choice((1, 1, 2, 8, 64)) :]


def _ended(data: bytes, chance: random.Random) -> bytes:
    return data[: _place(data, chance)]


def _doubled(data: bytes, chance: random.Random) -> bytes:
    start = _place(data, chance)
    piece = data[start : start + chance.choice((1, 4, 16, 64, 256))]
    times = chance.choice((1, 1, 1, 1, 1, 2, 2, 3, 50, 200))
    at = chance.choice((start, _place(data, chance)))
    return data[:at] + piece * times + data[at:]


def _inserted(data: bytes, chance: random.Random) -> bytes:
    at = _place(data, chance)
    return (
        data[:at]
        + chance.choice(PIECES) * chance.choice((1, 1, 1, 1, 1, 1, 2, 2, 2, 100))
        + data[at:]
    )


def _revalued(data: bytes, chance: random.Random) -> bytes:
    """Put another JSON value, often a deep one, behind some colon."""
    start = data.find(b":", _place(data, chance)) + 1 or data.find(b":") + 1
    if not start:
        return _inserted(data, chance)
    end = _value_end(data, start)
    deep = chance.random() < 0.3
    value = nested(chance.choice(LEVELS), chance) if deep else chance.choice(VALUES)
    return data[:start] + value + data[end:]


def _value_end(data: bytes, start: int) -> int:
    """Return where the JSON value that begins here ends, roughly."""
    level = 0
    for token in _TOKENS.finditer(data, start):
        if token[0] in b"[{":
            level += 1
        elif token[0] in b"]},":
            if level == 0:
                return token.start()
            level -= token[0] != b","
    return len(data)


def _rekeyed(data: bytes, chance: random.Random) -> bytes:
    """Write the members of the whole a second time, or one member many times."""
    at = data.find(b"{") + 1
    member = chance.choice((data[at : at + 40].split(b",")[0], b'"a":1', b'"":{}'))
    return data[:at] + (member + b",") * chance.choice((1, 1, 1, 2, 100)) + data[at:]


def _spliced(data: bytes, other: bytes, chance: random.Random) -> bytes:
    return data[: _place(data, chance)] + other[_place(other, chance) :]


_CHANGES: Final[tuple[Callable[[bytes, random.Random], bytes], ...]] = (
    _flipped, _cut, _ended, _doubled, _inserted, _inserted, _revalued, _revalued, _revalued,
    _rekeyed,
)  # fmt: skip
