import subprocess
import sys

import pytest

from fakes import FakeError, ScriptError, close, modern, on, silence
from workbench.core.errors import WorkbenchError


def test_scripting_a_fake_leaves_the_first_one_alone() -> None:
    """Ours: a fake is a value; two tests can start from the same one."""
    plain = modern("notes")
    scripted = plain.script(on("tools/call").then(close()))
    assert plain.program.rules == () and len(scripted.program.rules) == 1
    assert scripted.received is not plain.received


def test_the_identity_changes_with_anything_that_changes_the_behaviour() -> None:
    """Ours: pins and caches must notice."""
    fakes = [
        modern("a"),
        modern("b"),
        modern("a", tools=["x"]),
        modern("a").script(on("*").then(silence())),
    ]
    assert len({fake.identity for fake in fakes}) == 4
    assert modern("a").identity == modern("a").identity


def test_check_raises_for_a_rule_that_never_acted() -> None:
    """Ours: optional, since many rules are there just in case."""
    fake = modern().script(on("tools/call").then(close()))
    fake.check()
    with pytest.raises(ScriptError):
        fake.check(all_rules_used=True)


def test_fake_errors_are_not_workbench_errors() -> None:
    """Ours: code under test must not swallow a broken script."""
    assert not issubclass(FakeError, WorkbenchError)


@pytest.mark.parametrize("settings", [{"page_size": -1}, {"versions": ()}])
def test_a_server_that_cannot_be_honest_is_refused(settings: dict[str, object]) -> None:
    """Ours: checked when built."""
    with pytest.raises(ScriptError):
        modern("x", **settings)  # type: ignore[arg-type]


def test_importing_the_fakes_is_cheap() -> None:
    """Ours: a child must start fast, so nothing heavy comes along."""
    heavy = "asyncio pandas IPython ipywidgets mcp_types pydantic aiohttp jsonschema rich hashlib"
    program = f"import sys, fakes, fakes.__main__, fakes.hosts.stdio; print([m for m in {heavy.split()!r} if m in sys.modules])"  # noqa: E501
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=5)
    assert done.stdout.decode().strip() == "[]", done.stderr.decode()
