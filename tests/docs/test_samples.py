"""Every sample of the documentation runs: Python, sessions of a shell, files."""

from pathlib import Path
from typing import Final

import pytest
from console import Step, matches, steps
from sampled import Sample, played, samples

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
NOT_RUN: Final = {
    "compare.md": 2,
    "grade_submissions.md": 1,
    "shared_server.md": 5,
}
"""How many samples of a page may say that they cannot run; 0 for a page that is not here."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_samples_of_the_page_run(path: Path, tmp_path: Path) -> None:
    """Ours: readers copy what they see, and a page that is wrong is worse than none."""
    told = played(path.read_text(encoding="utf-8"), tmp_path)
    assert told.wrong == [], "\n\n".join(told.wrong)
    assert len(told.not_run) == NOT_RUN.get(path.name, 0), told.not_run


def test_there_is_no_room_for_samples_that_are_gone() -> None:
    """Ours: a list of exceptions shrinks with its reasons."""
    assert set(NOT_RUN) <= {path.name for path in PAGES}
    assert sum(NOT_RUN.values()) <= 8


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("```python\ndef f(:\n```", "SyntaxError"),
        ("```python\nassert 1 == 2\n```", "AssertionError"),
        ("```python\nx = 1\n```\n```python\ny\n```", "NameError"),
        ("<!-- sample: setup\n1 / 0\n-->", "ZeroDivisionError"),
        ("```pycon\n>>> 1 + 1\n3\n```", "Expected:"),
        ("```console\n$ echo a\nb\n```", "$ echo a"),
        ("```console\n$ exit 3\n```", "exit status 3, and nobody says so"),
        ("```console\n$ exit 3\n$ echo $?\n2\n```", "3"),
        ("```console\n$ mcp-workbench report no.json\n```", "there is no such file"),
        ("```console\n$ mcp-workbench report no.json | tr a-z A-Z\nx\n```", "THERE IS NO SUCH"),
        ("```sh\nmcp-workbench lint no.jsonl\n```", "exit status 2"),
        ("```sh\nmake tea\n```", "there is no target tea"),
        ("```json\n{\n```", "ConfigError"),
        ("In `a.json`:\n\n```json\n[\n```", "ConfigError"),
        ("```toml\na = \n```", "TOMLDecodeError"),
        ("```\nmcp-workbench report mcp.json\n```", "say console or sh"),
        ("```cobol\nSTOP RUN.\n```", "nobody here can run 'cobol'"),
        ("<!-- sample: alone -->\n\n```python\nraise SystemExit('no')\n```", "no"),
        ("<!-- sample: pytest -->\n\n```python\ndef test_x():\n    assert 0\n```", "1 failed"),
        ("<!-- sample: not run: no -->\n\n```sh\nfalse\n```", "no reason"),
    ],
)
def test_a_sample_that_is_wrong_is_found(page: str, told: str, tmp_path: Path) -> None:
    """Ours: a check must be able to fail; each kind of sample has its input."""
    found = played(page, tmp_path)
    assert any(told in wrong for wrong in found.wrong), found


def test_samples_are_told_apart_and_run_in_their_order() -> None:
    """Ours: a block that is not read would always be right."""
    page = (
        "<!-- sample: file a.txt\nx\n-->\n<!-- sample: setup\na = 1\n-->\n"
        "<!-- sample: not run: it takes a week -->\n\n```sh\nrm a\n```\n"
        "In `b.json`:\n\n```json\n{}\n```\n```{toctree}\nx\n```\n```\nplain\n```\n"
    )
    assert list(samples(page)) == [
        Sample("file", "x\n", "a.txt"),
        Sample("setup", "a = 1\n", ""),
        Sample("not run", "", "it takes a week"),
        Sample("sh", "rm a\n"),
        Sample("file", "{}\n", "b.json"),
        Sample("", "plain\n"),
    ]


def test_a_page_without_faults_has_none(tmp_path: Path) -> None:
    """Ours: the checks above find what is wrong, and nothing else."""
    page = "```python\nx = 2\n```\n```pycon\n>>> x\n2\n```\n```console\n$ echo a | tr a b\nb\n```"
    assert played(page, tmp_path) == ([], ["python", "pycon", "console"], [])


@pytest.mark.parametrize(
    ("wanted", "lines", "good"),
    [
        (["a", "…", "d"], ["a", "b", "c", "d"], True),
        (["a", "…"], ["a"], True),
        (["took … ms"], ["took 17 ms"], True),
        (["a"], ["a  "], True),
        (["a"], ["b"], False),
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], False),
        (["a.c"], ["abc"], False),
        ([], ["a"], False),
    ],
)
def test_a_difference_is_found(wanted: list[str], lines: list[str], good: bool) -> None:
    """Ours: a check must be able to fail."""
    assert matches(wanted, lines) is good


def test_commands_and_what_they_print_are_told_apart() -> None:
    """Ours: a session that is not read would always be right."""
    session = "$ one\nfirst\n$ cat > a <<'END'\n> b\n> END\n$ two | three\n"
    assert list(steps(session)) == [
        Step("one", ("first",)),
        Step("cat > a <<'END'\nb\nEND", ()),
        Step("two | three", ()),
    ]
