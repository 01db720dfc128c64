"""The lessons laid out in a folder to work in: what is somebody's own stays as it is."""

import json
from pathlib import Path

import pytest

from workbench.core.errors import ConfigError
from workbench.lessons import FIRST, RECORD, in_checkout, lay_out, shipped


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "shipped"
    (folder / "exercises").mkdir(parents=True)
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / FIRST).write_text("first lesson", encoding="utf-8")
    (folder / "exercises" / "01.ipynb").write_text("exercise", encoding="utf-8")
    (folder / "write_outputs.py").write_text("no lesson", encoding="utf-8")
    (folder / ".ipynb_checkpoints" / "x.ipynb").write_text("a leftover", encoding="utf-8")
    return folder


def test_an_empty_folder_gets_every_lesson_and_nothing_else(source: Path, tmp_path: Path) -> None:
    """Ours: what a student sees is the course."""
    target = tmp_path / "deep" / "course"
    assert lay_out(source, target).new == (FIRST, "exercises/01.ipynb")
    found = {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()}
    assert found == {FIRST, "exercises/01.ipynb", RECORD}
    assert lay_out(source, target).to_text() == "", "a second time there is nothing to do"


def test_what_a_student_changed_is_kept_and_what_nobody_touched_is_renewed(
    source: Path, tmp_path: Path
) -> None:
    """Ours: a newer release must not cost anybody an evening's work."""
    target = tmp_path / "course"
    lay_out(source, target)
    (target / "exercises" / "01.ipynb").write_text("my answer", encoding="utf-8")
    (target / "notes.txt").write_text("mine", encoding="utf-8")
    (source / FIRST).write_text("first lesson, second edition", encoding="utf-8")
    (source / "exercises" / "01.ipynb").write_text("exercise, reworded", encoding="utf-8")
    done = lay_out(source, target)
    assert (done.new, done.renewed, done.kept) == ((), (FIRST,), ("exercises/01.ipynb",))
    assert done.to_text() == "lessons: 1 renewed, 1 kept as you changed them"
    assert (target / "exercises" / "01.ipynb").read_text(encoding="utf-8") == "my answer"
    assert (target / FIRST).read_text(encoding="utf-8") == "first lesson, second edition"
    assert (target / "notes.txt").exists()


@pytest.mark.parametrize("record", ["", "{", "[]", '{"00_start_here.ipynb": 7}'])
def test_without_a_readable_record_everything_counts_as_changed(
    source: Path, tmp_path: Path, record: str
) -> None:
    """Ours: in doubt a file is somebody's own."""
    target = tmp_path / "course"
    lay_out(source, target)
    (target / RECORD).write_text(record, encoding="utf-8")
    (source / FIRST).write_text("second edition", encoding="utf-8")
    assert lay_out(source, target).kept == (FIRST,)
    assert (target / FIRST).read_text(encoding="utf-8") == "first lesson"


def test_a_lesson_that_was_deleted_comes_back_and_an_unchanged_one_is_learned_again(
    source: Path, tmp_path: Path
) -> None:
    """Ours: deleting a notebook is how one begins it anew."""
    target = tmp_path / "course"
    lay_out(source, target)
    (target / FIRST).unlink()
    (target / RECORD).unlink()
    assert lay_out(source, target).new == (FIRST,)
    assert set(json.loads((target / RECORD).read_bytes())) == {FIRST, "exercises/01.ipynb"}


def test_a_link_out_of_the_folder_is_never_written_through(source: Path, tmp_path: Path) -> None:
    """Ours: a file elsewhere is nobody's lesson."""
    target, elsewhere = tmp_path / "course", tmp_path / "elsewhere"
    target.mkdir()
    elsewhere.mkdir()
    (target / "exercises").symlink_to(elsewhere)
    with pytest.raises(ConfigError, match="leads out of that folder"):
        lay_out(source, target)
    assert list(elsewhere.iterdir()) == []


def test_a_folder_that_is_a_file_is_one_clear_line(source: Path, tmp_path: Path) -> None:
    """Ours: bad input says what was seen and what to do."""
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"cannot be laid out in .*taken.* --folder"):
        lay_out(source, tmp_path / "taken")


def test_a_checkout_is_worked_in_as_it_is() -> None:
    """Design, section 2: `make lab` opens the notebooks of the checkout."""
    assert in_checkout()
    assert (shipped() / FIRST).is_file()
