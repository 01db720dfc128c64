"""The progress panel, without a browser."""

from fakes import modern
from workbench import ManualClock, MultiServerClient
from workbench.drivers.tally import Step
from workbench.views.panels.progress import ProgressPanel


def test_a_client_moves_the_bar_and_each_piece_of_work_begins_anew() -> None:
    """Ours: long work shows progress when it is asked for."""
    panel = ProgressPanel()
    assert str(panel).splitlines() == ["Progress", "Nothing has begun."]
    with MultiServerClient(clock=ManualClock()) as client:
        for name in ("a", "b"):
            client.add_server(name, modern(name, tools=["t"]))
        client.connect_all(on_progress=panel)
        assert (panel.bar.value, panel.bar.max) == (2, 2)
        assert "connect 1 of 2: " in str(panel) and "connect 2 of 2: " in str(panel)
        client.discover_tools(on_progress=panel)
    assert len(panel.steps) == 2 and "connect" not in str(panel)
    assert str(panel).splitlines()[-1].endswith("1 tool")


def test_a_hostile_name_stays_text() -> None:
    """Design 7.10."""
    panel = ProgressPanel()
    for done in (1, 2):
        panel(Step(stage="list", peer="<b>\x1b[1m", outcome="ready", done=done, total=2))
    assert "\x1b" not in str(panel) and r"<b>\x1b[1m" in str(panel)
    assert "<b>" not in panel.widget.children[-2].value
