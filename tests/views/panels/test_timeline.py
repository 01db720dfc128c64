"""The drawing of starts."""

from workbench.drivers.recovery_moment import Start
from workbench.views.panels.timeline import WIDTH, timeline


def start(number: int, at: float, ready: bool) -> Start:
    return Start(number=number, at=at, why="as planned", ready=ready, detail="<b>")


def test_each_start_is_drawn_by_shape_and_said_in_words() -> None:
    """Ours: shape carries the meaning; the label says the same to a screen reader."""
    drawn = timeline([start(1, 0.0, True), start(2, 4.0, False)], 6.0, 8.0)
    assert drawn.count("<circle") == 2 and drawn.count("<path") == 1
    assert "stroke-dasharray" in drawn
    assert 'aria-label="Starts: 0.00 s ready, 4.00 s failed; now 6.00 s; next at 8.00 s"' in drawn
    assert "<b>" not in drawn


def test_nothing_started_yet_is_a_line_with_now() -> None:
    """Ours: time 0."""
    drawn = timeline([], 0.0, None)
    assert "none yet" in drawn and "none planned" in drawn and "<circle" not in drawn


def test_labels_keep_apart_and_the_newest_are_kept() -> None:
    """Ours: the first starts are milliseconds apart when the last are minutes."""
    starts = [start(number, number * 0.01, False) for number in range(20)]
    drawn = timeline([*starts, start(20, 60.0, True)], 60.0, None)
    assert drawn.count(" s</text>") == 2 and "60.00 s" in drawn
    places = [float(part.split('"')[0]) for part in drawn.split('cx="')[1:]]
    assert all(0 <= place <= WIDTH for place in places)
