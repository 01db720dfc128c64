"""Sequence diagrams: what crossed, what was decided, and nothing a peer could inject."""

from workbench.core.journal.journal import Journal
from workbench.core.journal.sequence import lanes, sequence_diagram
from workbench.core.results.cache import Found

ASK = b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}'
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{}}'


def story() -> Journal:
    journal = Journal()
    journal.sent(0.0, "notes", ASK)
    journal.received(0.0, "notes", ANSWER)
    journal.decided(0.0, "notes", "negotiate", "modern", "ERA-01", "a discover result")
    journal.stray(0.0, "archive", "late", ANSWER)
    journal.decided(0.0, "", "merge", "no collision", "MERGE-01")
    return journal


def test_the_diagram_has_arrows_for_frames_and_notes_for_decisions() -> None:
    """Ours: the diagram is drawn from the journal, never by hand."""
    assert story().to_mermaid().splitlines() == [
        "sequenceDiagram",
        "    participant c as client",
        "    participant p1 as archive",
        "    participant p2 as notes",
        "    c->>p2: server/discover (id 1)",
        "    p2-->>c: result (id 1)",
        "    Note over c,p2: wrap:ERA-01#58; modern (a discover result)",
        "    p1--xc: stray#58; late (result) (id 1)",
        "    Note over c: wrap:MERGE-01#58; no collision",
    ]


def test_one_peer_can_be_drawn_alone() -> None:
    """Ours: a lesson shows one negotiation."""
    drawn = story().to_mermaid("notes")
    assert "archive" not in drawn
    assert "participant p1 as notes" in drawn


def test_the_text_twin_shows_the_same_in_lanes() -> None:
    """Ours: everything that cannot draw Mermaid shows this."""
    lines = lanes(story().entries())
    head, ask, answer, decision, stray, merged = lines.splitlines()
    assert head.split() == ["client", "archive", "notes"]
    assert ask.startswith("|- server/discover (id 1) -") and ask.endswith(">|")
    assert answer.startswith("|<- result (id 1) -")
    assert decision == "| * ERA-01: modern (a discover result)"
    assert stray.startswith("|x- stray: late (result) (id 1) -") and stray.count("|") == 3
    assert merged == "| * MERGE-01: no collision"
    assert max(map(len, lines.splitlines())) <= 100


def test_a_long_record_is_cut_to_its_end_and_says_so() -> None:
    """Ours: Mermaid refuses very long texts."""
    entries = story().entries()
    assert "Note over c: 3 earlier entries left out" in sequence_diagram(entries, limit=2)
    assert "(3 earlier entries left out)" in lanes(entries, limit=2)


def test_an_id_stays_whole_when_its_text_is_cut() -> None:
    """Ours: the id ties an answer to its request."""
    journal = Journal()
    journal.sent(0.0, "p", b'{"jsonrpc":"2.0","id":77,"method":"%s"}' % (b"m" * 500))
    assert "…(id 77)" in journal.to_mermaid().replace("… (", "…(")
    assert "(id 77)" in journal.diagram().text


def test_an_empty_journal_draws_the_client_alone() -> None:
    """Ours: a diagram of nothing is still a diagram."""
    assert Journal().to_mermaid() == "sequenceDiagram\n    participant c as client\n"
    assert Journal().diagram().text == "client"


def test_hostile_text_cannot_leave_its_label() -> None:
    """Ours: design 7.10; no statement, comment, directive, element, link or formula."""
    evil = 'x; participant q\nc->>p1: "<img src=x onerror=alert(1)>" %% #lt; %%{init}%% $$a$$ wrap:'
    journal = Journal()
    journal.sent(0.0, evil, b'{"jsonrpc":"2.0","id":"a;b","method":"x#;<b>"}')
    journal.decided(0.0, evil, evil, evil, evil, evil, evil)
    journal.stray(0.0, evil, evil, evil.encode())
    drawn = journal.to_mermaid()
    lines = drawn.splitlines()
    assert len(lines) == 6
    assert [line.split()[0] for line in lines[1:]] == [
        "participant",
        "participant",
        "c->>p1:",
        "Note",
        "p1--xc:",
    ]
    for line in lines[2:]:
        said = line.split(": ", 1)[-1] if ": " in line else line.split(" as ", 1)[1]
        said = said.removeprefix("wrap:")  # ours, so that long notes stay in their boxes
        assert not set(said) & set('<>"%{}$:&\n\r\\')
        # Every hash starts a number and every semicolon ends one.
        assert said.count("#") == said.count(";")


def test_a_cache_is_drawn_only_where_it_spares_a_request() -> None:
    """Ours: a picture shows what happened; that nothing was stored yet is no event."""
    journal = Journal()
    journal.decided(0.0, "notes", "cache", "tools/list: miss")
    journal.decided(0.0, "notes", "cache", "tools/list: kept", "CACHE-03")
    journal.decided(0.0, "notes", "cache", "tools/list: hit", "CACHE-03")
    journal.decided(0.0, "notes", "cache", f"tools/list: {Found.STALE}", "CACHE-07")
    drawn = journal.to_mermaid()
    assert "CACHE-03" in drawn and "hit" in drawn
    assert "CACHE-07" in drawn and "in place of" in drawn
    assert "miss" not in drawn and "kept" not in drawn
    assert "tools/list: miss" in journal.to_text()
