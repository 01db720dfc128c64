"""What a cell gets from `workbench.notebook`, without a kernel."""

import subprocess
import sys
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import workbench.notebook as door
from fakes import answer_default, everything, modern, on
from workbench.core.menu.menu import Menu
from workbench.core.rulebook.rules import RULES
from workbench.notebook import (
    SHOWN_WIDTH,
    MultiServerClient,
    NameCollision,
    UnknownName,
    expect_error,
    install_displays,
    rulebook,
    show_error,
    show_rules,
    show_text,
)

HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m"


def client_of(**tools: list[str]) -> MultiServerClient:
    """Return a connected client with one fake a keyword."""
    client = MultiServerClient()
    for name, offered in tools.items():
        client.add_server(name, modern(name, tools=offered))
    client.connect_all()
    client.discover_tools()
    return client


# -- failures, shown


def test_an_expected_failure_is_shown_and_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ours: design, notebooks: a failure mode is part of the lesson."""
    with client_of(files=["search"], notes=["search"]) as client:
        with expect_error(NameCollision) as shown:
            client.merge("reject")
        line = capsys.readouterr().out
    assert isinstance(shown.error, NameCollision)
    assert line.startswith("NameCollision: ") and "files" in line and "notes" in line
    assert [one[:2] for one in line.splitlines()[1:]] == ["  "] * (line.count("\n") - 1)


def test_a_block_that_raises_nothing_fails() -> None:
    """Ours: a tag that allows exceptions would pass here."""
    with pytest.raises(AssertionError, match="NameCollision was expected"):
        with expect_error(NameCollision):
            pass


def test_another_failure_than_the_expected_one_comes_through() -> None:
    """Ours: the lesson shows one failure, not any failure."""
    with pytest.raises(KeyError):
        with expect_error(UnknownName):
            {}["x"]


@pytest.mark.parametrize("error", [ValueError(f"a\n{HOSTILE}"), OSError(2, "no such\nfile")])
def test_any_error_is_safe_text(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: design 7.10."""
    show_error(error)
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    assert "\x1b" not in line


def test_what_is_printed_fits_on_half_a_screen_and_no_word_is_broken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ours: JupyterLab breaks a long line in the middle of a word."""
    told = "one-two " * 30 + "x" * 100
    show_error(ValueError(told))
    show_rules([*rulebook("ERA"), *rulebook("RETRY")])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if len(line) > SHOWN_WIDTH] == [f"  {'x' * 100}"]
    assert " ".join(lines).split()[1:31] == ["one-two"] * 30
    assert "".join(lines).count("-01 ") == 2 and len(lines) > len(rulebook("ERA"))
    show_text("a first sentence", f"a second {'one-two ' * 9}", HOSTILE)
    first, second, rest, hostile = capsys.readouterr().out.splitlines()
    assert (first, second[:8], rest) == ("a first sentence", "a second", "  one-two")
    assert hostile.startswith("<img") and "\x1b" not in hostile
    show_rules([])
    assert capsys.readouterr().out == ""


# -- values, shown


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> InteractiveShell:
    """An IPython of our own, which `workbench.notebook` takes for the running one."""
    made = InteractiveShell()
    monkeypatch.setattr(door, "running_shell", lambda: made)
    assert install_displays()
    return made


def bundle(shell: InteractiveShell, value: Any) -> dict[str, str]:
    """Return what a cell would show."""
    found: dict[str, str] = shell.display_formatter.format(value)[0]
    return found


def test_a_menu_is_a_table_and_a_text(shell: InteractiveShell) -> None:
    """Seed: canonical and local names are both kept, so both are shown."""
    with client_of(files=["search"], notes=["search"]) as client:
        shown = bundle(shell, client.merge())
    lines = shown["text/plain"].split("\n")
    assert lines[0].startswith("Canonical name") and len(lines) == 3
    assert lines[1].split()[:3] == ["notes/search", "notes", "search"]
    assert shown["text/html"].count("<tr>") == 3


def test_hostile_names_stay_text(shell: InteractiveShell) -> None:
    """Ours: design 7.10, in every display of this module."""
    with client_of(files=[HOSTILE, "fine"]) as client:
        listings = client.discover_tools()
        menu = client.merge()
        result = client.call(HOSTILE, {"q": "line\n" + HOSTILE})
        shown = [bundle(shell, value) for value in (menu, listings, result)]
    assert "<img" not in shown[0]["text/html"] and "&lt;img" in shown[0]["text/html"]
    assert "text/html" not in shown[1] and "text/html" not in shown[2]
    assert not any("\x1b" in text for found in shown for text in found.values())


def test_listings_results_and_rules_are_short(shell: InteractiveShell) -> None:
    """Ours: design, notebooks: outputs hold no times, so lessons can be compared."""
    with client_of(files=["search"]) as client:
        assert bundle(shell, client.discover_tools())["text/plain"] == (
            "{'files': <Listing: search>}"
        )
        client.merge()
        result = client.call("search", {"q": "tea"})
    assert bundle(shell, result)["text/plain"] == 'search of files answered:\nsearch: {"q":"tea"}'
    rule = bundle(shell, RULES["ERA-10"])["text/plain"]
    assert rule.startswith("ERA-10: ") and "\n" in rule


def test_a_step_in_a_cell_shows_its_moment(shell: InteractiveShell) -> None:
    """Ours: a snapshot with all its fields would hide what happened."""
    with door.Stepper(modern()) as stepper:
        shown = bundle(shell, stepper.step())["text/plain"]
    assert shown.startswith("State: probing\n") and "Next: send server/discover" in shown


def test_prompts_and_resources_are_short_too(shell: InteractiveShell) -> None:
    """Ours: as for tools; what a peer lists may be long, and is its own text."""
    rule = on("prompts/list").then(answer_default(patch={"prompts": [{"name": HOSTILE}]}))
    broken = on("resources/list").then(answer_default(without=("resultType",)))
    nothing = on("resources/templates/list").then(answer_default(patch={"resourceTemplates": []}))
    with MultiServerClient() as client:
        client.add_server("rich", everything().script(rule, broken, nothing))
        client.connect_all()
        prompts = bundle(shell, client.list_prompts())["text/plain"]
        resources = bundle(shell, client.list_resources())["text/plain"]
        templates = bundle(shell, client.list_resource_templates())["text/plain"]
    assert prompts == "{'rich': <Offers: <img src=x onerror=alert(1)>\\x1b[31m>}"
    assert "no resultType" in resources
    assert templates == "{'rich': <Offers: none>}"


def test_a_peer_without_a_list_shows_why(shell: InteractiveShell) -> None:
    """Spec: server/tools; a refused listing is no empty one."""
    from fakes import fault

    with MultiServerClient() as client:
        client.add_server("odd", fault("C01-no-result-type"))
        client.connect_all()
        shown = bundle(shell, client.discover_tools())["text/plain"]
    assert "no resultType" in shown


def test_an_empty_menu_can_be_shown(shell: InteractiveShell) -> None:
    """Ours: nothing merged yet is a state, not an error."""
    assert "0 tools" in bundle(shell, Menu())["text/html"]


def test_a_plain_script_may_import_the_module() -> None:
    """Ours: without IPython there is nothing to install, and IPython is not loaded for it."""
    program = (
        "import sys, workbench.notebook as door\n"
        "print(door.install_displays(), *{'IPython', 'pandas', 'nest_asyncio'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "False\n"
