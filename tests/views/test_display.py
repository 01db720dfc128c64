"""Each value finds its view, and no view costs anything before it is used."""

import subprocess
import sys

import pytest

from workbench.core.errors import MisuseError
from workbench.core.journal.journal import Journal
from workbench.core.report import PeerReport, StartupReport
from workbench.views.display import frame_of, html_of

ROW = PeerReport(peer="p", transport="stdio", status="ready")


@pytest.mark.parametrize("value", [StartupReport(peers=(ROW,)), ROW, Journal(), ()])
def test_every_value_of_ours_has_a_frame(value: object) -> None:
    """Ours: `.to_frame()` works on all of them."""
    assert len(frame_of(value).columns) > 3


@pytest.mark.parametrize("value", [StartupReport(peers=(ROW,)), ROW, Journal()])
def test_every_value_of_ours_has_html(value: object) -> None:
    """Ours: rich representations in notebooks."""
    assert (html_of(value) or "").startswith("<table")


def test_a_value_without_a_view_is_refused_or_shown_as_text() -> None:
    """Ours: frames are asked for, HTML is offered."""
    with pytest.raises(MisuseError, match="no table for a int"):
        frame_of(3)
    assert html_of(3) is None


def test_importing_the_views_loads_no_heavy_library() -> None:
    """Ours: design 8, `import workbench` loads none of pandas, IPython, ipywidgets."""
    code = (
        "import sys, workbench.views.display, workbench.views.terminal\n"
        "heavy = {'pandas', 'IPython', 'ipywidgets', 'rich', 'asyncio', 'mcp_types'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")
