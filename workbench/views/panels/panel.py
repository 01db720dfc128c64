"""What every panel shares: a widget, a text twin, and errors that are seen.

Takes:  what a subclass builds from ordinary widgets
Gives:  `Panel`, with a status line and an error line that screen readers announce
Never:  lets an exception vanish: a notebook shows nothing of one raised in a callback; and
        never puts text of a peer into markup unescaped

A subclass builds its widgets, hands them to `lay_out`, and says in `lines` what the panel
shows, as text:

    class Counter(Panel):
        def __init__(self):
            super().__init__("Counter")
            self.count = 0
            self.lay_out(self.row(self.button("More", "Count one more", self.more)))

        def more(self):
            self.count += 1
            self.say(f"{self.count} so far")

        def lines(self):
            return [f"counted: {self.count}"]

Source: design sections 7.10 and 10; WAI-ARIA 1.2, roles "status" and "alert", "aria-owns".
"""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any, Final

from workbench.core.text.visible import visible
from workbench.views.error_line import error_line
from workbench.views.html import text_of

MERMAID: Final = "text/vnd.mermaid"

STYLE: Final = """<style>
.mcpw-panel { border: 1px solid var(--jp-border-color2, currentColor); border-radius: 4px;
  padding: .4em .8em .6em; color: var(--jp-ui-font-color1, inherit); overflow: visible; }
.mcpw-panel h3, .mcpw-panel h4 { color: inherit; margin: .2em 0; line-height: 1.3; }
.mcpw-panel h4 { font-size: 1em; margin-top: .6em; }
.mcpw-panel p { margin: .2em 0; line-height: 1.45; white-space: normal; }
.mcpw-panel table { line-height: 1.4; white-space: normal; max-width: 100%; }
.mcpw-panel td, .mcpw-panel th { padding: .3em .4em !important; }
.mcpw-panel tr > :first-child { padding-left: .7em !important; }
.mcpw-panel td { overflow-wrap: break-word; }
.mcpw-panel .mcpw-names :is(td, tbody th) { overflow-wrap: anywhere; min-width: 4em; }
.mcpw-panel .mcpw-names td { min-width: 6.5em; }
.mcpw-panel .widget-html-content { overflow-x: auto; }
.mcpw-panel .mcpw-live { height: 0; min-height: 0; margin: 0; }
.mcpw-panel .mcpw-strong { border-left: 4px solid var(--jp-brand-color1, currentColor);
  background: var(--jp-layout-color2, transparent); padding: .3em .6em; }
.mcpw-panel pre, .mcpw-panel code { color: inherit; font-size: .92em;
  background: var(--jp-layout-color2, transparent);
  font-family: var(--jp-code-font-family, monospace); }
.mcpw-panel pre { margin: .2em 0; padding: .4em .6em; line-height: 1.4;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.mcpw-panel .mcpw-quiet { color: var(--jp-ui-font-color2, inherit); }
.mcpw-panel [role=alert]:not(:empty) { border-left: 4px solid var(--jp-error-color1, #c62828);
  background: var(--jp-layout-color2, transparent); padding: .3em .6em; font-weight: bold; }
.mcpw-panel button:focus-visible, .mcpw-panel select:focus-visible, .mcpw-panel input:focus-visible,
.mcpw-panel textarea:focus-visible, .mcpw-panel summary:focus-visible {
  outline: 2px solid var(--jp-brand-color1, currentColor); outline-offset: 2px; }
.mcpw-panel .mcpw-tally { list-style: none; margin: .3em 0; padding: 0; max-width: 40em;
  line-height: 1.4; }
.mcpw-panel .mcpw-bar { display: block; height: .7em; margin-bottom: .4em;
  background: var(--jp-ui-font-color2, currentColor); }
.mcpw-panel b + .mcpw-bar { background: var(--jp-brand-color1, currentColor); }
.mcpw-panel .widget-hbox { gap: 2px 8px; }
.mcpw-panel .jp-OutputArea-output img { max-width: 100%; }
</style>"""
"""One stylesheet for all panels; every colour is the notebook theme's own."""


