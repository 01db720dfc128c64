"""The page about the command line knows every command, and every command explains itself.

That what the page shows is what happens, `test_samples.py` sees.
"""

import argparse
from pathlib import Path
from typing import Final

import pytest

from workbench.cli import _parser, main

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "command_line.md"
ELSEWHERE: Final = frozenset({"fake", "replay"})
"""Commands that hand over to another program, which explains itself; the page shows it."""


def verbs() -> dict[str, argparse.ArgumentParser]:
    """Return every command there is, with what reads its arguments."""
    for action in _parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("there are no commands")


def explained(verb: str, text: str) -> bool:
    """Say whether a help text begins as one and holds an example of its command."""
    words = " ".join(text.split())
    return words.startswith("usage: ") and f"Example: mcp-workbench {verb} " in words


@pytest.mark.parametrize("verb", sorted(set(verbs()) - ELSEWHERE))
def test_every_command_explains_itself_with_an_example(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours: a new command is asked for its example by this very test."""
    with pytest.raises(SystemExit) as end:
        main([verb, "--help"])
    text = capsys.readouterr().out
    assert end.value.code == 0 and explained(verb, text), text


def missing(page: str) -> list[str]:
    """Return the commands that a page does not name."""
    return [verb for verb in verbs() if f"mcp-workbench {verb}" not in page]


def test_every_command_stands_on_the_page() -> None:
    """Ours: whoever reads the page knows what there is."""
    page = PAGE.read_text(encoding="utf-8")
    assert missing(page) == []
    for verb in ELSEWHERE:
        assert f"$ mcp-workbench {verb} --help" in page


def test_a_command_that_is_left_out_or_says_nothing_is_found() -> None:
    """Ours: a check must be able to fail."""
    page = PAGE.read_text(encoding="utf-8")
    assert missing(page.replace("mcp-workbench pin", "mcp-workbench in")) == ["pin"]
    assert not explained("pin", "usage: mcp-workbench pin [-h]")
    assert not explained("pin", "Example: mcp-workbench pin mcp.json")
