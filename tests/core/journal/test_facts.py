"""What is kept beside a frame holds no credential and survives the file."""

from workbench.core.journal.facts import Facts, end_facts, request_headers, response_headers
from workbench.core.journal.journal import Journal
from workbench.core.text.redact import MARK, Redactor
from workbench.core.wire.exchange import ExchangeEnd, Trouble

FRAME = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'


def test_a_session_id_is_noted_as_present_and_never_by_its_value() -> None:
    """Ours: whoever has the id has the session."""
    headers = {"Mcp-Session-Id": "secret", "Content-Type": "application/json"}
    wanted = {"content-type": "application/json", "mcp-session-id": MARK}
    assert request_headers(headers) == response_headers(headers) == wanted


def test_of_a_response_only_the_telling_headers_are_kept_and_made_safe() -> None:
    """Ours: cookies and addresses with credentials have no place in a record."""
    came = {
        "Set-Cookie": "key=1",
        "WWW-Authenticate": "Bearer \x1b[31m",
        "Location": "https://user:pass@example.org/x?token=1",
    }
    kept = response_headers(came)
    assert set(kept) == {"location", "www-authenticate"}
    assert "\x1b" not in kept["www-authenticate"]
    assert "pass" not in kept["location"] and "token=1" not in kept["location"]


def test_an_end_keeps_status_type_reason_and_the_start_of_its_body() -> None:
    """Ours: what a replay needs to end an exchange in the same way."""
    end = ExchangeEnd(
        request_id=7, trouble=Trouble.STATUS, status=404, media_type="text/plain", head=b"no\xff"
    )
    assert end_facts(end, {}) == Facts(
        exchange=7,
        status=404,
        headers={"content-type": "text/plain"},
        trouble="error status",
        body="no\ufffd",
    )


def test_facts_are_written_read_again_and_redacted() -> None:
    """Ours: format 1 grows by members an older reader ignores."""
    journal = Journal(redactor=Redactor(["hush-hush"]))
    journal.sent(0.0, "p", FRAME, facts=Facts(headers={"mcp-param-key": "hush-hush"}))
    journal.received(0.1, "p", FRAME, Facts(exchange="a", status=200))
    journal.stray(0.2, "p", "no answer", None, Facts(trouble="no answer", body="hush-hush"))
    journal.closed(0.3, "p", "exited", Facts(exit_status=3, stderr="hush-hush", by_us=True))
    text = journal.to_jsonl()
    assert "hush-hush" not in text and '"format":1' in text
    entries = Journal.from_jsonl(text).entries()
    assert [entry.facts for entry in entries] == [entry.facts for entry in journal.entries()]
    assert entries[3].facts == Facts(exit_status=3, stderr=MARK, by_us=True)
    journal.redactor = Redactor()
    assert "hush-hush" in journal.to_jsonl(), "the check can fail"
