"""The workshop that installs foreign servers: once, whole, and loudly when it cannot."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Any]


def _writes(new_step: Make, code: str) -> Callable[[Path], list[Any]]:
    return lambda place: [new_step((sys.executable, "-c", code))]


COUNT = "open('made', 'a', encoding='utf-8').write('x')"


def test_an_environment_is_made_once(new_workshop: Make, new_step: Make, tmp_path: Path) -> None:
    """Ours: the second run of the tests installs nothing."""
    for _ in range(2):
        place = new_workshop(tmp_path).ready("one", _writes(new_step, COUNT))
    assert (place / "made").read_text(encoding="utf-8") == "x"


def test_workers_that_ask_together_get_one_environment(
    new_workshop: Make, new_step: Make, tmp_path: Path
) -> None:
    """Ours: several test workers share one folder; each opens the lock by itself."""
    slow = f"import threading; threading.Event().wait(0.2); {COUNT}"
    with ThreadPoolExecutor(4) as pool:
        asked = [
            pool.submit(new_workshop(tmp_path).ready, "one", _writes(new_step, slow))
            for _ in range(4)
        ]
        places = {future.result(timeout=60) for future in asked}
    assert [(place / "made").read_text(encoding="utf-8") for place in places] == ["x"]


def test_a_half_made_environment_is_made_again(
    new_workshop: Make, new_step: Make, tmp_path: Path
) -> None:
    """Ours: a run that was killed while installing leaves no stamp."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "rest").write_text("of a killed run", encoding="utf-8")
    place = new_workshop(tmp_path).ready("one", _writes(new_step, COUNT))
    assert sorted(path.name for path in place.iterdir()) == [".ready", "made"]


def test_another_recipe_makes_the_environment_again(
    new_workshop: Make, new_step: Make, tmp_path: Path
) -> None:
    """Ours: a raised version must not be tested with the old one."""
    workshop = new_workshop(tmp_path)
    workshop.ready("one", _writes(new_step, COUNT))
    place = workshop.ready("one", _writes(new_step, f"{COUNT};{COUNT}"))
    assert (place / "made").read_text(encoding="utf-8") == "xx"


def test_what_cannot_be_made_is_a_failure_that_shows_the_last_words(
    new_workshop: Make, new_step: Make, tmp_path: Path
) -> None:
    """Ours: a missing registry is a loud failure, never a skip; the next run tries again."""
    workshop = new_workshop(tmp_path)
    failing = _writes(new_step, f"{COUNT}; raise SystemExit('no registry today')")
    for _ in range(2):
        with pytest.raises(pytest.fail.Exception, match="no registry today"):
            workshop.ready("one", failing)
    assert not (tmp_path / "one" / ".ready").exists()


def test_a_missing_installer_is_a_failure_that_names_it(
    new_workshop: Make, new_step: Make, tmp_path: Path
) -> None:
    """Ours: no traceback of ours where one sentence says more."""
    with pytest.raises(pytest.fail.Exception, match="no-such-installer"):
        new_workshop(tmp_path).ready("one", lambda place: [new_step(("no-such-installer",))])
