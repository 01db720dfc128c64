"""What the command line prints.

Takes:  pure values and a stream
Gives:  a table that fits 80 columns, with lists and remarks below it; one line an error
Never:  lets server text act: no markup, no emoji codes, no escape sequence; and away from a
        terminal the output depends on the value alone

Source: design section 6.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TextIO

from workbench.core.errors import Failure, WorkbenchError
from workbench.core.report import PeerReport, StartupReport
from workbench.core.text.visible import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

PLAIN_WIDTH: Final = 100
"""Columns assumed when the output is not a terminal."""
_WIDE: Final = 110
"""From here on transport, permission and tool names get columns of their own."""
_STATUS_STYLES: Final = {"ready": "green", "unavailable": "bold red"}


def console(stream: TextIO, width: int | None = None) -> "Console":
    """Return a console for a stream.

    Args:
        stream: where to print.
        width: columns; None asks the terminal, and means `PLAIN_WIDTH` for anything else.
    """
    from rich.console import Console

    terminal = stream.isatty()
    return Console(
        file=stream,
        width=width or (None if terminal else PLAIN_WIDTH),
        force_terminal=terminal,
        # Colours follow the terminal, but never the environment of a pipe or a CI job.
        color_system="auto" if terminal else None,
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )


def print_report(report: StartupReport, stream: TextIO, width: int | None = None) -> None:
    """Print the report: a row a peer, then what needs a sentence.

    Args:
        report: what to print.
        stream: where to.
        width: columns, see `console`.
    """
    from rich.text import Text

    out = console(stream, width)
    out.print(Text(report.summary()))
    if report.peers:
        out.print(report_table(report, wide=out.width >= _WIDE))
    for row in report.peers:
        style = _STATUS_STYLES[row.status]
        if remarks := row.remarks():
            out.print(Text.assemble((visible(row.peer), style), ": ", remarks))
        if row.tools and out.width < _WIDE:
            names = ", ".join(tool.label() for tool in row.tools)
            out.print(Text.assemble((visible(row.peer), style), " offers ", names))
    for name, peers, outcome, canonical, reason in report.collision_cells():
        said = f"Collision on {name} of {peers}: {outcome}, as {canonical}. {reason}"
        out.print(Text(said))


def report_table(report: StartupReport, *, wide: bool) -> "Table":
    """Return the table of peers; without `wide` it counts the tools and has fewer columns."""
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    headings = ["Peer", "Status", "Era", "Cache", "ms", "Tools"]
    if wide:
        headings[1:1] = ["Transport", "Legacy allowed"]
    for heading in headings:
        grid.add_column(
            heading,
            justify="right" if heading == "ms" or (heading == "Tools" and not wide) else "left",
            no_wrap=heading in ("Status", "ms"),
            overflow="fold",
        )
    for row in report.peers:
        grid.add_row(*_cells(row, wide))
    return grid


def print_lines(text: str, stream: TextIO) -> None:
    """Print text that is already safe, such as a trace, as it stands: nothing is wrapped."""
    stream.write(text if text.endswith("\n") else text + "\n")


def error_line(problem: Failure | WorkbenchError | Exception) -> str:
    """Return a failure as one safe line that says what to do."""
    if isinstance(problem, Failure):
        return visible(problem.line())
    if isinstance(problem, WorkbenchError):
        return visible(problem.failure.line())
    return visible(f"{type(problem).__name__}: {problem}")


def print_errors(problems: Iterable[Failure | WorkbenchError | Exception], stream: TextIO) -> None:
    """Print one line a failure, never wrapped, so that each can be searched for."""
    for problem in problems:
        stream.write(f"error: {error_line(problem)}\n")


def _cells(row: PeerReport, wide: bool) -> "list[Text]":
    from rich.text import Text

    peer, transport, status, era, version, cache, tools, legacy, ready, _ = row.cells()
    shown = [
        Text(status, style=_STATUS_STYLES[status]),
        Text(era if version == "-" else f"{era} {version}"),
        Text(cache),
        Text(ready),
        Text(tools if wide else str(len(row.tools))),
    ]
    if wide:
        return [Text(peer, style="bold"), Text(transport), Text(legacy), *shown]
    below = f"\n{transport}" + (", legacy allowed" if legacy == "yes" else "")
    return [Text.assemble((peer, "bold"), (below, "dim")), *shown]
