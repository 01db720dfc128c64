"""Situations: complete, new each time, and silent about what is wrong with them."""

import pytest

from fakes import FAULTS, ScriptError, library
from fakes.library.situations import ALONE, beside, cast, casts

NAMES = [name for name, _ in casts()]


def test_every_fault_is_a_situation_and_so_are_several_peers() -> None:
    """Fault matrix: rows P, L, H, C and M."""
    assert set(FAULTS) <= set(NAMES)
    assert {name[:3] for name in NAMES if name[0] == "M" and name[1:3].isdigit()} == {
        "M01", "M02", "M03", "M04", "M06", "M07", "M08", "M09",
    }  # fmt: skip
    assert len(NAMES) == len(set(NAMES))
    assert all(about for _, about in casts())


@pytest.mark.parametrize("name", NAMES)
def test_a_situation_is_new_each_time_and_its_peers_do_not_tell_its_name(name: str) -> None:
    """Ours: recordings are never shared, and a class may have to find out."""
    one, other = cast(name), cast(name)
    assert one.about and set(one.settings) <= set(one.peers)
    for peer, fake in one.peers.items():
        assert other.peers[peer] is not fake
        assert name not in (peer, fake.name)


def test_the_ways_are_those_on_which_every_peer_can_play() -> None:
    """Ours: some faults need HTTP, and some a process that has to be ended."""
    assert cast("P11-silence").ways == ("memory", "stdio", "http")
    assert cast("H10-405").ways == ("http",)
    assert cast("C14-ignores-sigterm").ways == ("stdio",)
    assert cast("M01-same-name").ways == ("memory", "stdio", "http")


def test_a_fault_that_shows_later_says_what_comes_then() -> None:
    """Fault matrix C08, C12, C13: a call alone would show nothing."""
    shown = ("C12-refused", "C13-schema", "M08-owner-changes", "P01-valid")
    assert [cast(name).then for name in shown] == ["listen", "again", "again", ""]


def test_a_fault_that_needs_a_setting_brings_it() -> None:
    """Fault matrix P07: there must be another revision to fall back to."""
    assert cast("P07-mutual-version").settings == {
        ALONE: {"modern_revisions": ("2026-07-28", "2099-12-31")}
    }


def test_the_library_is_a_catalogue() -> None:
    """Ours: `from fakes import library` is all that a panel needs."""
    assert library.casts() == casts()
    assert library.cast("P01-valid").name == "P01-valid"
    assert library.beside("modern").name == beside("modern").name == "museum"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        library.nothing  # noqa: B018 - it is looked up


def test_what_is_not_there_is_said() -> None:
    """Ours: an error offers the nearest names."""
    with pytest.raises(ScriptError, match="did you mean"):
        cast("P02-error-32606")
    with pytest.raises(ScriptError, match="no neighbour of the era 'future'"):
        beside("future")
