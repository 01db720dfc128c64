"""The instructor's panel: pick a situation, or let the panel draw one and the class vote.

Takes:  a stage: what there is to choose from, and who plays it
Gives:  verdict, story, report and diagram at once; a surprise; exports; a clean slate
Never:  plays or decides anything itself; and before the reveal, nothing of a surprise is in
        a widget or in the text twin

Source: design section 1, "instructors who demonstrate failure modes live".
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.text.mermaid import Diagram
from workbench.core.text.visible import visible
from workbench.drivers.stepper import Stepper
from workbench.views.html import text_of
from workbench.views.panels.demonstration import Demonstration, Plan
from workbench.views.panels.demonstration_html import startup_html, story_html, verdict_html
from workbench.views.panels.exporting import write_new
from workbench.views.panels.negotiation import NegotiationPanel
from workbench.views.panels.panel import Panel, show_mermaid
from workbench.views.panels.plan_form import PlanForm
from workbench.views.panels.voting import VotingBooth

HIDDEN: Final = "hidden until it is revealed"


class Staging(Protocol):
    """What the panel needs of a stage."""

    def casts(self) -> Sequence[tuple[str, str]]:
        """Return every situation's name with one line about it."""

    def ways(self, name: str) -> Sequence[str]:
        """Return the transports a situation can be played over."""

    def perform(self, plan: Plan, tell: Callable[[str], object]) -> Demonstration:
        """Play a plan through."""

    def stepper(self, plan: Plan) -> Stepper:
        """Return a stepper for the peer a plan is about."""

    def notebook(self, shown: Demonstration) -> str:
        """Return the text of a notebook that plays a demonstration again."""

    def close(self) -> None:
        """End everything that is open."""


