"""The rehearsal client: the same decisions, and no time spent."""

import threading

import pytest

from fakes import fault, modern
from workbench import RULES, MultiServerClient
from workbench.classroom.rehearsal import RehearsalClient
from workbench.core.errors import TookTooLong


def test_a_deadline_of_an_hour_costs_no_time() -> None:
    """Fault matrix P11 and C03: the clock goes to what is due; nobody waits for it."""
    with RehearsalClient() as client:
        client.add_server("quiet", fault("P11-silence"), discovery_timeout_ms=3_600_000)
        client.add_server("odd", fault("C03-id-other"), call_timeout_s=3_600)
        report = client.connect_all()
        assert [row.rule for row in report.peers] == ["ERA-01", "ERA-11"]
        client.discover_tools()
        client.merge()
        with pytest.raises(TookTooLong):
            client.call("search")
        assert client.clock.now() >= 7_200
    assert "ERA-11" in RULES


def test_it_is_the_production_client_and_leaves_no_thread() -> None:
    """Ours: only the clock is another one."""
    before = threading.active_count()
    client = RehearsalClient()
    assert isinstance(client, MultiServerClient)
    client.add_server("notes", modern("notes"))
    client.connect_all()
    client.discover_tools()
    client.merge()
    assert client.call("search", {"q": "tea"}).text == 'search: {"q":"tea"}'
    client.close()
    client.close()
    assert threading.active_count() == before
