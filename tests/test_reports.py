"""The rows of the startup report, from live peers."""

import pytest

from fakes import Fake, answer_default, fault, legacy, modern, on
from workbench import MultiServerClient
from workbench.core.report import PeerReport

NAMED = "accept_missing_result_type"
FORGETFUL = modern().script(on("tools/call").then(answer_default(without=("resultType",))))


def row(peer: Fake, *, accept: bool) -> PeerReport:
    """Return the row of one connected peer."""
    with MultiServerClient() as client:
        client.add_server("peer", peer, allow_legacy=True, accept_missing_result_type=accept)
        return client.connect_all().peers[0]


@pytest.mark.parametrize("peer", [modern(), FORGETFUL], ids=["honest", "forgetful"])
def test_a_deviation_that_was_asked_for_is_shown_before_it_is_used(peer: Fake) -> None:
    """Design 7.3: the report shows it; it weakens every later answer of this peer."""
    assert row(peer, accept=True).deviations == (NAMED,)
    assert row(peer, accept=False).deviations == ()


def test_its_use_while_connecting_is_shown_beside_it() -> None:
    """Design 7.3; fault matrix P17."""
    used = row(fault("P17-no-result-type"), accept=True)
    assert used.deviations == (NAMED, "resultType missing, accepted by configuration")


def test_a_legacy_peer_owes_no_result_type_so_nothing_deviates() -> None:
    """Seed lesson: an absent resultType of a legacy peer is complete."""
    assert row(legacy(), accept=True).deviations == ()
