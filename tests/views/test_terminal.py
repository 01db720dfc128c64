"""What the command line prints fits the width and depends on the value alone."""

import io

import pytest

from workbench.core.errors import Failure, Kind
from workbench.core.report import PeerReport, StartupReport, ToolName
from workbench.core.wire.versions import Era
from workbench.views.terminal import error_line, print_errors, print_lines, print_report

REPORT = StartupReport(
    peers=(
        PeerReport(
            peer="notes",
            transport="stdio",
            status="ready",
            era=Era.MODERN,
            version="2026-07-28",
            cache_scope="private",
            tools=tuple(ToolName(f"notes/tool-{n}", f"tool-{n}") for n in range(8)),
            allow_legacy=True,
            ready_ms=12.4,
        ),
        PeerReport(
            peer="a-peer-with-a-rather-long-name",
            transport="http",
            status="unavailable",
            reason="nobody answered",
            rule="ERA-05",
            hint="Raise discovery_timeout_ms.",
        ),
    )
)


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(stream: io.StringIO, width: int | None) -> str:
    print_report(REPORT, stream, width)
    return stream.getvalue()


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_report_fits_its_width_and_loses_nothing(width: int) -> None:
    """Ours: readable at 80 columns and at 120; long cells fold."""
    shown = printed(io.StringIO(), width)
    assert max(map(len, shown.splitlines())) <= width
    packed = "".join(shown.split())
    for words in ("unavailable", "2026-07-28", "private", "nobodyanswered[ERA-05]", "stdio"):
        assert words in packed
    assert all(f"tool-{n})" in packed for n in range(8))
    assert "…" not in shown


def test_away_from_a_terminal_the_environment_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ours: deterministic in a pipe and in CI."""
    before = printed(io.StringIO(), None)
    for name, value in {"COLUMNS": "40", "FORCE_COLOR": "1", "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    assert printed(io.StringIO(), None) == before
    assert "\x1b" not in before


def test_a_terminal_gets_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: status stands out, unless NO_COLOR asks otherwise."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" in printed(Tty(), 80)


def test_an_error_is_one_line_that_says_what_to_do() -> None:
    """Ours: design 6, errors are one line on stderr."""
    failure = Failure(kind=Kind.CONFIG, detail="bad\nthing", rule="CONF-01", hint="Fix it.")
    assert error_line(failure) == "bad\\nthing [CONF-01] Fix it."
    assert error_line(failure.as_error()) == error_line(failure)
    assert error_line(ValueError("\x1b[1m")) == "ValueError: \\x1b[1m"
    stream = io.StringIO()
    print_errors([failure, ValueError("x" * 300)], stream)
    assert len(stream.getvalue().splitlines()) == 2


def test_lines_are_printed_as_they_stand() -> None:
    """Ours: a trace is never wrapped."""
    stream = io.StringIO()
    print_lines("x" * 300, stream)
    print_lines("y\n", stream)
    assert stream.getvalue() == "x" * 300 + "\ny\n"


def test_an_empty_report_prints_its_summary() -> None:
    """Ours: a configuration without servers is no error of the view."""
    stream = io.StringIO()
    print_report(StartupReport(), stream, 80)
    assert stream.getvalue().startswith("0 peers")
