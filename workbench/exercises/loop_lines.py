"""The lines of exercise 6, and what each of them has to lead to.

Takes:  chance
Gives:  trials: an input, the handler, and the answers that are due
Never:  judges; `e06_stdio_loop` does
"""

import json
from random import Random
from typing import Any, Final

from msgspec import Struct

from workbench.exercises.exercise import Call, Function, Input, Output, Trial

LONGEST: Final = 1_048_576
"""Bytes of a line that has to be read."""
PARSE: Final = -32700
INVALID: Final = -32600
UNKNOWN: Final = -32601
INTERNAL: Final = -32603


class Wanted(Struct, frozen=True):
    """What one line has to lead to.

    `code` is None for a result; `ids` are those that will do: null is as good as an id that
    stands in a message which is none.
    """

    ids: tuple[Any, ...]
    code: int | None
    result: Any = None
    miss: str = "no-answer"
    """The mistake of who does it otherwise."""


class Right(Struct, frozen=True):
    """What a trial has to lead to."""

    wanted: tuple[Wanted, ...]
    handed: tuple[tuple[str, Any], ...]
    """Method and params of what the handler must get, at least."""
    secret: str = ""
    extra: str = "notification"
    """The mistake of who writes more lines than these."""
    bad: bool = False
    """Whether a line is there to end a loop that is not careful."""


def trials(chance: Random) -> tuple[Trial, ...]:
    """Make inputs: requests, notifications, and lines that are neither."""
    word, secret = chance.choice(["tea", "rain", "moss"]), f"key-{chance.randint(1000, 9999)}"
    number, text_id = chance.randint(2, 900), f"id-{chance.randint(1, 99)}"
    params = {"q": word, "n": number}
    first, last = _request(number, "echo", params), _request("last", "double", {"n": 4})
    both = (_done(number, params), _done("last", {"n": 8}))
    ids = (0, -number, str(number), text_id, 2**40)
    same_ids = [_request(one, "echo", {"at": place}) for place, one in enumerate(ids)]
    note = _line({"jsonrpc": "2.0", "method": "echo", "params": {"quiet": word}})
    notes = [note, _line({"jsonrpc": "2.0", "method": "break"}), last]
    odd = {"q": f"a\u2028b\u0085c\x7f{word}"}
    raw_odd = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "echo", "params": odd},
                         ensure_ascii=False).encode() + b"\n"  # fmt: skip
    bare = _line({"jsonrpc": "2.0", "id": 3, "method": "echo"})
    long = _line({"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"q": "x" * LONGEST}})
    fine = _line(
        {"jsonrpc": "2.0", "id": 2, "method": "double", "params": {"n": 1}, "x": "y" * 10**6}
    )
    unread = (
        ("no JSON", b'{"jsonrpc": "2.0", "id": 7, "method": \n'),
        ("a log line", b"INFO started in 20 ms\n"),
        ("no UTF-8", b'{"jsonrpc": "2.0", "id": 7, "method": "\xff\xfe"}\n'),
        ("fifty thousand braces", b'{"params": ' * 50_000 + b"\n"),
    )
    broken = (_no(PARSE, "no-parse-error"), both[1])
    separated = (_done(1, odd, "split"), both[1])
    ends = [first[:-1] + b"\r\n", last[:-1]]
    return (
        _trial("two requests", [first, last], both, [("echo", params), ("double", {"n": 4})]),
        _trial(
            "ids of every kind",
            same_ids,
            [_done(one, {"at": place}, "wrong-id") for place, one in enumerate(ids)],
        ),
        _trial("a request without params", [bare, last], (_done(3, {}), both[1]), [("echo", {})]),
        _trial(
            "notifications, one of which breaks the handler",
            notes,
            (both[1],),
            [("echo", {"quiet": word}), ("double", {"n": 4})],
            bad=True,
        ),
        *(_trial(f"a line that is {what}", [it, last], broken, bad=True) for what, it in unread),
        *(
            _trial(f"a message with {what}", [line, last], (_invalid(line), both[1]), bad=True)
            for what, line in _not_valid(word)
        ),
        _trial(
            "a method nobody knows",
            [_request(5, f"no/{word}", {}), last],
            (Wanted((5,), UNKNOWN, miss="unknown-method"), both[1]),
        ),
        _trial(
            "a handler that breaks",
            [_request(text_id, "break", {"say": secret}), last],
            (Wanted((text_id,), INTERNAL, miss="no-internal"), both[1]),
            secret=secret,
            bad=True,
        ),
        _trial("blank lines", [b"\n", first, b"  \r\n", last], both, extra="blank", bad=True),
        _trial("lines that end in CR LF, and the last in nothing", ends, both),
        _trial("a text with U+2028 inside", [raw_odd, last], separated, extra="split"),
        _trial(
            "a line that is too long, and one that is not",
            [long, fine, last],
            (_no(PARSE, "too-long"), _done(2, {"n": 2}), both[1]),
            bad=True,
        ),
    )  # fmt: skip


def handler(method: str, params: Any) -> Any:
    """Do what the methods of these trials do."""
    if method == "echo":
        return params
    if method == "double":
        return {"n": 2 * params["n"]}
    if method == "break":
        raise RuntimeError(f"cannot open /srv/{params.get('say', 'it')}")
    return None


def _done(asked: Any, result: Any, miss: str = "no-answer") -> Wanted:
    return Wanted((asked,), None, result, miss)


def _no(code: int, miss: str) -> Wanted:
    return Wanted((None,), code, miss=miss)


def _invalid(line: bytes) -> Wanted:
    body = json.loads(line)
    usable = isinstance(body, dict) and type(body.get("id")) in (int, str)
    ids = (None, body["id"]) if usable else (None,)
    return Wanted(ids, INVALID, miss="not-invalid")


def _not_valid(word: str) -> tuple[tuple[str, bytes], ...]:
    whole = {"jsonrpc": "2.0", "id": 7, "method": "echo", "params": {"q": word}}
    return (
        ("a list around it", _line([whole, {**whole, "id": 8}])),
        ("nothing but a number", _line(20)),
        ("jsonrpc 1.0", _line({**whole, "jsonrpc": "1.0"})),
        ("a method that is a number", _line({**whole, "method": 5})),
        ("params that are a list", _line({**whole, "params": [word]})),
        ("an id that is null", _line({**whole, "id": None})),
        ("an id that is true", _line({**whole, "id": True})),
    )


def _request(number: Any, method: str, params: Any) -> bytes:
    return _line({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def _line(body: Any) -> bytes:
    return json.dumps(body).encode() + b"\n"


def _trial(
    about: str,
    lines: list[bytes],
    wanted: Any,
    handed: Any = (),
    secret: str = "",
    extra: str = "notification",
    bad: bool = False,
) -> Trial:
    call = Call(args=(Function("handler"), Input(b"".join(lines)), Output()))
    right = Right(tuple(wanted), tuple(handed), secret, extra, bad)
    return Trial(
        name=about, about=about, calls=(call,), functions={"handler": handler}, right=right
    )
