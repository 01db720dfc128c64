import pytest

from fakes import dual_era, fault, legacy, modern
from fakes.hosts.http_probe import probe, stops


def shown(fake: object) -> dict[str, str]:
    lines: list[str] = []
    assert probe(fake.program, lines.append) == 0  # type: ignore[attr-defined]
    pairs = [(about, answer) for about, _, answer in (line.partition(" -> ") for line in lines)]
    return dict(pairs)


def test_a_modern_server_shows_every_status_of_the_table() -> None:
    """Seed card: status and error codes."""
    seen = shown(modern())
    for about, start in {
        "server/discover": "200 application/json",
        "tools/call without Mcp-Name": "400 application/json",
        "tools/list of 2099-01-01": "400 application/json",
        "an unknown method": "404 application/json",
        "a foreign Origin": "403 application/json",
        "a body of 1048577 bytes": "413 application/json",
        "a notification": "202 no body",
        "GET": "405 no body",
        "DELETE": "405 no body",
    }.items():
        assert seen[about].startswith(start), (about, seen[about])
    assert "-32020" in seen["tools/call without Mcp-Name"]
    assert "-32700" in seen["text that is not JSON"]


def test_a_legacy_server_shows_its_session() -> None:
    """Spec: 2025-11-25 session management."""
    seen = shown(legacy())
    assert seen["notifications/initialized"] == "202 no body"
    assert seen["tools/call"].startswith("200 application/json")
    assert seen["tools/list of 1999-12-31"].startswith("400 ")
    assert seen["tools/list after DELETE"].startswith("404 ")


def test_both_tours_are_made_of_a_server_of_both_eras() -> None:
    """Ours: the probe shows what there is."""
    assert len(list(stops("dual"))) == len(list(stops("modern"))) + len(list(stops("legacy")))
    assert shown(dual_era())["tools/call"].startswith("200 ")


@pytest.mark.parametrize("name", ["H06-400-empty", "H17-mid-event"])
def test_a_broken_server_ends_no_tour(name: str) -> None:
    """Ours: what goes wrong is a line like any other."""
    assert len(shown(fault(name))) > 5