class InstructorView(Panel):
    """Situations for a class; `workbench.notebook.InstructorPanel` is the one for cells.

    Args:
        stage: plays the situations.
        chance: draws the surprises; seeded, the same ones each time.
    """

    def __init__(self, stage: Staging, *, chance: Random) -> None:
        super().__init__("In front of a class")
        self.stage = stage
        self.shown: Demonstration | None = None
        """What is on show; None before the first, after a reset, and while the class votes."""
        self.stepping: NegotiationPanel | None = None
        self._chance = chance
        self._hidden: Demonstration | None = None
        self._build()
        self._clear()
        self.say("Choose a situation, or surprise the class.")

    def lines(self) -> Iterable[str]:
        """Return the plan, the votes, and what is on show, as text."""
        yield f"Plan: {self.form.plan.terms()}"
        if self._hidden is not None:
            yield f"Situation: {HIDDEN}"
            yield from self.booth.lines()
        if self.shown is not None:
            yield from self.shown.lines()
            if self.booth.told:
                yield self.booth.told
        if self.stepping is not None:
            yield ""
            yield from self.stepping.to_text().split("\n")

    def close(self) -> None:
        """End every process and host; what was seen stays."""
        self.stage.close()

    # -- the parts ---------------------------------------------------------------------

    def _build(self) -> None:
        import ipywidgets

        self.form = PlanForm(self, self.stage, self._chosen)
        self.play = self.button("Show it ▶", "Play the situation and show all of it", self._play)
        self.play.button_style = "primary"
        self.surprise = self.button(
            "Surprise the class", "Draw a situation of this row; the class votes first", self._draw
        )
        self.step = self.button(
            "Step through it", "Move a fresh connection of this peer by hand", self._step
        )
        self.clean = self.button(
            "Reset", "Everything as at first; no process and no port is left", self.reset
        )
        self.booth = VotingBooth(self)
        self.clue = self.button("A clue", "The peer's own first answer, nothing more", self._clue)
        self.reveal = self.button("Reveal", "End the vote and show everything", self._reveal)
        self.reveal.button_style = "primary"
        self._clue_place, self._result = self.markup(), self.markup()
        self._vote = ipywidgets.VBox(
            [*self.booth.parts, self.row(self.clue, self.reveal), self._clue_place]
        )
        self._verdict, self._story, self._report = self.markup(), self.markup(), self.markup()
        self._picture, self._picture_text, self._lint = self.picture(), self.markup(), self.markup()
        self.file = ipywidgets.Text(
            description="Save as", value="demonstration", continuous_update=False,
            style={"description_width": "initial"}, layout=ipywidgets.Layout(width="22em"),
        )  # fmt: skip
        self.file.tooltip = "Name of the file, without its ending; no file is overwritten"
        self.as_notebook = self.button(
            "Notebook", "A notebook that plays this demonstration again", self._save_notebook
        )
        self.as_journal = self.button(
            "Journal", "Every frame and decision, for lint and replay", self._save_journal
        )
        self._keep = self.row(self.file, self.as_notebook, self.as_journal)
        self._shown_parts = ipywidgets.VBox(
            [
                self._result, self._verdict, self._story,
                self.markup("<h4>What crossed</h4>"), self._picture, self._picture_text,
                self._lint, self._report, self._keep,
            ]
        )  # fmt: skip
        self._stepping_place = ipywidgets.VBox()
        self.lay_out(
            *self.form.parts,
            self.row(self.play, self.surprise, self.step, self.clean),
            self.messages,
            self._vote,
            self._shown_parts,
            self._stepping_place,
        )

    # -- what the buttons do -----------------------------------------------------------

    def _chosen(self) -> None:
        """A choice was made: what costs no time is shown at once."""
        if self.form.plan.transport == "memory":
            self._play()
        else:
            self._clear()
            self.say("Press “Show it”: a real process or port takes a moment.")

    def _play(self) -> None:
        self._clear()
        self.shown = self.stage.perform(self.form.plan, self.say)
        self._show(self.shown)
        self.say(f"{visible(self.shown.subject)}: {self.shown.verdict}. The story is below.")

    def _draw(self) -> None:
        self._clear()
        self.say("Playing it out of sight …")
        self._hidden = self.stage.perform(self.form.drawn(self._chance), _in_silence)
        self.form.hide(HIDDEN)
        self.booth.open(self._hidden.subject, tuple(row.peer for row in self._hidden.report.peers))
        self._vote.layout.display = ""
        self.play.disabled = self.step.disabled = True
        self.say("A situation is drawn. Count the votes, then reveal it.")

    def _clue(self) -> None:
        hidden = self._drawn()
        told = hidden.clue(of_call=self.booth.about_calls)
        self._clue_place.value = f"<pre>{text_of(told)}</pre>"
        self.booth.clue = told

    def _reveal(self) -> None:
        hidden = self._drawn()
        result = self.booth.close(hidden)
        self._close_vote()
        self.form.reveal(hidden.plan)
        self.shown = hidden
        self._show(hidden)
        self._result.value = result
        self.say(self.booth.told)

    def _step(self) -> None:
        self._end_stepping()
        self.stepping = NegotiationPanel(
            self.stage.stepper(self.form.plan),
            f"{self.form.plan.cast}, step by step",
            legacy=True,
        )
        self._stepping_place.children = (self.stepping.widget,)
        self.say("The panel below moves a fresh connection of this peer.")

    def reset(self) -> None:
        """Go back to the beginning: no demonstration, no vote, no process, no port."""
        self.stage.close()
        self._clear()
        self.form.begin_again()
        self.file.value = "demonstration"
        self.say("As at first: no process and no port is open.")

    # -- exports -----------------------------------------------------------------------

    def _save_notebook(self) -> None:
        path = self.save_notebook(f"{self.file.value}.ipynb")
        self.say(f"Written: {visible(path.name)}. It plays the demonstration again.")

    def _save_journal(self) -> None:
        path = self.save_journal(f"{self.file.value}.jsonl")
        self.say(f"Written: {visible(path.name)}. Play it with: mcp-workbench replay FILE.")

    def save_notebook(self, path: str | Path) -> Path:
        """Write a notebook that plays what is on show again, and return its path.

        Raises:
            MisuseError: if nothing is on show, or the file is there already.
        """
        return write_new(Path(path), self.stage.notebook(self._on_show()))

    def save_journal(self, path: str | Path) -> Path:
        """Write the journal of what is on show, readable by its owner alone.

        Raises:
            MisuseError: if nothing is on show, or the file is there already.
        """
        return write_new(Path(path), self._on_show().journal.to_jsonl())

    def _on_show(self) -> Demonstration:
        if self.shown is None:
            hint = "Reveal it first." if self._hidden is not None else "Show a situation first."
            raise _misuse("there is no demonstration on show.", hint)
        return self.shown

    def _drawn(self) -> Demonstration:
        if self._hidden is None:
            raise _misuse("no surprise is drawn.", "Surprise the class first.")
        return self._hidden

    # -- showing -----------------------------------------------------------------------

    def _show(self, shown: Demonstration) -> None:
        self._verdict.value = verdict_html(shown)
        self._story.value = story_html(shown)
        self._report.value = startup_html(shown)
        diagram: Diagram = shown.journal.diagram()
        show_mermaid(self._picture, diagram.source, diagram.text)
        text = "<br>".join(text_of(line) for line in diagram.text.split("\n"))
        self._picture_text.value = (
            f"<details><summary>The same as text</summary><pre>{text}</pre></details>"
        )
        found = "<br>".join(map(text_of, shown.journal.lint().to_text().split("\n")))
        self._lint.value = (
            f"<details><summary>What lint says of the frames</summary><pre>{found}</pre></details>"
        )
        self._shown_parts.layout.display = ""

    def _clear(self) -> None:
        """Take everything off show, and end a vote without a result."""
        self._end_stepping()
        self.shown = None
        self._close_vote()
        self.booth.begin_again()
        for place in (self._verdict, self._story, self._report, self._picture_text, self._lint):
            place.value = ""
        self._result.value = ""
        self._picture.outputs = ()
        self._shown_parts.layout.display = "none"

    def _close_vote(self) -> None:
        if self._hidden is not None:
            self.form.reveal(None)
        self._hidden = None
        self._clue_place.value = ""
        self._vote.layout.display = "none"
        self.play.disabled = self.step.disabled = False

    def _end_stepping(self) -> None:
        self._stepping_place.children = ()
        if self.stepping is not None:
            self.stepping.close()
            _close(self.stepping.widget)
            self.stepping = None


def _in_silence(_: str) -> None:
    """Tell nothing: what is heard on the way would give a surprise away."""


def _close(widget: Any) -> None:
    """Close a widget and all that is in it, and nothing else."""
    for part in getattr(widget, "children", ()):
        _close(part)
    widget.close()


def _misuse(detail: str, hint: str) -> MisuseError:
    return MisuseError(Failure(kind=Kind.MISUSE, stage="show", detail=detail, hint=hint))
