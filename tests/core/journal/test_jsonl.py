"""The file form of a journal."""

import json

import pytest

from workbench.core.errors import ConfigError
from workbench.core.journal.journal import Journal
from workbench.core.journal.jsonl import FORMAT, read_jsonl, write_jsonl
from workbench.core.text.redact import Redactor


def filled(redactor: Redactor | None = None) -> Journal:
    journal = Journal(redactor=redactor)
    journal.opened(1.0, "p", "transport opened")
    journal.sent(1.5, "p", b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}')
    journal.received(2.0, "p", b"\xff not text")
    journal.decided(2.0, "p", "negotiate", "a → b", rule="ERA-14", evidence="noise", detail="d")
    return journal


def test_what_is_written_can_be_read_again_byte_for_byte() -> None:
    """Ours: recordings are evidence."""
    text = filled().to_jsonl()
    assert json.loads(text.splitlines()[0])["format"] == FORMAT
    again = Journal.from_jsonl(text)
    assert again.entries() == filled().entries()
    assert again.to_jsonl() == text


def test_a_frame_that_is_no_text_is_kept_in_base64() -> None:
    """Ours: no byte is lost."""
    raws, _ = read_jsonl(filled().to_jsonl())
    assert raws[2][4] == b"\xff not text"


def test_a_secret_is_not_written() -> None:
    """Field case X01."""
    journal = filled(Redactor(["server/discover"]))
    assert "server/discover" not in write_jsonl(journal.entries())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "{}",
        '{"journal":"other","format":1}',
        '{"journal":"mcp-client-workbench","format":99}',
    ],
)
def test_a_text_that_is_no_journal_is_one_clear_error(text: str) -> None:
    """Ours: bad input gets one line."""
    with pytest.raises(ConfigError):
        read_jsonl(text)


def test_a_broken_line_is_named() -> None:
    """Ours: the reader finds it."""
    lines = filled().to_jsonl().splitlines()
    lines[2] = "{"
    with pytest.raises(ConfigError, match="3"):
        read_jsonl("\n".join(lines))
