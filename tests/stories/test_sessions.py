"""The shell sessions in the documentation are true, to the letter."""

from pathlib import Path
from typing import Final

import pytest
from session import Command, differences, fits, sessions

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
PAGES: Final = [
    pytest.param(name, number, id=f"{name}-{number}")
    for name in ("lint.md", "record_and_replay.md")
    for number, _ in enumerate(sessions((DOCS / name).read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize(("name", "number"), PAGES)
def test_a_session_prints_what_the_page_says(name: str, number: int, tmp_path: Path) -> None:
    """Ours: a reader types it and sees the same."""
    page = (DOCS / name).read_text(encoding="utf-8")
    session = list(sessions(page))[number - 1]
    assert session
    assert differences(session, tmp_path) == []


def test_a_session_that_is_not_true_is_found(tmp_path: Path) -> None:
    """Ours: a check must be able to fail."""
    wrong, right = Command("echo one; echo two", "one\nthree"), Command("echo one", "one")
    assert len(differences([wrong, right], tmp_path)) == 1
    page = "```console\n$ cat <<'E'\n> a\n> E\na\n$ true\n```\n"
    (session,) = sessions(page)
    assert session == [Command("cat <<'E'\na\nE", "a"), Command("true", "")]


def test_dots_stand_for_anything_and_nothing_else_does() -> None:
    """Ours: as little as possible is left open."""
    assert fits("a\n...\nb", "a\n1\n2\nb") and fits("x ... y", "x 1 y")
    assert not fits("x ... y", "x 1\n y") and not fits("a.c", "abc")
