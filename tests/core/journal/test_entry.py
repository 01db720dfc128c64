"""A stored tuple becomes one readable entry."""

import pytest

from workbench.core.journal.entry import Raw, entries_of, id_text
from workbench.core.text.redact import Redactor


def summary(frame: bytes) -> str:
    raw: Raw = (1, 0.0, "p", "received", frame, None, None, None)
    (entry,) = entries_of([raw], Redactor())
    return entry.summary


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}',
            "tools/call search",
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a"}}',
            "resources/read file:///a",
        ),
        (b'{"jsonrpc":"2.0","method":"notifications/progress"}', "notifications/progress"),
        (b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}', "result"),
        (
            b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}',
            "result input_required",
        ),
        (b'{"jsonrpc":"2.0","id":1,"result":[]}', "result"),
        (
            b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no \\u001b[1m"}}',
            "error -32601 no \\x1b[1m",
        ),
        (b"", "blank line"),
        (b"starting up", "not JSON: starting up"),
        (b"[]", "a batch array: []"),
    ],
)
def test_the_summary_says_what_a_frame_is(frame: bytes, said: str) -> None:
    """Ours: one line, safe to show."""
    assert summary(frame) == said


def test_a_number_and_a_string_id_look_different() -> None:
    """Spec: basic/index, ids; 1 is not "1"."""
    assert [id_text(value) for value in (1, "1", "\x1b", None)] == ["1", '"1"', '"\\x1b"', ""]


def test_a_method_is_kept_when_the_frame_does_not_tell() -> None:
    """Ours: an HTTP frame may be recorded with its method beside it."""
    raw: Raw = (1, 0.0, "p", "sent", b"{}", "tools/list", None, None)
    (entry,) = entries_of([raw], Redactor())
    assert (entry.method, entry.shape) == ("tools/list", "malformed")
