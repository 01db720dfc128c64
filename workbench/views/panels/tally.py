"""Votes as bars, so that the last row of a classroom sees who is in front.

Takes:  a `Ballot`
Gives:  escaped HTML: a line of text for each answer, and a bar that only repeats it
Never:  says by length or colour what the text does not say

Source: WCAG 2.2, success criterion 1.4.1, "use of color".
"""

from workbench.views.html import text_of
from workbench.views.panels.ballot import Ballot


def tally_html(ballot: Ballot) -> str:
    """Return the votes on the question; nothing before the first one."""
    if not ballot.total:
        return ""
    most = max(ballot.votes)
    first = "in front" if ballot.votes.count(most) == 1 else "level in front"
    lines = [
        _line(answer, votes, ballot.total, first if votes == most else "")
        for answer, votes in zip(ballot.answers, ballot.votes, strict=True)
    ]
    return f'<ul class="mcpw-tally" aria-label="Votes so far">{"".join(lines)}</ul>'


def _line(answer: str, votes: int, total: int, place: str) -> str:
    share = round(100 * votes / total)
    said = f"{text_of(answer)}: {votes} of {total} ({share} %)"
    if place:
        said = f"<b>{said}, {place}</b>"
    bar = f'<span class="mcpw-bar" aria-hidden="true" style="width: {share}%"></span>'
    return f"<li>{said}{bar}</li>"
