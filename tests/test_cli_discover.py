"""`discover` as a process: what it prints, what it refuses, and the budget kept."""

import io
import json
import random
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.core.menu.menu import Menu
from workbench.core.menu.shortlist import definition_of
from workbench.discovery.inventory import load_inventory

INVENTORY = str(Path(__file__).parent / "discovery" / "tools.json")
QUERY = ("discover", INVENTORY, "--query")


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", *arguments],
        capture_output=True,
        encoding="utf-8",
        input=stdin,
        timeout=60,
    )


def printed(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(arguments)
    return status, out.getvalue(), err.getvalue()


def test_the_best_schemas_inside_the_budget_are_printed_the_same_each_time() -> None:
    """Seed card: `--query "pods count" --max-chars 500`."""
    result = run(*QUERY, "pods count", "--max-chars", "500")
    assert (result.returncode, result.stderr) == (0, "")
    assert len(result.stdout) <= 500
    whole = definitions()
    found = json.loads(result.stdout)
    assert found[0]["name"] == "pods_count" and len(found) >= 2
    assert all(tool == whole[tool["name"]] for tool in found)
    assert run(*QUERY, "pods count", "--max-chars", "500").stdout == result.stdout


def test_an_inventory_may_come_through_a_pipe() -> None:
    """Ours: the output of one program is the input of the next."""
    text = Path(INVENTORY).read_text(encoding="utf-8")
    result = run("discover", "-", "--query", "fork a repo", "--limit", "1", stdin=text)
    assert [tool["name"] for tool in json.loads(result.stdout)] == ["fork_repository"]
    again = run("discover", "-", "--query", "fork", stdin=result.stdout)
    assert again.stdout == result.stdout


def test_an_empty_answer_says_why_and_the_ranking_is_shown_when_asked() -> None:
    """Ours: the product on stdout, the words about it on stderr."""
    status, out, err = printed(*QUERY, "pods count", "--max-chars", "20")
    assert (status, out) == (0, "[]\n") and "pods_count, needs --max-chars" in err
    needed = err.split()[-1]
    assert printed(*QUERY, "pods count", "--max-chars", needed)[1].startswith('[{"name":"pods_c')
    assert "nothing matches" in printed(*QUERY, "zeppelin")[2]
    assert "chars  tool" in printed(*QUERY, "pods", "--explain")[2]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["discover", INVENTORY], "--query"),
        ([*QUERY, "x", "--serve"], "--serve"),
        (["discover", "-", "--serve"], "standard input"),
        ([*QUERY, "x", "--max-chars", "2"], "--max-chars 2"),
        ([*QUERY, "x", "--limit", "0"], "--limit 0"),
        (["discover", "missing.json", "--query", "x"], "missing.json"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments: list[str], part: str) -> None:
    """Design section 6."""
    status, out, err = printed(*arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1 and part in err


def test_a_tool_that_gets_no_name_is_told_of(tmp_path: Path) -> None:
    """Fault matrix M02: never a silent loss."""
    path = tmp_path / "tools.json"
    tools = {"a": ["search"], "b": ["search"], "c": ["b/search"]}
    schema = {"type": "object"}
    value = {
        "servers": {
            name: [{"name": tool, "inputSchema": schema} for tool in row]
            for name, row in tools.items()
        }
    }
    path.write_text(json.dumps(value), encoding="utf-8")
    status, out, err = printed("discover", str(path), "--query", "search")
    assert status == 0 and "warning: " in err
    assert len(json.loads(out)) < 3


def test_the_budget_is_kept_in_a_thousand_random_pairs() -> None:
    """Ours: never over it by a character, and every printed definition is whole."""
    chance = random.Random(2026)
    whole = definitions()
    words = sorted({word for tool in whole.values() for word in tool["description"].split()})
    filled = 0
    for _ in range(1_000):
        query = " ".join(chance.sample(words, chance.randint(1, 6)))
        budget = chance.choice((chance.randint(3, 300), chance.randint(300, 5_000)))
        found = menu().search(query, max_chars=budget - 1)
        assert len(found.text) + 1 <= budget
        assert json.loads(found.text) == [whole[name] for name in found.names]
        filled += bool(found.names)
    assert filled > 500


@cache
def menu() -> Menu:
    return load_inventory(INVENTORY)


def definitions() -> dict[str, Any]:
    return {item.canonical: definition_of(item) for item in menu().items}
