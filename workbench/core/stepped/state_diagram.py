"""The policy table as a picture: states, the ways between them, and where one stands.

Takes:  a table, the state to begin with, and the decisions made so far
Gives:  a `Diagram`: a Mermaid flowchart with the present state lit and the way there drawn
        thick, and the same as text
Never:  draws what the table does not say; to change the picture, change a row

Rows that stay where they are (a stray, a first byte, one more correction) are rows as well;
the text lists them, the picture has them only where one was taken.
Source: design section 3, "the diagram in the notebook is drawn from it".
"""

from collections.abc import Sequence
from typing import Final

from workbench.core.actions import Decide
from workbench.core.negotiate.signs import LATE_AMBIGUOUS, Sign
from workbench.core.negotiate.snapshot import TERMINAL, State
from workbench.core.negotiate.table import TRANSITIONS, Do, Policy
from workbench.core.text.mermaid import Diagram, label

_DOUBTFUL: Final = LATE_AMBIGUOUS | {Sign.CLOSED}
_QUIET: Final = frozenset({Do.RECORD, Do.SHORTEN})
_SPACING: Final = '%%{init: {"flowchart": {"nodeSpacing": 28, "rankSpacing": 42}}}%%'
_STYLES: Final = (
    # Blue on white and white on blue can be told apart by brightness alone, in any theme.
    "classDef lit fill:#0b57d0,stroke:#0b57d0,color:#ffffff,font-weight:bold",
    "classDef been stroke:#0b57d0,stroke-width:3px",
)
_TAKEN: Final = "stroke:#0b57d0,stroke-width:4px"
_EDITED: Final = "stroke:#b3261e,stroke-width:3px,stroke-dasharray:6 4"

_Way = tuple[State, State, Do]


def state_diagram(
    policy: Policy, start: State, decisions: Sequence[Decide] = (), *, here: State | None = None
) -> Diagram:
    """Return the picture of a table.

    Args:
        policy: the table; rows that differ from the real one are drawn dashed.
        start: the state a negotiation begins in; only what can be reached from it is drawn.
        decisions: what was decided so far, oldest first.
        here: the present state; None means the start.
    """
    here = start if here is None else here
    ways = _ways(policy, start)
    taken = {(one.state, one.next_state): one for one in decisions}
    visited = [start, *(State(one.next_state) for one in decisions), here]
    # What was visited under another table is drawn even if this one leads there no more.
    states = list(dict.fromkeys([start, *(s for way in ways for s in way[:2]), *visited]))
    return Diagram(
        source=_mermaid(ways, states, taken, visited, here),
        text=_text(ways, states, decisions, visited, here),
    )


def _ways(policy: Policy, start: State) -> dict[_Way, list[tuple[Sign, str, bool]]]:
    """Return the rows that can be reached, by from, to and what is done."""
    reached, frontier = [start], [start]
    ways: dict[_Way, list[tuple[Sign, str, bool]]] = {}
    while frontier:
        state = frontier.pop(0)
        for (source, sign), row in policy.items():
            if source is not state:
                continue
            edited = TRANSITIONS.get((source, sign)) != row
            ways.setdefault((source, row.next, row.do), []).append((sign, row.rule, edited))
            if row.next not in reached:
                reached.append(row.next)
                frontier.append(row.next)
    return ways


def _mermaid(
    ways: dict[_Way, list[tuple[Sign, str, bool]]],
    states: Sequence[State],
    taken: dict[tuple[str, str], Decide],
    visited: Sequence[State],
    here: State,
) -> str:
    names = {state: f"s{place}" for place, state in enumerate(states)}
    lines = [_SPACING, "flowchart TD"]
    for state in states:
        left, right = ("([", "])") if state in TERMINAL else ("[", "]")
        lines.append(f'    {names[state]}{left}"{label(str(state))}"{right}')
    styles = []
    drawn = 0
    for (source, target, do), rows in ways.items():
        decided = taken.get((str(source), str(target)))
        mine = decided is not None and any(str(sign) == decided.evidence for sign, _, _ in rows)
        if source is target and (not mine or do in _QUIET or do is Do.PROBE):
            continue
        said = _decided(decided, rows) if mine and decided is not None else _rows(rows)
        lines.append(f'    {names[source]} -->|"{label(said, 90)}"| {names[target]}')
        if mine:
            styles.append(f"    linkStyle {drawn} {_TAKEN}")
        elif any(edited for _, _, edited in rows):
            styles.append(f"    linkStyle {drawn} {_EDITED}")
        drawn += 1
    been = [names[state] for state in states if state in visited and state is not here]
    lines += [f"    {style}" for style in _STYLES]
    lines.append(f"    class {names[here]} lit")
    if been:
        lines.append(f"    class {','.join(been)} been")
    return "\n".join([*lines, *styles]) + "\n"


def _decided(decided: Decide, rows: Sequence[tuple[Sign, str, bool]]) -> str:
    edited = any(edited for sign, _, edited in rows if str(sign) == decided.evidence)
    return f"{decided.evidence} ({decided.rule}{', edited' if edited else ''})"


def _rows(rows: Sequence[tuple[Sign, str, bool]]) -> str:
    for sign, rule, edited in rows:
        if edited:
            return f"{sign} ({rule}, edited)"
    sign = rows[0][0]
    if len(rows) == 1:
        return str(sign)
    doubtful = all(sign in _DOUBTFUL for sign, _, _ in rows)
    return f"{len(rows)} signs{' that prove nothing' if doubtful else ''}"


def _text(
    ways: dict[_Way, list[tuple[Sign, str, bool]]],
    states: Sequence[State],
    decisions: Sequence[Decide],
    visited: Sequence[State],
    here: State,
) -> str:
    lines = []
    for state in states:
        mark = "=>" if state is here else " +" if state in visited else "  "
        lines.append(f"{mark} {state}")
        for (source, target, do), rows in ways.items():
            if source is state:
                signs = ", ".join(
                    f"{sign} [{rule}{', edited' if edited else ''}]" for sign, rule, edited in rows
                )
                where = "stays" if target is source else f"to {target}"
                lines.append(f"      {where}, {do}: {signs}")
    path = [f"{one.state} -> {one.next_state} ({one.evidence}, {one.rule})" for one in decisions]
    if path:
        lines += ["the way here:", *(f"      {step}" for step in path)]
    return "\n".join(lines)
