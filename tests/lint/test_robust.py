"""Whatever was recorded, lint and replay take it: a record is as hostile as its peer."""

import json
import random
from typing import Any

import pytest
from faulty import in_memory

from fakes import FAULTS, Fake, fault
from fakes.engine import begin, react
from fakes.events import Heard, Started
from fakes.load import dump, load_program
from workbench.core.journal.entry import Entry
from workbench.core.journal.facts import Facts
from workbench.core.journal.journal import Journal

JUNK: list[Any] = [None, True, 0, -1, 1.5, "", [], {}, "x" * 9, [[]], {"a": None}, 2**70]
ROUNDS = 60


@pytest.fixture(scope="module")
def corpus() -> list[Entry]:
    """Frames of many kinds, good and bad, of both sides."""
    names = [name for name in FAULTS if name[0] != "H" and name != "C09-64-MiB"]
    journals = [in_memory(name, fault(name), True) for name in names[::6]]
    return [entry for journal in journals for entry in journal.entries() if entry.frame]


def mutated(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.12:
        return chance.choice(JUNK)
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if chance.random() > 0.06}
        return {key: mutated(one, chance) for key, one in kept.items()}
    return [mutated(one, chance) for one in value] if isinstance(value, list) else value


def disturbed(corpus: list[Entry], chance: random.Random) -> Journal:
    journal = Journal()
    for entry in chance.sample(corpus, 8):
        frame = entry.frame or b""
        try:
            frame = json.dumps(mutated(json.loads(frame), chance)).encode()
        except (ValueError, RecursionError):
            pass  # it was no JSON before either, or is too deep for this reader
        facts = Facts(
            exchange=chance.choice([1, 2, "a", None]),
            status=chance.choice([None, 200, 202, 401]),
            headers=chance.choice([{}, {"content-type": "application/json"}, {"mcp-method": "x"}]),
            trouble=chance.choice(["", "no answer"]),
            body=chance.choice(["", "{", "[1]"]),
        )
        if entry.kind == "sent":
            journal.sent(0.0, "p", frame, facts=facts)
        else:
            journal.received(0.0, "p", frame, facts)
    return journal


@pytest.mark.parametrize("seed", range(8))
def test_nothing_in_a_record_breaks_lint_or_replay(seed: int, corpus: list[Entry]) -> None:
    """Design 7.10: what a peer said is data, also a year later."""
    chance, found = random.Random(seed), 0
    for _ in range(ROUNDS):
        journal = disturbed(corpus, chance)
        findings = journal.lint()
        found += len(findings)
        assert "\n".join(one.line() for one in findings) in findings.to_text()
        program = Fake.from_journal(journal.to_jsonl(), speed=chance.choice([0.0, 1.0])).program
        assert load_program(dump(program)) == program
        state, _ = react(begin(program), Started(1), 0.0)
        for entry in chance.sample(corpus, 6):
            state, _ = react(state, Heard(entry.frame or b""), 0.0)
    assert found > ROUNDS
