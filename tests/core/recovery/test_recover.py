"""What may be sent again."""

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.recovery.recover import (
    SAFE_METHODS,
    Lost,
    declared_safe,
    may_repeat,
    undecided,
)


def test_a_call_that_may_have_run_is_not_repeated() -> None:
    """Seed skill, refusal rules; field case R03."""
    decision = may_repeat("tools/call", Lost.AFTER_SENDING)
    assert (decision.repeat, decision.rule) == (False, "RETRY-01")


@pytest.mark.parametrize("word", [{"idempotency_key": "k"}, {"user_agreed": True}])
def test_the_callers_word_permits_a_repeat(word: dict[str, object]) -> None:
    """Seed skill, refusal rules."""
    assert may_repeat("tools/call", Lost.AFTER_SENDING, **word).repeat  # type: ignore[arg-type]


def test_a_declaration_permits_a_repeat_under_a_rule_of_its_own() -> None:
    """Rule RETRY-03: a key comes first, for it is the caller's own word."""
    decision = may_repeat("tools/call", Lost.AFTER_SENDING, declared="idempotentHint")
    assert (decision.repeat, decision.rule) == (True, "RETRY-03")
    both = may_repeat(
        "tools/call", Lost.AFTER_SENDING, declared="idempotentHint", idempotency_key="k"
    )
    assert both.rule == "RETRY-01"


@pytest.mark.parametrize(
    ("annotations", "name"),
    [
        ({"readOnlyHint": True}, "readOnlyHint"),
        ({"idempotentHint": True, "destructiveHint": True}, "idempotentHint"),
        ({"readOnlyHint": "true", "idempotentHint": 1}, ""),
        ({"destructiveHint": False, "openWorldHint": False}, ""),
        ([{"readOnlyHint": True}], ""),
        (None, ""),
    ],
)
def test_only_true_says_that_repeating_is_harmless(annotations: object, name: str) -> None:
    """Spec: schema `ToolAnnotations`; silence and odd values say nothing."""
    assert declared_safe({"name": "t", "annotations": annotations}) == name
    assert declared_safe({"name": "t"}) == ""


def test_an_empty_key_is_no_key() -> None:
    """Ours: a variable that was never set must not permit a repeat."""
    assert not may_repeat("tools/call", Lost.AFTER_SENDING, idempotency_key="").repeat


def test_a_call_that_never_left_may_be_sent() -> None:
    """Seed lesson: routing."""
    assert may_repeat("tools/call", Lost.BEFORE_SENDING).repeat


@pytest.mark.parametrize("method", sorted(SAFE_METHODS))
def test_reads_may_be_repeated(method: str) -> None:
    """Seed skill, item 8."""
    assert may_repeat(method, Lost.AFTER_SENDING).repeat


def test_who_decides_knows_the_name_the_rule_and_what_to_do() -> None:
    """Rule RETRY-01; a rule and a hint that are there stay."""
    lost = Failure(kind=Kind.OUTCOME_UNKNOWN, detail="gone", peer="notes")
    told = undecided(lost, "notes/write")
    assert (told.name, told.rule) == ("notes/write", "RETRY-01") and told.hint
    known = Failure(kind=Kind.OUTCOME_UNKNOWN, detail="gone", rule="HTTP-05", hint="mine")
    assert (undecided(known, "x").rule, undecided(known, "x").hint) == ("HTTP-05", "mine")
