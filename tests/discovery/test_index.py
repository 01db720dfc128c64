"""The ranking: the best first, the same every time, whatever the tools and queries hold."""

import sqlite3
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.errors import MisuseError
from workbench.core.menu.menu import MenuItem
from workbench.core.tool import Tool
from workbench.discovery import index as module
from workbench.discovery.index import MOST_RANKED, Index


def item(name: str, description: str = "", peer: str = "peer", **more: Any) -> MenuItem:
    definition = {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", **more},
    }
    return MenuItem(name, peer, name, name, Tool(name=name, definition=definition))


ITEMS = [
    item("delete_message", "Deletes a message."),
    item("getPodCount", "Counts pods by phase."),
    item("list_pods", "Lists pods with their phase."),
    item("run", "Runs a statement.", peer="postgres"),
    item("search", "Finds things.", properties={"filePath": {"description": "A regex."}}),
]


def found(query: str, items: list[MenuItem] = ITEMS) -> list[str]:
    return [items[one.position].canonical for one in Index(items).rank(query)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("pods count", "getPodCount"),
        ("list_pods", "list_pods"),
        ("LIST PODS", "list_pods"),
        ("remove messages", "delete_message"),
        ("postgres", "run"),
        ("file path", "search"),
        ("regex", "search"),
    ],
)
def test_names_words_parameters_peers_and_synonyms_are_found(query: str, first: str) -> None:
    """Design section 8: FTS5 ranks tools."""
    assert found(query)[0] == first


def test_two_words_of_a_name_are_found_written_as_one_and_the_other_way_round() -> None:
    """Ours: filesystem, file system and file_system are one thing."""
    items = [*ITEMS, item("file_system_usage"), item("readFilesystem")]
    assert set(found("filesystem", items)) == {"file_system_usage", "readFilesystem"}
    assert {"file_system_usage", "readFilesystem"} <= set(found("file system", items))


def test_what_nobody_has_is_not_found() -> None:
    """Ours: an empty answer is better than a guess."""
    assert found("zeppelin") == [] and found("") == [] and found("?!*") == []
    assert Index([]).rank("pods") == ()


def test_the_exact_name_comes_first_whatever_else_fits() -> None:
    """Ours: who types the name means that tool."""
    chatty = item("other", "list pods " * 30)
    assert found("list pods", [chatty, *ITEMS])[0] == "list_pods"


def test_a_menu_of_two_tools_is_ranked_as_well_as_a_large_one() -> None:
    """Ours: BM25 by itself takes a word of every second tool for worthless."""
    two = [item("pods_list", "Lists pods."), item("pods_count", "Counts pods of a namespace.")]
    assert found("how many pods, a count", two) == ["pods_count", "pods_list"]
    assert found("list of pods", two) == ["pods_list", "pods_count"]
    assert min(one.score for one in Index(two).rank("pods")) > 0.5
    assert found("\ue000", two) == []


def test_equal_scores_keep_the_order_of_the_menu() -> None:
    """Design section 6: deterministic."""
    same = [item(f"tool_{letter}", "Does the same.") for letter in "dbca"]
    ranked = Index(same).rank("same")
    assert [one.position for one in ranked] == [0, 1, 2, 3]
    assert Index(same).rank("same") == ranked


def test_no_ranking_is_longer_than_the_bound() -> None:
    """Ours: everything is bounded."""
    many = [item(f"tool_{n}", "Does the same.") for n in range(MOST_RANKED + 50)]
    index = Index(many)
    assert len(index.rank("same")) == MOST_RANKED
    assert len(index.rank("same", 3)) == 3


@given(st.text(max_size=200))
def test_no_query_breaks_the_index(query: str) -> None:
    """Ours: a query comes from a person or a model, and is data."""
    ranked = _SHARED.rank(query)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert all(one.score > 0 for one in ranked)


def test_a_query_of_every_word_there_is_stays_bounded() -> None:
    """Ours: hundreds of synonyms make one expression that SQLite still takes."""
    wordy = "create delete get list search update send reply run start stop upload download " * 9
    assert found(wordy)


@given(
    st.lists(
        st.tuples(st.text(max_size=30), st.text(max_size=60)), max_size=6, unique_by=lambda t: t[0]
    )
)
def test_no_tool_breaks_the_index(tools: list[tuple[str, str]]) -> None:
    """Design section 7.10: server text is data."""
    items = [item(name, description) for name, description in tools]
    assert len(Index(items).rank("a list of things")) <= len(items)


def test_a_large_menu_is_ranked_by_rare_and_by_frequent_words(monkeypatch: Any) -> None:
    """Ours: words of thousands of tools are only asked of the tools that have a rarer one."""
    monkeypatch.setattr(module, "_MOST_SCORED", 10)
    monkeypatch.setattr(module, "_MOST_ALIKE", 10)
    things = [f"thing{n}" for n in range(40)]
    items = [item(f"{verb}_{thing}") for thing in things for verb in ("delete", "get", "list")]
    assert found("list thing7", items)[0] == "list_thing7"
    assert found("remove thing7", items)[0] == "delete_thing7"
    assert found("list", items)[0].startswith("list_")
    assert found("remove", items)[0].startswith("delete_")


def test_several_threads_may_ask_at_once() -> None:
    """Ours: a menu is a value, and so is what it finds."""
    index = Index(ITEMS)
    expected = index.rank("pods count")
    answers: list[Any] = []

    def ask() -> None:
        answers.extend(index.rank("pods count") for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(answers) == 200 and all(answer == expected for answer in answers)


def test_an_sqlite_without_full_text_search_is_named(monkeypatch: Any) -> None:
    """Ours: some systems ship one; the message says what is missing."""

    def without(*arguments: Any, **options: Any) -> Any:
        raise sqlite3.OperationalError("no such module: fts5")

    monkeypatch.setattr(sqlite3, "connect", without)
    with pytest.raises(MisuseError, match="FTS5"):
        Index(ITEMS)


_SHARED = Index(ITEMS)
