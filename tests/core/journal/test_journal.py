"""The record keeps what happened, within bounds, and gives no secret away."""

import threading

import pytest

from workbench.core.errors import ConfigError
from workbench.core.journal.entry import Entry
from workbench.core.journal.journal import Journal
from workbench.core.text.redact import MARK, Redactor

CANARY = "canary-5f2c/91"
ASK = b'{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}'
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}'
REFUSAL = b'{"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"no"}}'


def story(redactor: Redactor | None = None) -> Journal:
    journal = Journal(redactor=redactor)
    journal.opened(10.0, "notes", "python server.py")
    journal.sent(10.0, "notes", ASK)
    journal.received(10.25, "notes", ANSWER)
    journal.decided(10.25, "notes", "negotiate", "modern", "ERA-01", "a discover result", "best")
    journal.stray(10.5, "files", "no request has this id", ANSWER)
    journal.closed(11.0, "notes", "exited with status 3")
    return journal


def test_entries_come_back_decoded_in_order() -> None:
    """Ours: the journal is the single record of frames and decisions."""
    opened, ask, answer, decision, stray, closed = story().entries()
    assert [e.number for e in (opened, ask, answer, decision, stray, closed)] == [*range(1, 7)]
    assert (ask.kind, ask.shape, ask.method, ask.request_id) == (
        "sent",
        "request",
        "server/discover",
        1,
    )
    assert (answer.shape, answer.method, answer.frame) == ("result", "server/discover", ANSWER)
    assert (decision.stage, decision.what, decision.rule) == ("negotiate", "modern", "ERA-01")
    assert (stray.peer, stray.method) == ("files", None)
    assert closed.detail == "exited with status 3"


def test_entries_can_be_picked_by_peer_and_kind() -> None:
    """Ours: a trace shows one peer, a table one kind."""
    journal = story()
    assert [entry.kind for entry in journal.entries(peer="files")] == ["stray"]
    assert [entry.number for entry in journal.entries(kind="decision")] == [4]


def test_an_answer_is_matched_by_id_type_and_direction() -> None:
    """Spec: basic/index, an id is a string or an integer; 1 is not "1"."""
    journal = Journal()
    journal.sent(0.0, "p", ASK)
    journal.received(0.0, "p", ANSWER.replace(b":1,", b':"1",'))
    journal.sent(0.0, "p", ANSWER)
    assert [entry.method for entry in journal.entries()] == ["server/discover", None, None]


def test_old_entries_fall_out_and_numbers_go_on() -> None:
    """Ours: design 7.9, the journal is a ring buffer."""
    journal = Journal(capacity=3)
    numbers = [journal.sent(0.0, "p", ASK) for _ in range(10)]
    assert numbers == list(range(1, 11))
    assert [entry.number for entry in journal.entries()] == [8, 9, 10]
    assert (journal.dropped, len(journal)) == (7, 3)
    assert journal.to_text().startswith("(7 older entries dropped)")


def test_large_frames_are_bounded_by_their_bytes() -> None:
    """Ours: design 7.9; the newest entry stays whatever its size."""
    journal = Journal(byte_capacity=1_000)
    for _ in range(5):
        journal.received(0.0, "p", b"x" * 400)
    assert len(journal) == 2
    journal.received(0.0, "p", b"x" * 5_000)
    assert [entry.number for entry in journal.entries()] == [6]
    journal.decided(0.0, "p", "call", "y" * 900)
    assert [entry.number for entry in journal.entries()] == [7]


def test_a_journal_without_room_is_refused() -> None:
    """Ours: a bound of nothing is a mistake of the caller."""
    with pytest.raises(ValueError, match="needs room"):
        Journal(capacity=0)


def test_an_empty_journal_is_still_true_and_says_so() -> None:
    """Ours: `journal or Journal()` must not replace the caller's."""
    assert Journal()
    assert Journal().to_text() == "(nothing happened yet)"


def test_reading_while_another_thread_writes_never_fails() -> None:
    """Ours: one writer, readers in other threads."""
    journal = Journal(capacity=50)
    done = threading.Event()

    def write() -> None:
        for _ in range(20_000):
            journal.sent(0.0, "p", b"{}")
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    rounds = 0
    while not done.is_set() or rounds == 0:
        numbers = [entry.number for entry in journal.entries()]
        assert numbers == sorted(numbers)
        rounds += 1
    writer.join(5)
    assert journal.dropped == 20_000 - 50


