"""Take the line away that enforces a rule, and its named test must fail.

A copy of the project gets one change each time; the test named beside it runs against the
copy, in a process of its own. A change whose text is no longer in the source fails too, so
that the list cannot go stale.

Ours: a check that cannot fail proves nothing.
"""

import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
NAMED = "tests/stories/test_hard_rejects.py"


class Change(Struct, frozen=True):
    """One edit of one file, and the test that must notice."""

    id: str
    file: str
    old: str
    new: str
    test: str


CHANGES = (
    Change(
        "requests-without-meta",
        "workbench/core/wire/envelope.py",
        '    stamped = {**given, "_meta": meta}\n',
        "    stamped = {**given}\n",
        "hard_reject_1",
    ),
    Change(
        "version-error-is-ambiguous",
        "workbench/core/negotiate/evidence.py",
        "    if reply.code == UNSUPPORTED_VERSION:\n",
        "    if False:\n",
        "hard_reject_2",
    ),
    Change(
        "header-error-is-ambiguous",
        "workbench/core/negotiate/evidence.py",
        "    if reply.code == HEADER_MISMATCH:\n",
        "    if False:\n",
        "hard_reject_2",
    ),
    Change(
        "capability-error-is-ambiguous",
        "workbench/core/negotiate/evidence.py",
        "    if reply.code == MISSING_CAPABILITY:\n",
        "    if False:\n",
        "hard_reject_2",
    ),
    Change(
        "everybody-may-be-probed",
        "workbench/core/negotiate/snapshot.py",
        "State.PROBING_ALLOWED if terms.allow_legacy else State.PROBING",
        "State.PROBING_ALLOWED",
        "hard_reject_3",
    ),
    Change(
        "any-revision-is-legacy",
        "workbench/core/negotiate/evidence.py",
        "known = handshake.version in so_far.terms.legacy_revisions",
        "known = True",
        "hard_reject_4",
    ),
    Change(
        "an-ambiguous-signal-is-legacy",
        "workbench/core/negotiate/table.py",
        'Row(_H, Do.INITIALIZE, "LEG-01") for sign',
        'Row(_OLD, Do.SETTLE_LEGACY, "LEG-01") for sign',
        "hard_reject_4",
    ),
    Change(
        "a-lost-transport-keeps-its-era",
        "workbench/drivers/owner.py",
        "        self.status = Status.UNAVAILABLE\n        self.verdict = Verdict(\n"
        "            failure=Failure(\n                kind=Kind.PIPE_CLOSED",
        "        self.verdict = Verdict(\n"
        "            failure=Failure(\n                kind=Kind.PIPE_CLOSED",
        "hard_reject_5",
    ),
    Change(
        "private-lists-are-shared",
        "workbench/core/results/cache.py",
        "slot = _Slot(key, None if shared else auth_context)",
        "slot = _Slot(key, None)",
        "hard_reject_6",
    ),
    Change(
        "a-name-is-overwritten",
        "workbench/core/menu/merge.py",
        "        if canonical in self._given:\n            self._refused.add(canonical)\n"
        "            return False\n",
        "",
        "hard_reject_7",
    ),
    Change(
        "results-without-type",
        "workbench/core/call.py",
        'if kind == COMPLETE or ("resultType" not in value and accept_missing_result_type):',
        'if kind == COMPLETE or "resultType" not in value:',
        "hard_reject_8",
    ),
    Change(
        "discovery-without-type",
        "workbench/core/negotiate/results.py",
        "        if not accept_missing_result_type:\n"
        '            return Unreadable("$.resultType is missing", only_result_type=True)\n',
        "",
        "hard_reject_8",
    ),
    Change(
        "anything-may-be-started",
        "workbench/admission.py",
        "        if refused is not None:\n",
        "        if False:\n",
        "refusal_1",
    ),
    Change(
        "a-contested-name-is-only-unknown",
        "workbench/core/menu/route.py",
        "    if name in menu.refused and collision is not None:\n"
        "        return _ambiguous(name, collision.reason)\n",
        "",
        "refusal_2",
    ),
    Change(
        "calls-are-repeated-unasked",
        "workbench/core/recovery/recover.py",
        "return Decision(False,",
        "return Decision(True,",
        "refusal_3",
    ),
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what the named tests need, once for all changes."""
    target = tmp_path_factory.mktemp("copy")
    unwanted = ignore_patterns("__pycache__")
    for folder in ("workbench", "fakes", "tests/support", "tests/stories"):
        copytree(ROOT / folder, target / folder, ignore=unwanted)
    (target / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    return target


def run(copy: Path, test: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p"]
    command += ["no:xdist", NAMED, "-k", test]
    return subprocess.run(
        command, cwd=copy, capture_output=True, text=True, encoding="utf-8", timeout=120
    )


def test_the_unchanged_copy_passes(copy: Path) -> None:
    """Ours: otherwise the failures below would mean nothing."""
    passed = run(copy, "hard_reject or refusal")
    assert passed.returncode == 0, passed.stdout[-2000:]
    where = "import workbench; print(workbench.__file__)"
    shown = subprocess.run(
        [sys.executable, "-c", where], cwd=copy, capture_output=True, text=True, encoding="utf-8"
    )
    assert Path(shown.stdout.strip()).is_relative_to(copy), "the copy is what is tested"


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.id)
def test_the_named_test_fails_without_the_rule(copy: Path, change: Change) -> None:
    """Seed skill: hard rejects and refusal rules."""
    path = copy / change.file
    source = path.read_text(encoding="utf-8")
    assert source.count(change.old) == 1, "the line has changed: bring the list up to date"
    try:
        path.write_text(source.replace(change.old, change.new), encoding="utf-8")
        failed = run(copy, change.test)
    finally:
        path.write_text(source, encoding="utf-8")
    assert failed.returncode == 1, failed.stdout[-2000:] + failed.stderr[-500:]
    assert " failed" in failed.stdout
