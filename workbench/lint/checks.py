"""Every check by the id of its rule, and the one function that runs them all.

Takes:  journal entries
Gives:  `Findings`
Never:  stops at the first finding, and never says the same thing by two rules
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from workbench.core.journal.entry import Entry
from workbench.lint import (
    envelope_checks,
    error_checks,
    handshake_checks,
    http_checks,
    input_checks,
    listing_checks,
    request_checks,
    result_checks,
    stream_checks,
)
from workbench.lint.envelope_checks import Seen
from workbench.lint.findings import Finding, Findings
from workbench.lint.models import check_models
from workbench.lint.record import Life, lives_of

if TYPE_CHECKING:
    from workbench.core.journal.journal import Journal

Check = Callable[[Life], Seen]

CHECKS: Final[dict[str, Check]] = {
    "LINT-01": envelope_checks.check_messages,
    "LINT-02": envelope_checks.check_answer_ids,
    "LINT-03": envelope_checks.check_single_answers,
    "LINT-04": envelope_checks.check_fresh_ids,
    "LINT-05": request_checks.check_metadata,
    "LINT-06": request_checks.check_identity,
    "LINT-07": request_checks.check_headers,
    "LINT-08": result_checks.check_result_type,
    "LINT-09": result_checks.check_cache_hints,
    "LINT-10": input_checks.check_questions,
    "LINT-11": input_checks.check_continuations,
    "LINT-12": request_checks.check_no_requests,
    "LINT-13": handshake_checks.check_server_requests,
    "LINT-14": stream_checks.check_subscriptions,
    "LINT-15": stream_checks.check_progress,
    "LINT-16": stream_checks.check_logs,
    "LINT-17": stream_checks.check_cancellations,
    "LINT-18": stream_checks.check_silence,
    "LINT-19": error_checks.check_version_errors,
    "LINT-20": error_checks.check_capability_errors,
    "LINT-21": error_checks.check_header_errors,
    "LINT-22": error_checks.check_versions,
    "LINT-23": handshake_checks.check_one_handshake,
    "LINT-24": handshake_checks.check_initialized,
    "LINT-25": handshake_checks.check_greeting,
    "LINT-26": listing_checks.check_names,
    "LINT-27": listing_checks.check_declarations,
    "LINT-28": listing_checks.check_cursors,
    "LINT-29": http_checks.check_success,
    "LINT-30": http_checks.check_bodies,
    "LINT-31": http_checks.check_challenge,
    "LINT-33": http_checks.check_error_status,
    "LINT-34": handshake_checks.check_version_header,
}
"""Rule id -> its check; LINT-32 is asked last, because it leaves out what others have said."""

MODEL_RULE: Final = "LINT-32"


def lint_entries(entries: Iterable[Entry], dropped: int = 0) -> Findings:
    """Hold entries against every rule.

    Args:
        entries: oldest first.
        dropped: how many older entries are missing; what only a whole record shows is then
            not judged in the first life of each peer.
    """
    found: list[Finding] = []
    frames = 0
    for life in lives_of(entries, dropped):
        frames += sum(frame.raw is not None for frame in life.frames)
        found += _of(life)
    found.sort(key=lambda one: (one.number, one.rule))
    return Findings(findings=tuple(found), frames=frames, dropped=dropped)


def lint_journal(journal: "Journal") -> Findings:
    """Hold a journal against every rule; `journal.lint()` is this."""
    return lint_entries(journal.entries(), journal.dropped)


def _of(life: Life) -> list[Finding]:
    found = [
        Finding(number=frame.number, peer=life.peer, by=frame.by, rule=rule, what=what)
        for rule, check in CHECKS.items()
        for frame, what in check(life)
    ]
    told: dict[int, frozenset[str]] = {}
    for one in found:
        told[one.number] = told.get(one.number, frozenset()) | {one.rule}
    return found + [
        Finding(number=frame.number, peer=life.peer, by=frame.by, rule=MODEL_RULE, what=what)
        for frame, what in check_models(life, told)
    ]
