"""A file is written once, for its owner."""

from pathlib import Path

import pytest

from workbench.core.errors import MisuseError
from workbench.views.panels.exporting import write_new


def test_a_file_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    """Ours: what a peer said is nobody else's."""
    path = write_new(tmp_path / "a.jsonl", "né\n")
    assert path.read_text(encoding="utf-8") == "né\n"
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("name", "said"), [("a.txt", "there already"), ("no/b.txt", "No such file"), ("a\0", "null")]
)
def test_what_cannot_be_written_is_said_and_nothing_is_lost(
    name: str, said: str, tmp_path: Path
) -> None:
    """Ours: no file is overwritten."""
    kept = tmp_path / "a.txt"
    kept.write_text("mine", encoding="utf-8")
    with pytest.raises(MisuseError, match=said):
        write_new(tmp_path / name, "other")
    assert kept.read_text(encoding="utf-8") == "mine"
