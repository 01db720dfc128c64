import pytest

from fakes.errors import ScriptError
from fakes.library.honest import colliding, dual_era, legacy, modern, paging, silent


def test_every_honest_fake_takes_a_name_tools_and_settings() -> None:
    """Ours: the parameters are those of `Server`."""
    fakes = [modern("a", ["x"], page_size=1), legacy("a", ["x"], page_size=1),
             dual_era("a", ["x"], page_size=1), silent("a", ["x"], page_size=1)]  # fmt: skip
    for fake in fakes:
        server = fake.program.server
        assert (fake.name, server.tools, server.page_size) == ("a", ("x",), 1)
    assert [fake.program.server.era for fake in fakes] == ["modern", "legacy", "dual", "legacy"]


def test_revisions_are_given_by_era() -> None:
    """Ours: `versions=` are modern ones of a modern server, legacy ones of a legacy server."""
    assert modern(versions=["2099-01-01"]).program.server.versions == ("2099-01-01",)
    assert legacy(versions=["2025-03-26"]).program.server.revisions == ("2025-03-26",)
    both = dual_era(versions=["2099-01-01"], revisions=["2025-03-26"]).program.server
    assert (both.versions, both.revisions) == (("2099-01-01",), ("2025-03-26",))
    with pytest.raises(ScriptError):
        modern(versions=[])


def test_the_special_ones_are_what_they_say() -> None:
    """Ours: pages, and names that others have."""
    assert paging().program.server.page_size == 3
    assert "notes/search" in colliding().program.server.tools
    assert silent().program.rules
