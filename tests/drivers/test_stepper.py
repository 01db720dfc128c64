"""A stepper on real transports: bounded, honest about time, and gone afterwards."""

import subprocess
import sys
import threading
from typing import Any

import pytest
from survivors import survivors

from fakes import Fake, fault
from workbench import PeerConfig
from workbench.admission import admit
from workbench.core.errors import MisuseError
from workbench.core.negotiate.snapshot import State, Terms
from workbench.drivers.stepper import Stepper


@pytest.fixture
def peer() -> Fake:
    """A legacy server that refuses the probe."""
    return fault("P02-error-32601")


def command(argv: list[str]) -> Any:
    return admit("peer", PeerConfig(name="peer", command=argv[0], args=tuple(argv[1:])), {}, None)[
        1
    ]


def test_a_process_is_stepped_forked_and_gone_afterwards() -> None:
    """Ours: a live transport; every life is a process of its own, and none is left."""
    terms = Terms(allow_legacy=True, startup_grace_ms=10_000)
    with fault("P02-error-32601").over_stdio() as argv:
        script = argv[argv.index("--script") + 1]
        with Stepper(command(argv), terms) as stepper:
            stepper.step()
            assert stepper.moment.at == 0.0
            stepper.run_to_decision()
            assert stepper.moment.snapshot.state is State.HANDSHAKING
            stepper.answer("-32603")
            assert stepper.moment.snapshot.state is State.UNAVAILABLE
            stepper.back()
            assert stepper.run().snapshot.state is State.LEGACY
            stepper.back()
            stepper.fork()
            assert stepper.note == "" and stepper.live
            assert stepper.run().snapshot.state is State.LEGACY
            assert len(survivors(script, 0)) == 1, "the first life is over, the second is not"
        assert survivors(script) == []


def test_a_silent_process_waits_for_a_person_and_not_for_its_deadline() -> None:
    """Ours: real waits are short and bounded, and end without a timeout."""
    with (
        fault("P11").over_stdio() as argv,
        Stepper(command(argv), Terms(), patience_s=0.01) as stepper,
    ):
        stepper.step()
        stepper.step()
        assert "has said nothing yet" in stepper.note
        assert stepper.let_deadline_pass().decision is not None
        assert stepper.decisions[-1][1] == "silence"


def test_a_process_that_was_asked_only_now_is_given_the_time_to_answer() -> None:
    """Ours: letting the deadline pass must not outrun an honest peer."""
    terms = Terms(startup_grace_ms=10_000)
    with fault("P01").over_stdio() as argv, Stepper(command(argv), terms) as stepper:
        stepper.step()
        assert stepper.let_deadline_pass().at == 0.0
        assert stepper.run().snapshot.state is State.MODERN


def test_a_peer_behind_an_address_is_stepped() -> None:
    """Ours: over HTTP an exchange can end without an answer, and that is an event."""
    with fault("H06").over_http() as url:
        endpoint = admit("peer", PeerConfig(name="peer", url=url), {}, None)[1]
        with Stepper(endpoint) as stepper:
            assert stepper.run().snapshot.state is State.UNAVAILABLE
            assert stepper.decisions[-1][3] == "ERA-23"
            stepper.back()
            assert stepper.answer("http-401").decision is not None
            assert stepper.decisions[-1][3] == "HTTP-01"


def test_closing_ends_the_thread_and_keeps_what_was_seen(peer: Fake) -> None:
    """Ours: nothing is left behind, and the pictures stay."""
    threads = threading.active_count()
    stepper = Stepper(peer)
    stepper.step()
    stepper.close()
    stepper.close()
    assert threading.active_count() == threads
    assert stepper.answer("valid").snapshot.state is State.MODERN
    stepper.back()
    stepper.step()
    assert stepper.supposed, "without a connection a step leads to what was supposed"
    stepper.go(0)
    stepper.fork()
    assert "closed" in stepper.note
    with pytest.raises(MisuseError, match="closed"):
        stepper.restart()
    assert peer.lifetimes == 1 and threading.active_count() == threads


def test_an_interpreter_that_ends_without_closing_leaves_no_process() -> None:
    """Ours: a notebook's kernel is shut down in the middle of a lesson."""
    program = """
import sys
from workbench.admission import admit
from workbench.drivers.stepper import Stepper
from workbench import PeerConfig
argv = sys.argv[1:]
config = PeerConfig(name="peer", command=argv[0], args=tuple(argv[1:]))
stepper = Stepper(admit("peer", config, {}, None)[1])
stepper.step(); stepper.step()
print(stepper.decisions)
"""
    with fault("P11").over_stdio() as argv:
        done = subprocess.run(
            [sys.executable, "-c", program, *argv],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert "transport opened" in done.stdout
        assert survivors(argv[argv.index("--script") + 1]) == []
