"""A demonstration as a page: verdict, story, report, and how the class had voted.

Takes:  a `Demonstration`, a `Ballot`
Gives:  escaped HTML in the notebook's own colours
Never:  puts text of a peer into markup unescaped
"""

from typing import Final

from workbench.core.report import PeerReport
from workbench.core.rulebook.rules import RULES
from workbench.views.html import report_html, table, text_of
from workbench.views.panels.ballot import Ballot
from workbench.views.panels.demonstration import ACT_COLUMNS, Demonstration

_VOTES: Final = ("Answer", "Votes", "Right?")
_RULE_VOTES: Final = ("Rule", "Votes", "It says")


def verdict_html(shown: Demonstration) -> str:
    """Return what became of the peer, the rule in full, and what to do."""
    row = next(one for one in shown.report.peers if one.peer == shown.subject)
    said = [
        f"<p>Situation: <b>{text_of(shown.plan.cast)}</b>: {text_of(shown.about)}</p>",
        f'<p style="font-size:1.25em"><b>{text_of(shown.subject)}: {shown.verdict}</b></p>',
        *_because(row),
    ]
    if shown.called:
        by = f", answered by {text_of(shown.answered_by)}" if shown.ended == "result" else ""
        ended = f"ended in: {text_of(shown.ended)}{by}"
        said.append(f"<p>The first call, <b>{text_of(shown.called)}</b>, {ended}.</p>")
    return f'<div class="mcpw-strong">{"".join(said)}</div>'


def story_html(shown: Demonstration) -> str:
    """Return what came of each stage, a row each, with the rules in full."""
    return table("What came of each stage", ACT_COLUMNS, [one.cells() for one in shown.acts])


def startup_html(shown: Demonstration) -> str:
    """Return the startup report."""
    return report_html(shown.report)


def votes_html(ballot: Ballot, truth: str, rule: str | None) -> str:
    """Return how the class did: the sentence, and the votes with the right one marked."""
    rows = [
        (answer, str(votes), "yes" if answer == truth else "no")
        for answer, votes in zip(ballot.answers, ballot.votes, strict=True)
        if votes or answer == truth
    ]
    marked = [place for place, row in enumerate(rows) if row[2] == "yes"]
    said = f"<p><b>{text_of(ballot.result(truth, rule))}</b></p>"
    parts = [said, table("How the class has voted", _VOTES, rows, marked)]
    if ballot.rules:
        named = [
            (id_, str(votes), RULES[id_].sentence + (" (this one)" if id_ == rule else ""))
            for id_, votes in sorted(ballot.rules.items())
        ]
        right = [place for place, row in enumerate(named) if row[0] == rule]
        parts.append(table("Which rule the class has named", _RULE_VOTES, named, right))
    return f'<div class="mcpw-strong">{"".join(parts)}</div>'


def _because(row: PeerReport) -> list[str]:
    rule = RULES.get(row.rule or "")
    said = [] if rule is None else [f"<p>{rule.id}: {text_of(rule.sentence)}</p>"]
    if row.evidence:
        said.append(f"<p>Seen: {text_of(row.evidence)}</p>")
    if row.hint:
        said.append(f"<p>What to do: {text_of(row.hint)}</p>")
    return said
