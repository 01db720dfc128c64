"""The fault matrix, measured: real fakes as processes, real clients."""

from pathlib import Path

import pytest
from lab_at_hand import laboratory

from fakes import FAULTS
from workbench.comparison.measuring import chosen, compare, faults, sent_in, way_of
from workbench.core.errors import ConfigError


def test_the_faults_are_those_of_the_era() -> None:
    """Ours: what is listed by the program is what the library has."""
    assert list(faults()) == [name for name in FAULTS if name[0] in "PLH"]


def test_names_are_chosen_by_their_start() -> None:
    """Ours: P12 is four variants."""
    known = ["P12-exit", "P12-close", "P11-silence"]
    assert chosen(["P12"], known) == ["P12-close", "P12-exit"]
    assert chosen(None, known) == sorted(known)
    with pytest.raises(ConfigError, match=r"P99.*P11 to P12"):
        chosen(["P12", "P99"], known)


def test_ours_over_both_ways_needs_no_network() -> None:
    """Ours: what was sent is what the fake wrote down, and the column is judged."""
    abouts = {name: FAULTS[name] for name in ("P02-error-32601", "H06-400-empty")}
    clients = ("workbench", "workbench-legacy")
    value = compare(laboratory(), abouts, sorted(abouts), clients, "2026-12-01")
    assert (value.versions, value.measured_on) == ({}, "2026-12-01")
    handshake = ("server/discover", "initialize", "notifications/initialized")
    for row in value.rows:
        assert row.way == way_of(row.name)
        assert [row.cell(client) for client in clients] == ["refused (stricter)", "legacy"]
        assert row.seen["workbench"].sent == ("server/discover",)
        assert row.seen["workbench-legacy"].sent == handshake


@pytest.mark.interop
def test_a_small_real_run_beside_another_client() -> None:
    """Ours: from an environment of its own, one downgrade and one agreement."""
    names = ("P01-valid", "P09-legacy-versions")
    abouts = {name: FAULTS[name] for name in names}
    value = compare(laboratory(), abouts, names, ("workbench", "mcp"), "2026-12-01")
    assert value.versions["mcp"].startswith("2.")
    assert value.cells() == [
        ("P01-valid", "modern", "modern", "modern, no initialize"),
        ("P09-legacy-versions", "refused", "refused (downgrade)", "refused, no initialize"),
    ]


def test_a_record_holds_whatever_a_client_sent(tmp_path: Path) -> None:
    """Ours: answers, batches and text that is no JSON-RPC are counted, and break nothing."""
    record = tmp_path / "received"
    assert sent_in(record) == []
    record.write_text('{"method":"a"}\n{"id":1}\n[1]\n"x"\n', encoding="utf-8")
    assert sent_in(record) == ["a", "an answer", "an answer", "an answer"]
