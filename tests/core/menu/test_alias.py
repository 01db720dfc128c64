"""Model-safe aliases: they fit, they are unique, and the table leads back."""

import hashlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.menu.alias import aliases, fits

SAFE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def test_a_name_that_fits_is_its_own_alias() -> None:
    """Ours: what a model may call as it is, it calls as it is."""
    names = ["search", "a-b", "A_9", "x" * 64]
    assert aliases(names) == {name: name for name in sorted(names)}


@pytest.mark.parametrize("name", ["", "a.b", "a/b", "a b", "größe", "x" * 65, "search\n"])
def test_a_name_that_does_not_fit_gets_a_safe_alias(name: str) -> None:
    """Case N16; fault matrix M06; a trailing line end is the trap of `$` in a pattern."""
    assert not fits(name)
    alias = aliases([name])[name]
    assert SAFE.fullmatch(alias)
    assert alias.endswith(hashlib.sha256(name.encode()).hexdigest()[:8])


def test_names_that_sanitise_to_one_text_stay_apart() -> None:
    """Case N03: `a.b`, `a-b`, `a_b` on one server; `my-srv` and `my_srv`."""
    table = aliases(["a.b", "a-b", "a_b", "a/b", "a b", "my-srv/x", "my_srv/x"])
    assert len(set(table.values())) == len(table)
    assert table["a-b"] == "a-b"
    assert table["a_b"] == "a_b"


def test_an_alias_stays_readable() -> None:
    """Ours: peer and tool can still be recognised."""
    assert aliases(["notes/search"])["notes/search"].startswith("notes_search_")


def test_a_name_without_any_safe_character_still_gets_an_alias() -> None:
    """Fault matrix M06: names in other scripts."""
    table = aliases(["検索", "保存", "///"])
    assert all(alias.startswith("tool_") for alias in table.values())
    assert len(set(table.values())) == 3


def test_sixty_four_characters_are_kept_and_sixty_five_are_cut() -> None:
    """Case N04: exactly 64, 65, 128, 129."""
    table = aliases(["x" * length for length in (64, 65, 128, 129)])
    assert table["x" * 64] == "x" * 64
    assert len({*table.values()}) == 4
    assert all(len(alias) == 64 for alias in table.values())


def test_long_names_keep_their_start_and_their_end() -> None:
    """Case N04: two 60-character tools that share the first 55, a server name of 20."""
    server, shared = "s" * 20, "t" * 55
    first, second = f"{server}/{shared}alpha", f"{server}/{shared}omega"
    table = aliases([first, second])
    assert table[first] != table[second]
    assert table[first].startswith(server) and "alpha" in table[first]
    assert "omega" in table[second]
    assert all(SAFE.fullmatch(alias) for alias in table.values())


def test_names_that_differ_only_in_the_cut_part_stay_apart() -> None:
    """Case N04: the cut must not take the only difference away."""
    table = aliases([f"{'a' * 60}{middle}{'z' * 60}" for middle in "pqr"])
    assert len(set(table.values())) == 3


def test_a_real_name_that_equals_an_alias_has_first_claim() -> None:
    """Ours: the canonical name that fits keeps itself, the made-up alias gets a longer hash."""
    usual = aliases(["a.b"])["a.b"]
    table = aliases(["a.b", usual])
    assert table[usual] == usual
    assert table["a.b"] != usual
    assert SAFE.fullmatch(table["a.b"])
    assert len(table["a.b"]) > len(usual)


def test_a_reserved_name_is_no_alias() -> None:
    """Ours: an alias must not answer to a name that the merge refused."""
    usual = aliases(["a.b"])["a.b"]
    assert aliases(["a.b"], reserved=[usual])["a.b"] != usual


def test_real_names_cannot_use_up_all_the_aliases_of_another_name() -> None:
    """Ours: a peer may list tools that are called like our next ten choices."""
    names = ["a.b"]
    for _ in range(10):
        names.append(aliases(names)["a.b"])
    table = aliases(names)
    assert len(set(table.values())) == 11
    assert all(SAFE.fullmatch(alias) for alias in table.values())
    assert aliases(reversed(names)) == table


def test_two_names_with_one_short_hash_both_get_a_longer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ours: no order decides which of the two would have had the short one."""

    class Clash:
        def __init__(self, data: bytes) -> None:
            self._digits = "0" * 8 + hashlib.sha256(data).hexdigest()

        def hexdigest(self) -> str:
            return self._digits

    monkeypatch.setattr("workbench.core.menu.alias.sha256", Clash)
    table = aliases(["a.b", "a/b"])
    assert table == aliases(["a/b", "a.b"])
    assert len(set(table.values())) == 2
    assert all(len(alias) == len("a_b_") + 16 for alias in table.values())


ANY_NAME = st.one_of(
    st.text(max_size=12),
    st.text(st.sampled_from("ab_-./ é"), max_size=6),
    st.text(st.sampled_from("ab/"), min_size=60, max_size=130),
)


@settings(max_examples=200, deadline=None)
@given(names=st.lists(ANY_NAME, max_size=20, unique=True), data=st.data())
def test_aliases_fit_are_unique_and_lead_back_in_any_order(
    names: list[str], data: st.DataObject
) -> None:
    """Design section 7.5: model-safe, unique, reversible, order independent."""
    table = aliases(names)
    assert set(table) == set(names)
    assert all(SAFE.fullmatch(alias) for alias in table.values())
    back = {alias: name for name, alias in table.items()}
    assert {back[table[name]] for name in names} == set(names)
    assert all(table[name] == name for name in names if fits(name))
    assert aliases(data.draw(st.permutations(names))) == table
