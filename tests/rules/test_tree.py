"""The shape of the tree: short files, telling names, mirrored tests, a project by itself."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]

MOST_LINES: Final = 400
BAD_NAMES: Final = frozenset({"utils", "util", "helpers", "helper", "manager", "common", "misc"})

GENERATED: Final = frozenset({"build", "dist", "node_modules", "__pycache__"})
"""Folders nobody wrote; so are all whose name starts with a dot, but for `.ci`."""
TEXT: Final = frozenset({".py", ".md", ".toml", ".ipynb", ".json", ".jsonl", ".cfg", ".yml", ""})

FOREIGN: Final = {
    # Written so that this very file holds none of them.
    "a path of some machine": re.compile("/" + r"work(?![\w-])|/tmp/" + "scratch"),
    "a folder outside the project": re.compile(r"\bshared" + "/"),
    "the number of an errand": re.compile(r"\bissue[ \u00a0]*#?\d", re.IGNORECASE),
    "how the work was done": re.compile(r"\b(?:working|coding|chat) session\b", re.IGNORECASE),
}

NEEDS_A_TEST_ABOVE: Final = 60
"""A module of more lines than this has its own test file, or a line in `TESTED_IN`."""
TESTED_IN: Final[dict[str, str]] = {
    # Values and protocols, exercised by the tests of the code that moves them.
    "workbench/core/actions.py": "tests/core/negotiate/test_promises.py",
    "workbench/core/events.py": "tests/core/negotiate/test_evidence.py",
    "workbench/core/negotiate/signs.py": "tests/core/negotiate/test_table.py",
    "workbench/core/negotiate/snapshot.py": "tests/core/negotiate/test_machine.py",
    "workbench/core/wire/message.py": "tests/core/wire/test_codec.py",
    "workbench/transports/base.py": "tests/fakes/hosts/test_memory.py",
    "workbench/core/wire/keys.py": "tests/stories/test_hard_rejects.py",
    # Sentences, held against one another and against what applies them.
    "workbench/core/rulebook/era_rules.py": "tests/core/rulebook/test_rules.py",
    "workbench/core/rulebook/http_rules.py": "tests/core/rulebook/test_rules.py",
    "workbench/core/rulebook/input_rules.py": "tests/core/rulebook/test_rules.py",
    "workbench/core/rulebook/lint_rules.py": "tests/core/rulebook/test_rules.py",
    "workbench/core/rulebook/menu_rules.py": "tests/core/rulebook/test_rules.py",
    "workbench/core/rulebook/session_rules.py": "tests/core/rulebook/test_rules.py",
    "workbench/core/rulebook/setup_rules.py": "tests/core/rulebook/test_rules.py",
    "workbench/core/rulebook/recovery_rules.py": "tests/core/rulebook/test_rules.py",
    # One stepper in three files.
    "workbench/drivers/recovery_moment.py": "tests/drivers/test_recovery_stepper.py",
    "workbench/drivers/recovery_play.py": "tests/drivers/test_recovery_stepper.py",
    # Words, held against what they are said of.
    "workbench/comparison/categories.py": "tests/comparison/test_judging.py",
    # Processes, seen from what ends them.
    "workbench/transports/groups.py": "tests/transports/test_ladder.py",
    # One family of fakes, checked row by row, and one protocol, checked era by era.
    "fakes/library/call_faults.py": "tests/fakes/library/test_faults.py",
    "fakes/library/listing_faults.py": "tests/fakes/library/test_faults.py",
    "fakes/library/probe_faults.py": "tests/fakes/library/test_faults.py",
    "fakes/eras/legacy.py": "tests/fakes/eras/test_answers.py",
    "fakes/eras/session.py": "tests/fakes/eras/everything/test_sealed.py",
    "fakes/eras/everything/tools.py": "tests/fakes/eras/everything/test_answers.py",
    "fakes/outputs.py": "tests/fakes/test_engine.py",
    # The parts of exercises, seen from whoever uses them.
    "workbench/exercises/capstone_scripts.py": "tests/exercises/test_answers.py",
    "workbench/exercises/desk.py": "tests/exercises/test_judging.py",
    "workbench/exercises/e01_refused_version.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e02_wrong_revision.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e03_private_cache.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e04_reject_policy.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e05_listen_again.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e06_stdio_loop.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e07_mirrored_headers.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e08_rounds.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e09_safe_retry.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e10_capstone.py": "tests/exercises/test_answers.py",
    "workbench/exercises/e11_sealed_state.py": "tests/exercises/test_answers.py",
    "workbench/exercises/exercise.py": "tests/exercises/test_checking.py",
    "workbench/exercises/loop_lines.py": "tests/exercises/test_answers.py",
    "workbench/exercises/quiet.py": "tests/exercises/test_bounded.py",
    "workbench/exercises/registry.py": "tests/exercises/test_checking.py",
    "workbench/exercises/relayed.py": "tests/exercises/test_peer.py",
    "workbench/exercises/showing.py": "tests/exercises/test_verdict.py",
    "workbench/exercises/stage.py": "tests/exercises/test_checking.py",
    "workbench/exercises/state_scripts.py": "tests/exercises/test_answers.py",
    "workbench/exercises/wire_checks.py": "tests/exercises/test_answers.py",
    # How a demonstration looks, seen with what it shows.
    "workbench/views/panels/demonstration_html.py": "tests/views/panels/test_demonstration.py",
    # Packages and programs, whose names make no mirrored test file.
    "workbench/__init__.py": "tests/rules/test_import_budget.py",
    "fakes/__init__.py": "tests/rules/test_import_budget.py",
    "fakes/__main__.py": "tests/fakes/test_main.py",
}
"""Module -> the test file that covers it instead; that file must name it, or its package."""


def written(root: Path) -> Iterator[Path]:
    """Yield every text file of the project, in a fixed order."""
    for path in sorted(root.iterdir()):
        if path.is_dir():
            hidden = path.name.startswith(".") and path.name != ".ci"
            if not hidden and path.name not in GENERATED and not path.name.endswith(".egg-info"):
                yield from written(path)
        elif path.suffix in TEXT and path.name != ".DS_Store":
            yield path


def too_long(paths: Iterable[Path]) -> dict[Path, int]:
    """Return the files with more than `MOST_LINES` lines, and how many they have."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    return {path: lines for path, lines in lengths.items() if lines > MOST_LINES}


