"""A peer that is lost and brought back, by buttons.

Takes:  a `RecoveryStepper`, or what one takes: a fake, a command, a function that makes one
Gives:  a panel: the peer, time, the request that was under way, every decision with its rule
Never:  decides: each button is one command of the stepper, which asks the core

Source: design section 7.7; seed skill, refusal rules: a user-confirmed retry decision.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from workbench.core.journal.sequence import lanes, sequence_diagram
from workbench.core.recovery.restart import RecoveryPolicy
from workbench.core.rulebook.rules import RULES
from workbench.core.text.mermaid import Diagram
from workbench.core.text.visible import visible
from workbench.drivers.owner import Status
from workbench.drivers.recovery_moment import WISHES, Flight, Moment
from workbench.drivers.recovery_stepper import Peer, RecoveryStepper
from workbench.views.html import table, text_of
from workbench.views.panels.panel import Panel, show_mermaid
from workbench.views.panels.timeline import timeline

POLICIES: Final[dict[str, RecoveryPolicy]] = {
    "the usual one": RecoveryPolicy(),
    "no jitter": RecoveryPolicy(jitter=0.0),
    "gives up after 4 failures": RecoveryPolicy(give_up_after=4),
    "2 starts in 60 s": RecoveryPolicy(starts=2),
    "no pause at all": RecoveryPolicy(first_delay_s=0.0),
}
DRAWN: Final = 20
"""Newest entries of the journal in the sequence diagram."""
_NOW: Final = ("What", "Now")
_STARTS: Final = ("No.", "At (s)", "Who wanted it", "Result")
_DECIDED: Final = ("Rule", "At (s)", "Decided", "The rule says")
_ENDED: Final = ("No.", "What", "Ended", "Sent", "Rule", "Why")


class RecoveryPanel(Panel):
    """One peer in a person's hands.

    Args:
        peer: a stepper, or what `RecoveryStepper` takes as its peer.
        about: what else `RecoveryStepper` takes: name, policy, tool, arguments, terms.
    """

    def __init__(self, peer: RecoveryStepper | Peer, **about: Any) -> None:
        self.stepper = peer if isinstance(peer, RecoveryStepper) else RecoveryStepper(peer, **about)
        super().__init__(f"Recovery of {visible(self.stepper.name, 60)}")
        self._build()
        self._show()

    def close(self) -> None:
        """End the peer."""
        self.stepper.close()

    def lines(self) -> Iterable[str]:
        """Return what the panel shows, as text."""
        moment = self.stepper.moment
        yield from (f"{name}: {value}" for name, value in self._facts(moment))
        for start in moment.starts:
            yield "start " + ", ".join(_start_cells(moment)[start.number - 1])
        for rule, at, what, _ in _decided_cells(moment):
            yield f"decided at {at} s: {what} [{rule}]"
        for number, what, ended, sent, rule, why in _ended_cells(moment):
            told = f"{what}: {ended}, sent {sent} [{rule}] {why}".rstrip()
            yield f"outcome {number}: {told}"

    # -- the parts ---------------------------------------------------------------------

    def _build(self) -> None:
        import ipywidgets

        one, press = self.stepper, self._press
        self.start = self.button("Start", "Start the peer for the first time", press(one.start))
        self.kill = self.button("Kill it", "The peer is gone at once", press(one.kill))
        self.restart = self.button(
            "Restart by hand", "Whatever its budget; wipes the slate", press(one.restart)
        )
        self.starts_fail = ipywidgets.Checkbox(
            description="starts fail", indent=False, layout=ipywidgets.Layout(width="auto")
        )
        self.wish = self.choice("Send", WISHES, tooltip="What is sent next")
        self.send = self.button(
            "Send", "Its answer is held back until you let it arrive", press(self._call)
        )
        self.answer = self.button(
            "Let the answer arrive", "What the peer has answered comes through", press(one.answer)
        )
        self.yes = self.button(
            "User: repeat it",
            "Somebody was asked and agreed",
            press(lambda: one.decide(True)),
        )
        self.no = self.button(
            "No word from the user", "The rules decide alone", press(lambda: one.decide(False))
        )
        self.seconds = ipywidgets.BoundedFloatText(
            description="Seconds",
            value=1.0,
            min=0.0,
            max=1e6,
            step=0.5,
            layout=ipywidgets.Layout(width="11em"),
            style={"description_width": "initial"},
        )
        self.wait = self.button(
            "Let them pass", "With everything that falls due", press(self._wait)
        )
        self.next_start = self.button(
            "To the next start", "Time passes, and the peer is started", press(one.next_start)
        )
        self.chance = ipywidgets.FloatSlider(
            description="Chance (jitter)",
            value=one.chance,
            min=0.0,
            max=1.0,
            step=0.1,
            readout_format=".1f",
            layout=ipywidgets.Layout(width="22em"),
            style={"description_width": "initial"},
        )
        own = [] if one.policy in POLICIES.values() else [("this peer's own", one.policy)]
        self.policy = self.choice(
            "Policy", [*own, *POLICIES.items()], value=one.policy, tooltip="From the next step on"
        )
        self.back = self.button("Back", "Undo the last step, with a fresh peer", press(one.back))
        self.again = self.button("Begin again", "Time 0, a fresh peer", press(one.begin_again))
        self.facts, self.line, self.told = self.markup(), self.markup(), self.markup()
        self.drawing = self.picture()
        self.lay_out(
            self.row(self.back, self.again, self.policy, self.chance),
            self.markup("<h4>The peer</h4>"),
            self.row(self.start, self.kill, self.restart, self.starts_fail),
            self.markup("<h4>A request</h4>"),
            self.row(self.wish, self.send, self.answer, self.yes, self.no),
            self.markup("<h4>Time</h4>"),
            self.row(self.seconds, self.wait, self.next_start),
            self.messages,
            self.line,
            self._columns(),
        )

    def _columns(self) -> Any:
        """Return the facts and the drawing, beside each other where there is room."""
        import ipywidgets

        half = ipywidgets.Layout(flex="1 1 26em", min_width="20em")
        facts = ipywidgets.VBox([self.facts, self.told], layout=half)
        drawing = ipywidgets.VBox([self.drawing], layout=half)
        return ipywidgets.HBox([facts, drawing], layout=ipywidgets.Layout(flex_flow="row wrap"))

    def _press(self, deed: Callable[[], object]) -> Callable[[], None]:
        """Return the action of a button: take the settings, do it, show what came of it."""

        def act() -> None:
            self.stepper.starts_fail = self.starts_fail.value
            self.stepper.chance = self.chance.value
            self.stepper.policy = self.policy.value
            try:
                deed()
            finally:
                self._show()

        return act

    def _call(self) -> None:
        self.stepper.call(self.wish.value)

    def _wait(self) -> None:
        self.stepper.wait(self.seconds.value)

    # -- what is shown -----------------------------------------------------------------

    def _show(self) -> None:
        one, moment = self.stepper, self.stepper.moment
        for button, possible in (
            (self.start, one.can("start")),
            (self.kill, one.can("kill")),
            (self.restart, one.can("restart")),
            (self.send, one.can("call")),
            (self.answer, one.can("answer")),
            (self.yes, one.can("decide")),
            (self.no, one.can("decide")),
            (self.next_start, one.can("next start")),
            (self.back, bool(one.commands)),
        ):
            button.disabled = not possible
        self.line.value = timeline(moment.starts, moment.at, one.next_start_at)
        self.facts.value = table("Where things stand", _NOW, self._facts(moment))
        self.told.value = _tables(moment)
        entries = one.journal.entries()
        drawn = Diagram(source=sequence_diagram(entries, DRAWN), text=lanes(entries, DRAWN))
        show_mermaid(self.drawing, drawn.source, drawn.text)
        self.say(_said(moment) + ("" if one.retold else " This time the peer did otherwise."))

    def _facts(self, moment: Moment) -> list[tuple[str, str]]:
        history, plan = moment.standing.history, moment.standing.plan
        policy, done = self.stepper.policy, self.stepper.done
        window = f"{policy.window_s:g}"
        facts = [
            ("clock", f"{moment.at:.2f} s"),
            ("peer", str(moment.status)),
            ("failures in a row", f"{history.failures} of {policy.give_up_after}"),
            ("starts that count", f"{len(history.starts)} of {policy.starts} in {window} s"),
        ]
        if plan is not None and moment.status is not Status.READY:
            when = "never" if plan.at is None else f"at {plan.at:.2f} s"
            facts.append(("next start", f"{when}: {plan.verdict}, {plan.why} [{plan.rule}]"))
        if moment.flight is not None:
            facts.append(("request", _flight_words(moment.flight)))
        if done is not None:
            facts.append(("the peer has done", ", ".join(map(visible, done)) or "nothing"))
        return facts


def _said(moment: Moment) -> str:
    told = [f"{note.what} [{note.rule}]" if note.rule else note.what for note in moment.noted]
    return f"{moment.did}: {'; '.join(told)}" if told else f"{moment.did}: done"


def _flight_words(flight: Flight) -> str:
    what = f"{flight.method} {visible(flight.name, 60)}".strip()
    key = f", with the idempotency key {flight.key}" if flight.key else ""
    state = "outcome unknown, to be decided" if flight.state == "undecided" else flight.state
    return f"{what}{key}: {state}, sent {_often(flight.sent)}"


def _often(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _start_cells(moment: Moment) -> list[tuple[str, ...]]:
    return [
        (
            str(start.number),
            f"{start.at:.2f}",
            start.why,
            "ready" if start.ready else f"failed: {visible(start.detail, 120)}",
        )
        for start in moment.starts
    ]


def _decided_cells(moment: Moment) -> list[tuple[str, ...]]:
    return [
        (
            note.rule or "-",
            f"{note.at:.2f}",
            f"{note.what}: {note.detail}" if note.detail else note.what,
            RULES[note.rule].sentence if note.rule in RULES else "-",
        )
        for note in moment.noted
    ]


def _ended_cells(moment: Moment) -> list[tuple[str, ...]]:
    return [
        (
            str(one.number),
            f"{one.method} {visible(one.name, 60)}".strip(),
            str(one.ended),
            _often(one.sent),
            one.rule or "-",
            visible(one.detail, 160),
        )
        for one in moment.outcomes
    ]


def _tables(moment: Moment) -> str:
    shown = [table(f"Decided on: {moment.did}", _DECIDED, _decided_cells(moment))]
    if not moment.noted:
        shown = [f'<p class="mcpw-quiet">Nothing had to be decided on: {text_of(moment.did)}.</p>']
    if moment.outcomes:
        shown.append(table("How each call has ended", _ENDED, _ended_cells(moment)))
    if moment.starts:
        shown.append(table("Starts", _STARTS, _start_cells(moment)))
    return "".join(shown)
