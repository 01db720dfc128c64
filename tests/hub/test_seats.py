"""What is looked for in a class is found where it is: the checks of test_class can fail."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from seats import Seat, collisions, exposed


def seat(user: str, number: int) -> Seat:
    """Return a seat that has everything of its own."""
    home = f"/home/{user}"
    return Seat(
        user=user,
        home=home,
        folder=f"{home}/mcp-lessons",
        sockets=f"{home}/.jupyter/run",
        temporary="/tmp",
        server=number,
        kernel=number + 1,
        url=f"http://127.0.0.1:{number}/mcp",
        heard=(user,),
        processes=frozenset({number, number + 1, number + 2}),
        peers=frozenset({number + 2}),
        ports=frozenset({number, number + 1}),
    )


ALICE, BOB, CAROL = seat("alice", 1000), seat("bob", 2000), seat("carol", 3000)


def test_users_with_everything_of_their_own_do_not_collide() -> None:
    """Ours: one directory for temporary files is what a machine has."""
    assert collisions([ALICE, BOB, CAROL]) == []


@pytest.mark.parametrize(
    ("shared", "said"),
    [
        ({"folder": ALICE.folder}, ["the same folder", "bob works in the home of alice"]),
        ({"folder": f"{ALICE.home}/elsewhere"}, ["bob works in the home of alice"]),
        ({"home": ALICE.home}, ["the same home", "alice works in the home of bob"]),
        ({"sockets": ALICE.sockets}, ["the same sockets"]),
        ({"server": ALICE.server}, ["the same server"]),
        ({"kernel": ALICE.kernel}, ["the same kernel"]),
        ({"url": ALICE.url}, ["the same url"]),
        ({"processes": BOB.processes | {ALICE.kernel}}, ["the same processes, [1001]"]),
        ({"ports": BOB.ports | {1000}}, ["the same ports, [1000]"]),
        ({"heard": ("alice", "bob")}, ["a peer of bob heard alice"]),
    ],
)
def test_whatever_two_users_share_is_found(shared: dict[str, Any], said: list[str]) -> None:
    """Ours: a check must be able to fail, and says whose it is."""
    found = collisions([ALICE, replace(BOB, **shared), CAROL])
    assert found and all("carol" not in line for line in found)
    for words in said:
        assert [line for line in found if words in line], (words, found)


def test_one_user_twice_is_found_in_everything() -> None:
    """Ours: two names at one seat."""
    found = collisions([ALICE, replace(ALICE, user="bob")])
    for what in ("home", "folder", "sockets", "server", "kernel", "url", "processes", "ports"):
        assert [line for line in found if f"the same {what}" in line], what


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_file_that_somebody_else_may_read_or_write_is_found(tmp_path: Path, mode: int) -> None:
    """Ours: a check must be able to fail."""
    for name, bits in (("own.txt", 0o600), ("open.txt", mode)):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(bits)
    assert exposed(tmp_path) == ["open.txt"]


def test_what_is_behind_a_closed_door_is_not_exposed_and_behind_an_open_one_is(
    tmp_path: Path,
) -> None:
    """Ours: who cannot enter a folder reads nothing in it."""
    for name, bits in (("closed", 0o700), ("open", 0o711)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.txt").touch()
        (tmp_path / name / "notes.txt").chmod(0o644)
        (tmp_path / name).chmod(bits)
    assert exposed(tmp_path) == ["open", "open/notes.txt"]
