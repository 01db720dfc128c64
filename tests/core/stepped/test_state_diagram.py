"""The picture is the table: every row is in it, and it changes with a row."""

import re

import pytest

from workbench.core.events import Opened
from workbench.core.negotiate.edits import possible_rows, with_row
from workbench.core.negotiate.moment import Origin, begun
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import State, Terms, begin
from workbench.core.negotiate.table import TRANSITIONS, Do
from workbench.core.negotiate.what_if import suppose
from workbench.core.stepped.state_diagram import state_diagram

STRICT = [State.PROBING, State.CORRECTING, State.MODERN, State.UNAVAILABLE]
NODE = re.compile(r'^ {4}(s\d)(?:\[|\(\[)"([^"]*)"', re.MULTILINE)


def nodes(source: str) -> dict[str, str]:
    """Return the states of a picture by their text."""
    return {text: name for name, text in NODE.findall(source)}


@pytest.mark.parametrize("start", [State.PROBING, State.PROBING_ALLOWED])
def test_exactly_what_can_be_reached_is_drawn(start: State) -> None:
    """Ours: the flag picks the first state, and the table does the rest."""
    drawn = set(nodes(state_diagram(TRANSITIONS, start).source))
    other = State.PROBING if start is State.PROBING_ALLOWED else State.PROBING_ALLOWED
    wanted = STRICT if start is State.PROBING else [one for one in State if one is not other]
    assert drawn == {str(state) for state in wanted}


def test_every_row_is_in_the_text_once() -> None:
    """Ours: the text twin leaves nothing out."""
    text = state_diagram(TRANSITIONS, State.PROBING_ALLOWED).text
    rows = [key for key in TRANSITIONS if key[0] is not State.PROBING]
    assert sum(line.count("[") for line in text.splitlines()) == len(rows)
    for state, sign in rows:
        assert f"{sign} [{TRANSITIONS[state, sign].rule}]" in text


def test_the_present_state_is_lit_and_the_way_is_thick() -> None:
    """Ours: where one stands can be seen at a glance."""
    start = begun(begin(Terms()))
    opened = start.then(Opened(), 0.0, Origin.PEER)
    refused = opened.then(suppose(opened.snapshot, "-32601").event, 0.0, Origin.WHAT_IF)
    decided = [one for m in (opened, refused) if (one := m.decision) is not None]
    drawn = state_diagram(TRANSITIONS, State.PROBING, decided, here=State.UNAVAILABLE)
    names = nodes(drawn.source)
    assert f"    class {names['unavailable']} lit\n" in drawn.source
    assert f"    class {names['probing']} been\n" in drawn.source
    (taken,) = re.findall(r"linkStyle (\d+) stroke:#0b57d0", drawn.source)
    ways = [line for line in drawn.source.splitlines() if "-->" in line]
    assert ways[int(taken)] == (
        f'    {names["probing"]} -->|"unrecognized error (ERA-10)"| {names["unavailable"]}'
    )
    assert "=> unavailable" in drawn.text and " + probing" in drawn.text
    assert "probing -> unavailable (unrecognized error, ERA-10)" in drawn.text


def test_a_changed_row_changes_the_picture_and_is_dashed() -> None:
    """Design 3: the diagram is drawn from the table."""
    key = (State.PROBING, Sign.SILENCE)
    row = next(one for one in possible_rows(*key) if one.do is Do.INITIALIZE)
    drawn = state_diagram(with_row(TRANSITIONS, *key, row), State.PROBING)
    assert "handshaking" in nodes(drawn.source) and "legacy" in nodes(drawn.source)
    assert "silence (LEG-01, edited)" in drawn.source and "stroke-dasharray" in drawn.source
    assert "silence [LEG-01, edited]" in drawn.text
    assert "edited" not in state_diagram(TRANSITIONS, State.PROBING).source


def test_where_one_stands_is_drawn_even_if_the_table_leads_there_no_more() -> None:
    """Ours: what happened under another table has happened."""
    drawn = state_diagram(TRANSITIONS, State.PROBING, here=State.LEGACY)
    assert f"    class {nodes(drawn.source)['legacy']} lit\n" in drawn.source
    assert "=> legacy" in drawn.text


def test_staying_is_drawn_only_where_it_was_done() -> None:
    """Ours: a picture with every stray in it would show nothing."""
    plain = state_diagram(TRANSITIONS, State.PROBING).source
    assert not re.search(r"(s\d) -->\|[^|]*\| \1\b", plain)
    terms = Terms(modern_revisions=("2026-07-28", "2099-12-31", "2100-01-01"))
    here = begun(begin(terms)).then(Opened(), 0.0, Origin.PEER)
    decided = []
    for _ in range(2):
        here = here.then(suppose(here.snapshot, "-32022-mutual").event, 0.0, Origin.WHAT_IF)
        decided.append(here.decision)
    drawn = state_diagram(TRANSITIONS, State.PROBING, decided, here=here.snapshot.state)
    assert re.search(r"(s\d) -->\|[^|]*\| \1\b", drawn.source)
