"""Text and names become the same words, however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.discovery.words import LONGEST_WORD, MOST_WORDS, joined, pairs, spaced, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("getPodCount", ["get", "pod", "count"]),
        ("list_pods", ["list", "pods"]),
        ("issue-create", ["issue", "create"]),
        ("deals.move_stage", ["deals", "move", "stage"]),
        ("kubernetes/pods count", ["kubernetes", "pods", "count"]),
        ("HTTPServerError", ["http", "server", "error"]),
        ("S3Bucket k8s utf8 base64Encode", ["s3", "bucket", "k8s", "utf8", "base64", "encode"]),
        ("3DModel", ["3d", "model"]),
        ("São Paulo, ação!", ["sao", "paulo", "acao"]),
        ("Größe", ["grosse"]),
        ("привет МИР", ["привет", "мир"]),
        ("天気予報", ["天気", "気予", "予報"]),
        ("weather東京now", ["weather", "東京", "now"]),
        ("日", ["日"]),
        ("\ud800abc\0d", ["abc", "d"]),
        ('\' OR "x" NEAR(*)', ["or", "x", "near"]),
        ("  ", []),
    ],
)
def test_a_text_is_cut_into_words(text: str, found: list[str]) -> None:
    """Ours: names are split at signs and humps; accents and case do not count."""
    assert words(text) == found


def test_names_that_say_the_same_are_the_same_when_joined() -> None:
    """Ours: an exact name is found in whatever style it is typed."""
    assert {joined(name) for name in ("list_pods", "listPods", "List pods", "list-pods")} == {
        "listpods"
    }
    assert pairs(["file", "system", "watch"]) == ["filesystem", "systemwatch"]
    assert pairs(["one"]) == []


@given(st.text(max_size=300))
def test_words_hold_nothing_that_could_act_in_a_query(text: str) -> None:
    """Ours: every word is letters and digits of bounded length, whatever was typed."""
    found = words(text)
    assert all(word.isalnum() and len(word) <= LONGEST_WORD for word in found)
    assert len(words(text, 3)) <= 3
    assert "\0" not in spaced(text)


def test_a_very_long_text_costs_no_more_than_its_beginning() -> None:
    """Ours: a description of megabytes is bounded."""
    assert len(words("word " * 1_000_000)) == MOST_WORDS
    assert len(spaced("x" * 1_000_000)) < 30_000
