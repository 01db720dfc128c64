"""The workshop that installs foreign servers: once, whole, and loudly when it cannot."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workbench.comparison.environments import Step, Workshop, cache_folder, python_recipe
from workbench.core.errors import CouldNotStart


def _writes(code: str) -> Callable[[Path], list[Step]]:
    return lambda place: [Step((sys.executable, "-c", code))]


COUNT = "open('made', 'a', encoding='utf-8').write('x')"


def test_an_environment_is_made_once(tmp_path: Path) -> None:
    """Ours: the second run of the tests installs nothing."""
    for _ in range(2):
        place = Workshop(tmp_path).ready("one", _writes(COUNT))
    assert (place / "made").read_text(encoding="utf-8") == "x"


def test_workers_that_ask_together_get_one_environment(tmp_path: Path) -> None:
    """Ours: several test workers share one folder; each opens the lock by itself."""
    slow = f"import threading; threading.Event().wait(0.2); {COUNT}"
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(Workshop(tmp_path).ready, "one", _writes(slow)) for _ in range(4)]
        places = {future.result(timeout=60) for future in asked}
    assert [(place / "made").read_text(encoding="utf-8") for place in places] == ["x"]


def test_a_half_made_environment_is_made_again(tmp_path: Path) -> None:
    """Ours: a run that was killed while installing leaves no stamp."""
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "rest").write_text("of a killed run", encoding="utf-8")
    place = Workshop(tmp_path).ready("one", _writes(COUNT))
    assert sorted(path.name for path in place.iterdir()) == [".ready", "made"]


def test_another_recipe_makes_the_environment_again(tmp_path: Path) -> None:
    """Ours: a raised version must not be tested with the old one."""
    workshop = Workshop(tmp_path)
    workshop.ready("one", _writes(COUNT))
    place = workshop.ready("one", _writes(f"{COUNT};{COUNT}"))
    assert (place / "made").read_text(encoding="utf-8") == "xx"


def test_what_cannot_be_made_is_a_failure_that_shows_the_last_words(tmp_path: Path) -> None:
    """Ours: a missing registry is a loud failure, never a skip; the next run tries again."""
    workshop = Workshop(tmp_path)
    failing = _writes(f"{COUNT}; raise SystemExit('no registry today')")
    for _ in range(2):
        with pytest.raises(CouldNotStart, match="no registry today"):
            workshop.ready("one", failing)
    assert not (tmp_path / "one" / ".ready").exists()


def test_a_missing_installer_is_a_failure_that_names_it(tmp_path: Path) -> None:
    """Ours: no traceback of ours where one sentence says more."""
    with pytest.raises(CouldNotStart, match="no-such-installer"):
        Workshop(tmp_path).ready("one", lambda place: [Step(("no-such-installer",))])


def test_the_last_words_are_one_safe_line(tmp_path: Path) -> None:
    """Ours: an installer's output is not ours; nothing of it acts in a terminal."""
    with pytest.raises(CouldNotStart) as raised:
        Workshop(tmp_path).ready("one", _writes("raise SystemExit('\\x1b[31m' + 'x' * 9000)"))
    line = str(raised.value)
    assert "\x1b" not in line and "\n" not in line and len(line) < 2_000
    assert "registry" in line


def test_a_client_is_installed_into_a_folder_of_its_own(tmp_path: Path) -> None:
    """Ours: never into the user's own environment; the folder follows the user's settings."""
    steps = python_recipe("x")(tmp_path / "there")
    assert steps[0].command[-1] == str(tmp_path / "there")
    assert steps[1].command[0] == str(tmp_path / "there" / "bin" / "python")
    folder = cache_folder({"XDG_CACHE_HOME": str(tmp_path)})
    assert folder == tmp_path / "mcp-client-workbench" / "clients"
    assert cache_folder({}).parts[-3:] == (".cache", "mcp-client-workbench", "clients")


def test_one_interpreter_under_two_names_makes_one_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: python and python3 of one environment must not undo each other's work."""
    first = repr(python_recipe("x")(tmp_path))
    other = tmp_path / "python-by-another-name"
    other.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(other))
    assert repr(python_recipe("x")(tmp_path)) == first
