"""One negotiation with buttons: step, go back, fork, suppose an answer, edit a row.

Takes:  a `Stepper`
Gives:  a panel: the moment, the table as a picture, the sequence so far, and the controls
Never:  decides or sends anything itself: every button is one verb of the stepper

The discovery panel and the legacy-probe panel are two presets of it: the second has the flag
`allow_legacy`, and lists the signals that prove nothing.

Source: design section 3, "a person, one event at a time, with back and fork".
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec.structs import replace

from workbench.core.negotiate.edits import edits_of, possible_rows, words_of
from workbench.core.negotiate.signs import Sign
from workbench.core.negotiate.snapshot import TERMINAL, State
from workbench.core.negotiate.what_if import read_choice
from workbench.core.stepped.ambiguity import COLUMNS, Doubt, doubts
from workbench.core.text.mermaid import Diagram
from workbench.core.text.visible import visible
from workbench.drivers.stepper import Stepper
from workbench.views.html import table, text_of
from workbench.views.panels.panel import Panel, show_mermaid
from workbench.views.scene import scene_html

_LONGEST: Final = 100
"""Longest words of one line in a drop-down list."""
_WAITING: Final = "Waiting for the peer …"


class NegotiationPanel(Panel):
    """A stepper with buttons.

    Args:
        stepper: what is moved; the panel closes it with `close`.
        title: heading of the panel.
        legacy: whether to show the flag `allow_legacy` and what it decides.
    """

    def __init__(
        self, stepper: Stepper, title: str = "Discovery, step by step", *, legacy: bool = False
    ) -> None:
        super().__init__(title)
        self.stepper = stepper
        self._legacy = legacy
        self._filling = False
        self._build()
        self._show()
        self.say("Nothing has happened yet. The first step opens the transport.")

    def lines(self) -> Iterable[str]:
        """Return the way here, the present moment and the edited rows, as text."""
        yield from self.stepper.to_text().split("\n")
        if self._legacy:
            yield ""
            yield f"allow_legacy: {'on' if self.stepper.terms.allow_legacy else 'off'}"
            yield "Signals that prove nothing:"
            for doubt in self._doubts():
                yield "  " + "; ".join(doubt.cells()) + (" <- seen" if self._saw(doubt) else "")

    def close(self) -> None:
        """End the connection; what was seen stays."""
        self.stepper.close()

    # -- the parts ---------------------------------------------------------------------

    def _build(self) -> None:
        import ipywidgets

        does = self._does
        it = self.stepper
        self.back = self.button("◀ Back", "Go one moment back; nothing is lost", does(it.back))
        self.step = self.button(
            "Step ▶", "Do what was decided, and hear one event", does(it.step, waits=True)
        )
        self.step.button_style = "primary"
        self.decision = self.button(
            "To the next decision",
            "Step until the state changes or something is to be done",
            does(it.run_to_decision, waits=True),
        )
        self.end = self.button(
            "To the end", "Step until the verdict is given", does(it.run, waits=True)
        )
        self.deadline = self.button(
            "Let the deadline pass",
            "Move the core's clock on; it never moves by itself",
            does(it.let_deadline_pass),
        )
        self.fork = self.button(
            "Fork here",
            "Bring a fresh connection of the peer to this moment",
            does(it.fork, waits=True),
        )
        self.restart = self.button(
            "Restart", "Forget all moments and begin anew; edited rows stay", does(it.restart)
        )
        self.line = self.choice("Line", [("what the peer does", 0)], self._go)
        self.answer = self.choice("What if the peer", [("", "")])
        self.own = ipywidgets.Text(
            placeholder="or your own: -32601, {…}, or any text",
            continuous_update=False,
            layout=ipywidgets.Layout(width="20em"),
        )
        self.own.tooltip = "An error code, a JSON body, or the text of a frame; it goes first"
        self.suppose = self.button(
            "Suppose it", "See what would be decided; nothing is sent", self._suppose
        )
        self.row_at = self.choice("In the table, on", [("", None)], self._offer_rows)
        self.row_does = self.choice("do", [("", None)])
        self.row_at.layout.max_width, self.row_does.layout.max_width = "31em", "28em"
        self.edit = self.button(
            "Edit a copy", "Decide by a copy of the table with this row", self._edit
        )
        self.real = self.button(
            "Real table", "Decide by the real table again", does(it.reset_policy)
        )
        self.flag = ipywidgets.Checkbox(
            value=it.terms.allow_legacy,
            description="allow_legacy for this peer (starts anew)",
            indent=False,
            layout=ipywidgets.Layout(width="auto"),
        )
        self.flag.observe(self.guarded(lambda change: self._allow(change["new"])), "value")
        self._scene, self._doubt_place, self._edits_place = (self.markup() for _ in range(3))
        self._sequence, self._states = self.picture(), self.picture()
        self._sequence_text, self._states_text = self.markup(), self.markup()
        self.lay_out(*self._layout())

    def _layout(self) -> list[Any]:
        import ipywidgets

        self._wide = ipywidgets.Layout(flex="4 1 28em", min_width="0")
        narrow = ipywidgets.Layout(flex="3 1 22em", min_width="0")
        self._beside = ipywidgets.Layout(flex="3 1 22em", min_width="0")
        states = [self.markup("<h4>The policy table</h4>"), self._states, self._states_text]
        crossed = [self.markup("<h4>What crossed</h4>"), self._sequence, self._sequence_text]
        pictures = [
            ipywidgets.VBox([*states, self._edits_place], layout=self._wide),
            ipywidgets.VBox(crossed, layout=narrow),
            *([ipywidgets.VBox([self._doubt_place], layout=self._beside)] if self._legacy else []),
        ]
        return [
            *([self.row(self.flag)] if self._legacy else []),
            self.row(self.back, self.step, self.decision, self.end, self.deadline),
            self.row(self.fork, self.restart, self.line),
            self.row(self.answer, self.own, self.suppose),
            self.row(self.row_at, self.row_does, self.edit, self.real),
            self.messages,
            self._scene,
            ipywidgets.HBox(pictures, layout=ipywidgets.Layout(flex_flow="row wrap")),
        ]

    # -- what the buttons do -----------------------------------------------------------

    def _does(self, verb: Callable[[], object], *, waits: bool = False) -> Callable[[], None]:
        def act() -> None:
            if waits and self.stepper.kind != "memory":
                self.say(_WAITING)
            try:
                verb()
            finally:
                self._show()
            self._tell()

        return act

    def _suppose(self) -> None:
        typed = self.own.value.strip()
        choice = read_choice(typed) if typed else self.answer.value
        self._does(lambda: self.stepper.answer(choice))()
        self.own.value = ""

    def _edit(self) -> None:
        if self.row_at.value is None or self.row_does.value is None:
            self.say("There is no row to edit: step once first.")
            return
        state, sign = self.row_at.value
        row = self.row_does.value
        self._does(lambda: self.stepper.edit_row(state, sign, row))()

    def _go(self, place: int) -> None:
        if not self._filling:
            self._does(lambda: self.stepper.go(place))()

    def _allow(self, allowed: bool) -> None:
        terms = replace(self.stepper.terms, allow_legacy=allowed)
        self._does(lambda: self.stepper.restart(terms))()

    # -- showing -----------------------------------------------------------------------

    def _show(self) -> None:
        """Show the present moment in every part."""
        self._scene.value = scene_html(self.stepper.scene())
        states, story = self.stepper.states(), self.stepper.story().diagram()
        # With the legacy branch the table is too wide a picture to stand beside another one,
        # and the list of signals stands beside the sequence instead; else it stands below.
        allowed = self.stepper.terms.allow_legacy
        self._wide.flex = "1 1 100%" if allowed else "4 1 28em"
        self._beside.flex = "4 1 28em" if allowed else "1 1 100%"
        _draw(self._states, self._states_text, states)
        _draw(self._sequence, self._sequence_text, story)
        self._filling = True
        try:
            self._fill()
        finally:
            self._filling = False
        edits = [
            f"<p>Edited: in “{text_of(state)}”, “{text_of(sign)}” leads to: "
            f"{text_of(words_of(row))}</p>"
            for state, sign, row in edits_of(self.stepper.policy)
        ]
        self._edits_place.value = "".join(edits)
        if self._legacy:
            self._doubt_place.value = self._doubts_html()

    def _fill(self) -> None:
        here = self.stepper.here
        ends = [(_cut(words), place) for place, words in self.stepper.lines()]
        if here not in {place for _, place in ends}:
            ends.insert(0, (f"(step {len(self.stepper.tree.path(here)) - 1} of a line)", here))
        _refill(self.line, ends, here)
        offers = [(_cut(offer.words), offer.name) for offer in self.stepper.answers]
        _refill(self.answer, offers or [("(the verdict is given)", "")], self.answer.value)
        rows = [(f"{state}: {sign}", (state, sign)) for state, sign in self._editable()]
        # The row that was just applied comes first; before any was, the choice stays.
        decided = self.stepper.moment.decision is not None
        _refill(self.row_at, rows, None if decided else self.row_at.value)
        self._offer_rows(self.row_at.value)

    def _editable(self) -> list[tuple[State, Sign]]:
        """Return the rows that can be edited: the one just applied, then those of this state."""
        rows = []
        decided = self.stepper.moment.decision
        if decided is not None:
            rows.append((State(decided.state), Sign(decided.evidence)))
        state = self.stepper.moment.snapshot.state
        rows += [key for key in self.stepper.policy if key[0] is state and state not in TERMINAL]
        return [key for key in dict.fromkeys(rows) if len(possible_rows(*key)) > 1]

    def _offer_rows(self, key: tuple[State, Sign] | None) -> None:
        rows = () if key is None else possible_rows(*key)
        now = None if key is None else self.stepper.policy.get(key)
        _refill(self.row_does, [(_cut(words_of(row)), row) for row in rows], now)

    def _tell(self) -> None:
        it = self.stepper
        where = f"Step {len(it.tree.path(it.here)) - 1}: {it.moment.snapshot.state}"
        decided = it.moment.decision
        why = f", because of: {decided.evidence} [{decided.rule}]" if decided else ""
        note = f" {it.note}" if it.note else ""
        self.say(f"{'What if. ' if it.supposed else ''}{where}{why}.{note}")

    def _doubts(self) -> tuple[Doubt, ...]:
        it = self.stepper
        return doubts(it.policy, allow_legacy=it.terms.allow_legacy, kind=it.kind)

    def _saw(self, doubt: Doubt) -> bool:
        return any(evidence == str(doubt.sign) for _, evidence, _, _ in self.stepper.decisions)

    def _doubts_html(self) -> str:
        rows = [
            (f"{'▶ ' if self._saw(doubt) else ''}{first}", *rest)
            for doubt in self._doubts()
            for first, *rest in [doubt.cells()]
        ]
        flag = "on" if self.stepper.terms.allow_legacy else "off"
        caption = f"Signals that prove nothing, with allow_legacy {flag} (▶ seen here)"
        return table(caption, COLUMNS, rows)


def _refill(choice: Any, options: list[tuple[str, Any]], value: Any) -> None:
    """Offer other options, and choose `value`, or the first where that is not offered."""
    choice.options = options
    values = [offered for _, offered in options]
    # A list that was empty has nothing chosen, and keeps it so unless told otherwise.
    choice.index = (values.index(value) if value in values else 0) if options else None


def _draw(output: Any, beside: Any, diagram: Diagram) -> None:
    show_mermaid(output, diagram.source, diagram.text)
    beside.value = (
        "<details><summary>The same as text</summary>"
        f"<pre>{'<br>'.join(text_of(line) for line in diagram.text.split(chr(10)))}</pre></details>"
    )


def _cut(words: str) -> str:
    return visible(words, _LONGEST)