class Panel:
    """A widget with a title, a status line, an error line and a text twin.

    Args:
        title: heading of the panel.
    """

    def __init__(self, title: str) -> None:
        import ipywidgets

        self.title = title
        self._said = ""
        self._wrong = ""
        self._depth = 0
        self._heading = ipywidgets.HTML(f"{STYLE}<h3>{text_of(title)}</h3>")
        self._status = ipywidgets.HTML()
        self._error = ipywidgets.HTML()
        self._lines = (_live_region(self._status), self._status, self._error)
        self.messages: Any = ipywidgets.VBox(self._lines)
        """The status and error lines as one part, for `lay_out`."""
        self.widget: Any = ipywidgets.VBox()
        self.widget.add_class("mcpw-panel")
        self.lay_out()
        self.say("")
        self._show_error("")

    # -- what a subclass says and shows ------------------------------------------------

    def lines(self) -> Iterable[str]:
        """Return what the panel shows, a line each; subclasses override this."""
        return ()

    def lay_out(self, *parts: Any) -> None:
        """Show these widgets below the heading, top to bottom.

        Args:
            parts: the status and error lines come last, unless `messages` is among the parts:
                a long panel has them where its buttons are.
        """
        last = () if self.messages in parts else self._lines
        self.widget.children = (self._heading, *parts, *last)

    def say(self, text: str) -> None:
        """Put one line of text into the status line; it is announced, not focused."""
        self._said = visible(text)
        self._status.value = (
            f'<p class="mcpw-said" id="{_said_id(self._status)}">{escape(self._said)}</p>'
        )

    def guarded(self, callback: Callable[..., object]) -> Callable[..., None]:
        """Return a callback that shows its own exceptions in the error line.

        The outermost one clears the line first, so that an old error does not stay. What
        stops a long callback (the Stop button) is shown too, and goes no further.
        """

        def call(*arguments: Any, **named: Any) -> None:
            if self._depth == 0:
                self._show_error("")
            self._depth += 1
            try:
                callback(*arguments, **named)
            except (Exception, KeyboardInterrupt) as problem:
                self._show_error(error_line(problem))
            finally:
                self._depth -= 1

        return call

    # -- ready-made parts --------------------------------------------------------------

    def button(self, words: str, tooltip: str, action: Callable[[], object]) -> Any:
        """Return a native button: reached with Tab, pressed with Space or Enter.

        Args:
            words: what it does, as its label.
            tooltip: the same in a sentence.
            action: called without arguments; its exceptions are shown in the panel.
        """
        import ipywidgets

        layout = ipywidgets.Layout(width="auto", min_width="5em")
        button = ipywidgets.Button(description=words, tooltip=tooltip, layout=layout)
        button.on_click(self.guarded(lambda _: action()))
        return button

    def choice(
        self,
        words: str,
        options: Sequence[Any],
        changed: Callable[[Any], object] | None = None,
        *,
        value: Any = None,
        tooltip: str = "",
    ) -> Any:
        """Return a labelled drop-down list.

        Args:
            words: its label.
            options: texts, or (text, value) pairs. Peer text belongs in here only through
                `visible`.
            changed: called with each new value; its exceptions are shown in the panel.
            value: what is chosen at first; None takes the first option.
            tooltip: what it is for, in a sentence.
        """
        import ipywidgets

        given = {} if value is None else {"value": value}
        choice = ipywidgets.Dropdown(
            description=words,
            options=options,
            tooltip=tooltip,
            layout=ipywidgets.Layout(width="auto", max_width="100%"),
            style={"description_width": "initial"},
            **given,
        )
        if changed is not None:
            choice.observe(self.guarded(lambda change: changed(change["new"])), "value")
        return choice

    def row(self, *parts: Any) -> Any:
        """Return the parts side by side, in as many lines as they need."""
        import ipywidgets

        layout = ipywidgets.Layout(flex_flow="row wrap", align_items="center")
        return ipywidgets.HBox(parts, layout=layout)

    def markup(self, value: str = "") -> Any:
        """Return a place for HTML; whoever fills it has escaped every peer's text."""
        import ipywidgets

        return ipywidgets.HTML(value)

    def picture(self) -> Any:
        """Return a place for a diagram, to be filled with `show_mermaid`."""
        import ipywidgets

        return ipywidgets.Output()

    # -- text twin, and what a notebook shows ------------------------------------------

    def to_text(self) -> str:
        """Return the whole panel as text: title, what it shows, status, error."""
        shown = [self.title, *self.lines()]
        if self._said:
            shown.append(self._said)
        if self._wrong:
            shown.append(f"Error: {self._wrong}")
        return "\n".join(shown)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **how: Any) -> Any:
        bundle = self.widget._repr_mimebundle_(**how)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data is not None:
            data["text/plain"] = self.to_text()
        return bundle

    def _show_error(self, line: str) -> None:
        self._wrong = line
        self._error.value = f'<p role="alert">{escape(line)}</p>'


def _live_region(status: Any) -> Any:
    """Return the element that announces what a status line says.

    A screen reader listens to a live region that is there before its text changes; one that
    arrives with its text may be passed over. A new value replaces everything in an HTML
    widget, a live region too. So the region is a widget of its own, written once, and the
    line belongs to it by its id alone.
    """
    import ipywidgets

    region = ipywidgets.HTML(
        f'<div role="status" aria-live="polite" aria-owns="{_said_id(status)}"></div>'
    )
    region.add_class("mcpw-live")
    return region


def _said_id(status: Any) -> str:
    # Several notebooks share one page, so a number counted here would not do.
    return f"mcpw-said-{status.model_id}"


def show_mermaid(output: Any, source: str, text: str) -> None:
    """Draw a diagram in an `ipywidgets.Output`, in place of what was there.

    Args:
        output: where to draw.
        source: Mermaid text, made with `workbench.core.text.mermaid.label`.
        text: the same for those who cannot see the drawing.
    """
    data = {MERMAID: source, "text/plain": text}
    output.outputs = ({"output_type": "display_data", "data": data, "metadata": {}},)
