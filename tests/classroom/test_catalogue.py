"""The catalogue's protocols: the library keeps them, and what lacks a part does not."""

import string
from typing import Any

from fakes import library
from workbench.classroom.catalogue import Cast, Catalogue, Peer


def lacking(protocol: type, thing: Any) -> list[str]:
    """Return the members of a protocol that a thing does not have."""
    return [name for name in vars(protocol) if name[0] != "_" and not hasattr(thing, name)]


def test_the_library_keeps_the_protocols() -> None:
    """Ours: `InstructorPanel(library)` needs nothing else of it."""
    cast = library.cast("P01-valid")
    assert lacking(Catalogue, library) == []
    assert lacking(Cast, cast) == []
    for peer in (*cast.peers.values(), library.beside("legacy")):
        assert lacking(Peer, peer) == []


def test_what_lacks_a_part_is_found() -> None:
    """Ours: a check must be able to fail."""
    assert lacking(Catalogue, string) == ["casts", "cast", "beside"]