def foreign_words(text: str) -> list[str]:
    """Return what `text` says that a project must not say about itself."""
    return [
        f"{what}: {match.group()!r}"
        for what, pattern in FOREIGN.items()
        for match in pattern.finditer(text)
    ]


def untested(root: Path, tested_in: dict[str, str]) -> list[str]:
    """Return the modules above the limit that no test file of their own or listed covers."""
    missing = []
    for package in ("workbench", "fakes"):
        for path in sorted((root / package).rglob("*.py")):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > NEEDS_A_TEST_ABOVE and not _covered(root, path, tested_in):
                missing.append(path.relative_to(root).as_posix())
    return missing


def _covered(root: Path, path: Path, tested_in: dict[str, str]) -> bool:
    inside = path.relative_to(root)
    place = inside.parts[1:-1] if inside.parts[0] == "workbench" else inside.parts[:-1]
    if root.joinpath("tests", *place, f"test_{path.stem}.py").is_file():
        return True
    instead = tested_in.get(inside.as_posix())
    if instead is None or not (root / instead).is_file():
        return False
    dotted = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")
    names = "|".join(re.escape(name) for name in (dotted, dotted.rpartition(".")[0]) if name)
    named = re.compile(rf"\b(?:{names})\b(?!\.)")
    return named.search((root / instead).read_text(encoding="utf-8")) is not None


def _python() -> list[Path]:
    return [path for path in written(ROOT) if path.suffix == ".py"]


def test_no_file_is_longer_than_four_hundred_lines() -> None:
    """Ours: one idea a file."""
    assert len(_python()) > 30
    assert too_long(_python()) == {}


def test_no_file_is_named_after_nothing() -> None:
    """Ours: a name says what is inside."""
    assert [path for path in _python() if path.stem.strip("_") in BAD_NAMES] == []


def test_the_project_speaks_of_itself_alone() -> None:
    """Ours: a reader has the repository and nothing else."""
    assert {
        str(path.relative_to(ROOT)): found
        for path in written(ROOT)
        if (found := foreign_words(path.read_text(encoding="utf-8")))
    } == {}


def test_every_module_has_its_test_where_a_reader_looks_for_it() -> None:
    """Ours: tests mirror files."""
    assert untested(ROOT, TESTED_IN) == []


def test_no_listed_exception_has_become_needless() -> None:
    """Ours: a list of exceptions only shrinks when somebody looks."""
    needed = set(untested(ROOT, {}))
    assert [module for module in TESTED_IN if module not in needed] == []


def test_a_long_file_is_found(tmp_path: Path) -> None:
    """Ours: a check must be able to fail; 400 lines are still fine."""
    (tmp_path / "fine.py").write_text("x\n" * 400, encoding="utf-8")
    (tmp_path / "long.py").write_text("x\n" * 401, encoding="utf-8")
    assert too_long(tmp_path.iterdir()) == {tmp_path / "long.py": 401}


@pytest.mark.parametrize(
    "text",
    [
        "see /" + "work/notes",
        "in shared" + "/cases",
        "closes issue" + " 12",
        "Issue" + " #3",
        "left for the next coding" + " session",
    ],
)
def test_a_word_about_the_making_is_found(text: str) -> None:
    """Ours: a check must be able to fail."""
    assert len(foreign_words(text)) == 1


@pytest.mark.parametrize(
    "text", ["/workbench/core", "the Mcp-Session-Id header", "an issue of 3 frames", "tissue 3"]
)
def test_ordinary_words_pass(text: str) -> None:
    """Spec: legacy revisions have sessions, so the word itself stays usable."""
    assert foreign_words(text) == []


def test_a_module_without_a_test_is_found(tmp_path: Path) -> None:
    """Ours: a check must be able to fail, and a listed test must name what it covers."""
    long = "x\n" * (NEEDS_A_TEST_ABOVE + 1)
    for name in ("workbench/core/a.py", "workbench/core/b.py", "fakes/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(long, encoding="utf-8")
    (tmp_path / "workbench/short.py").write_text("x\n", encoding="utf-8")
    (tmp_path / "tests/core").mkdir(parents=True)
    (tmp_path / "tests/core/test_a.py").write_text("", encoding="utf-8")
    listed = {"fakes/c.py": "tests/core/test_a.py"}
    assert untested(tmp_path, listed) == ["workbench/core/b.py", "fakes/c.py"]
    (tmp_path / "tests/core/test_a.py").write_text("import fakes.c", encoding="utf-8")
    assert untested(tmp_path, listed) == ["workbench/core/b.py"]
