"""The pages of the documentation: their code is code, their links lead somewhere."""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
CODE: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def broken_code(page: str) -> list[str]:
    """Return the first line of each example that does not compile."""
    wrong = []
    for code in CODE.findall(page):
        try:
            ast.parse(code)
        except SyntaxError:
            wrong.append(code.split("\n")[0])
    return wrong


def dead_links(page: str, folder: Path) -> list[str]:
    """Return the links to files that are not there."""
    return [link for link in LINK.findall(page) if not (folder / link).exists()]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_code_compiles_and_links_lead_somewhere(path: Path) -> None:
    """Ours: readers copy what they see."""
    page = path.read_text(encoding="utf-8")
    assert broken_code(page) == []
    assert dead_links(page, path.parent) == []


def test_a_broken_example_and_a_dead_link_are_found(tmp_path: Path) -> None:
    """Ours: a check must be able to fail."""
    assert broken_code("```python\ndef f(:\n```\n```python\nx = 1\n```\n") == ["def f(:"]
    page = "[a](missing.md) [b](there.md#part) [c](https://x.example/y.md) [d](#here)"
    (tmp_path / "there.md").touch()
    assert dead_links(page, tmp_path) == ["missing.md"]