def test_the_trace_shows_time_arrow_id_and_rule() -> None:
    """Ours: design 6, `mcp-workbench trace` prints the negotiation with rule ids."""
    assert story().to_text("notes").splitlines() == [
        "   +0.000s  [ notes  opened: python server.py",
        "   +0.000s -> notes  server/discover (id 1)",
        "   +0.250s <- notes  result (server/discover, id 1)",
        "   +0.250s  * notes  negotiate: modern [ERA-01] because a discover result: best",
        "   +1.000s  ] notes  closed: exited with status 3",
    ]


def test_the_trace_shows_the_serialized_bytes_when_asked() -> None:
    """Seed: card tip, inspect the final serialized request."""
    assert ASK.decode() in story().to_text(frames=True)
    assert ASK.decode() not in story().to_text()


def test_the_file_form_reads_back_to_the_same_entries() -> None:
    """Ours: lint and replay need direction, bytes, time, peer and kind."""
    journal = story()
    journal.sent(12.0, "files", b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}')
    journal.received(12.0, "files", REFUSAL)
    journal.received(12.0, "files", b"\xff\x00 not text")
    journal.received(12.0, "files", '{"a":"\u2028\u202e\x7f 🙂"}'.encode())
    journal.received(12.0, "files", b"")
    text = journal.to_jsonl()
    again = Journal.from_jsonl(text)
    assert again.entries() == journal.entries()
    assert again.to_jsonl() == text
    assert again.sent(13.0, "files", ASK) == 12


def test_the_file_form_of_a_cut_journal_says_what_is_missing() -> None:
    """Ours: a reader must not take the first entry for the beginning."""
    journal = Journal(capacity=1)
    journal.sent(0.0, "p", ASK)
    journal.sent(0.0, "p", ASK)
    again = Journal.from_jsonl(journal.to_jsonl())
    assert (again.dropped, again.entries()[0].number) == (1, 2)


HEADER = '{"journal":"mcp-client-workbench","format":1}\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{}", 1),
        ('{"journal":"mcp-client-workbench","format":2}', 1),
        (HEADER + "nonsense", 2),
        (HEADER + '{"number":1,"at":0,"peer":"p","kind":"sent"}', 2),
        (HEADER + '{"number":1,"at":0,"peer":"p","kind":"sent","frame_base64":"*"}', 2),
        (HEADER + '{"number":1,"at":0,"peer":"p","kind":"said"}', 2),
        (HEADER + '{"number":1,"at":0,"peer":"p","kind":"opened"}\n' * 2, 3),
    ],
)
def test_a_file_that_is_no_journal_is_refused_with_its_line(text: str, line: int) -> None:
    """Ours: design 9, messages say what was seen and where."""
    with pytest.raises(ConfigError) as caught:
        Journal.from_jsonl(text)
    assert f"line {line}:" in caught.value.failure.detail


def everything(journal: Journal) -> str:
    diagram = journal.diagram()
    parts = [
        journal.to_text(frames=True),
        journal.to_jsonl(),
        journal.to_mermaid(),
        repr(journal.to_rows()),
        repr(journal.entries()),
        repr(diagram),
        repr(journal._repr_mimebundle_()),
        repr(journal.to_frame().to_dict()),
        repr(journal),
    ]
    return "\n".join(parts)


def test_no_output_of_a_journal_holds_a_known_secret(views: None) -> None:
    """Ours: design 5, secrets never reach a journal; the canary is in every text field."""
    journal = Journal(redactor=Redactor([CANARY]))
    body = CANARY.encode()
    journal.opened(0.0, "p", f"cmd --key {CANARY}")
    journal.sent(0.0, "p", b'{"jsonrpc":"2.0","id":"%s","method":"%s"}' % (body, body))
    journal.sent(0.0, "p", b"{}", method=CANARY)
    journal.received(0.0, "p", b'{"jsonrpc":"2.0","id":"%s","result":{}}' % body)
    journal.received(0.0, "p", b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"%s"}}' % body)
    journal.received(0.0, "p", b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"%s"}}' % body)
    journal.received(0.0, "p", b"x" * 74 + body)
    journal.received(0.0, "p", b"\xff" + body)
    journal.decided(0.0, "p", "call", CANARY, None, CANARY, CANARY)
    journal.stray(0.0, "p", CANARY, body)
    journal.closed(0.0, "p", CANARY)
    shown = everything(journal)
    assert MARK in shown
    assert "canary" not in shown
    # The check can fail: without the redactor the same journal shows it.
    journal.redactor = Redactor()
    assert "canary" in everything(journal)


def test_an_entry_is_frozen() -> None:
    """Ours: values are frozen structs."""
    entry = story().entries()[0]
    assert isinstance(entry, Entry)
    with pytest.raises(AttributeError):
        entry.peer = "other"  # type: ignore[misc]
