"""Whatever is clicked in whatever order: the stepper stays true."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import FAULTS, Fake, fault
from workbench.core.errors import MisuseError
from workbench.core.negotiate.edits import possible_rows
from workbench.core.negotiate.snapshot import Terms
from workbench.core.negotiate.table import TRANSITIONS
from workbench.drivers.stepper import Stepper

BEFORE = dict(TRANSITIONS)
ROWS = sorted(name for name in FAULTS if name[0] in "PL")
VERBS = {
    "step": Stepper.step,
    "back": Stepper.back,
    "decision": Stepper.run_to_decision,
    "run": Stepper.run,
    "deadline": Stepper.let_deadline_pass,
    "fork": Stepper.fork,
    "restart": Stepper.restart,
    "real": Stepper.reset_policy,
}
OWN: tuple[Any, ...] = (-32601, b"x", {}, "nonsense")


def do(stepper: Stepper, click: str, pick: int, peer: Fake) -> None:
    """Do what a click does; `pick` chooses where there is a choice."""
    if click == "answer":
        offered = [*(one.name for one in stepper.answers), *OWN]
        heard = len(peer.received)
        stepper.answer(offered[pick % len(offered)])
        assert stepper.supposed and len(peer.received) == heard, "nothing is sent for a what-if"
    elif click == "edit":
        here = stepper.moment.snapshot.state
        keys = [key for key in TRANSITIONS if key[0] is here] or list(TRANSITIONS)
        key = keys[pick % len(keys)]
        rows = possible_rows(*key)
        stepper.edit_row(*key, rows[pick % len(rows)])
    elif click == "go":
        stepper.go(pick % len(stepper.tree))
    else:
        VERBS[click](stepper)


@settings(max_examples=80)
@given(
    name=st.sampled_from(ROWS),
    allow_legacy=st.booleans(),
    clicks=st.lists(
        st.tuples(st.sampled_from([*VERBS, "answer", "edit", "go"]), st.integers(0, 60)),
        max_size=15,
    ),
)
def test_any_clicks_in_any_order(
    name: str, allow_legacy: bool, clicks: list[tuple[str, int]]
) -> None:
    """Ours: nothing breaks, nothing is sent twice, and the real table is never changed."""
    peer = fault(name)
    terms = Terms(allow_legacy=allow_legacy, can_declare={"elicitation": {}})
    with Stepper(peer, terms) as stepper:
        for click, pick in clicks:
            at, moments = stepper.here, len(stepper.tree)
            try:
                do(stepper, click, pick, peer)
            except MisuseError:
                assert (stepper.here, len(stepper.tree)) == (at, moments), "it changed nothing"
            assert stepper.states().source and stepper.lines() and str(stepper)
            path = stepper.tree.moments(stepper.here)
            assert len(stepper.decisions) == len(path) - 1
            assert all(one.at <= two.at for one, two in zip(path, path[1:], strict=False))
    assert peer.methods().count("initialize") <= peer.lifetimes
    assert BEFORE == TRANSITIONS
