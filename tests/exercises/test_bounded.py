"""A call ends by its deadline, whatever it does, and nothing it prints gets out.

`workbench.exercises.quiet` is what catches the prints.
"""

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, Final

import pytest
from kernels import eventually

from workbench.exercises.bounded import Ran, Stopped, bounded

SHORT_S: Final = 0.2


def loops() -> None:
    """Never end."""
    while True:
        pass


def catches_everything() -> None:
    """Never end, and take no interrupt."""
    while True:
        try:
            int("7")
        except BaseException:
            pass


def tries_all_the_time() -> None:
    """Never end, and be inside a `try` nearly always."""
    while True:
        try:
            sum(sum(range(100)) for _ in range(100))
        except:  # noqa: E722 - it is what answers do
            continue


def tries_in_many_frames(depth: int = 20) -> None:
    """Never end, and catch everything on every level."""
    try:
        tries_in_many_frames(depth - 1) if depth else loops()
    except BaseException:
        tries_in_many_frames(depth)


def recurses() -> None:
    """Never end, in many frames."""
    while True:
        try:
            recurses()
        except RecursionError:
            pass


def never_lets_go() -> None:
    """Never end, and insist on it in a `finally`."""
    while True:
        try:
            loops()
        finally:
            continue  # noqa: B012 - as above


async def ignores_its_end() -> None:
    """Never end, and take no cancellation."""
    while True:
        try:
            await asyncio.Event().wait()
        except BaseException:
            continue


async def spins_and_ignores() -> None:
    """Never end, never let the loop have its turn, and take nothing."""
    catches_everything()


def prints() -> None:
    """Never end, aloud."""
    while True:
        sys.stdout.write("x" * 1_000)


async def waits() -> None:
    """Never end, politely."""
    await asyncio.Event().wait()


async def spins() -> None:
    """Never end, and never let the loop have its turn."""
    loops()


def answers(before: Iterable[threading.Thread] = ()) -> list[threading.Thread]:
    """Return the threads of calls that still run, but for those that ran before."""
    known = set(before)
    return [one for one in threading.enumerate() if one.name == "answer" and one not in known]


ENDLESS: Final = [
    loops,
    catches_everything,
    tries_all_the_time,
    tries_in_many_frames,
    recurses,
    never_lets_go,
    prints,
    waits,
    spins,
    ignores_its_end,
    spins_and_ignores,
]


@pytest.mark.parametrize("work", ENDLESS, ids=lambda work: work.__name__)
def test_an_endless_call_is_stopped_and_its_thread_ends(work: Callable[[], Any]) -> None:
    """Ours: a kernel must not be lost to an exercise."""
    before = answers()
    ran = bounded(work, SHORT_S)
    assert (ran.late, ran.stuck, ran.value) == (True, False, None)
    assert eventually(lambda: answers(before) == [])


def test_a_call_that_waits_for_ever_is_left_behind_and_said_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ours: what waits inside C cannot be stopped; it stays silent when it goes on."""
    gate = threading.Event()

    def blocked() -> None:
        gate.wait()
        sys.stdout.write("I am back")

    before = answers()
    ran = bounded(blocked, SHORT_S)
    assert (ran.late, ran.stuck) == (True, True)
    (left,) = answers(before)
    gate.set()
    assert eventually(lambda: not left.is_alive())
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt(), Stopped()])
def test_what_a_call_raises_is_a_value(error: BaseException) -> None:
    """Ours: nothing gets out of a call but by its result."""

    def fails() -> None:
        raise error

    async def later() -> None:
        raise error

    assert bounded(fails, 10).error is error
    if not isinstance(error, SystemExit | KeyboardInterrupt):
        assert bounded(later, 10).error is error


def test_values_come_back_from_functions_and_coroutines() -> None:
    """Ours: both styles."""

    async def seven() -> int:
        return 7

    assert bounded(lambda: 6, 10).value == 6
    assert bounded(seven, 10).value == 7


def test_what_is_printed_is_kept_up_to_a_bound() -> None:
    """Ours: a print helps to find a mistake; a million of them help nobody."""

    def talks() -> None:
        sys.stderr.write("hello\n")
        sys.stdout.writelines(["y" * 5_000, "z" * 5_000])

    ran: Ran = bounded(talks, 10)
    assert ran.printed.startswith("hello\nyyy")
    assert len(ran.printed) == 2_000


def test_others_print_meanwhile(capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: only the call's own thread is silenced."""
    said = threading.Event()

    def other() -> None:
        sys.stdout.write("from somebody else")
        said.set()

    def work() -> None:
        threading.Thread(target=other).start()
        said.wait(5)
        sys.stdout.write("from the call")

    assert bounded(work, 10).printed == "from the call"
    assert capsys.readouterr().out == "from somebody else"


def test_nobody_is_at_the_keyboard() -> None:
    """Ours: a notebook would wait for a person."""
    ran = bounded(lambda: input("name? "), 10)
    assert isinstance(ran.error, EOFError)


def test_streams_and_keyboard_are_as_before() -> None:
    """Ours: a check leaves no trace in the process."""
    before = (sys.stdout, sys.stderr, input)
    bounded(lambda: None, 10)
    assert (sys.stdout, sys.stderr, input) == before


def test_an_interrupt_of_the_caller_stops_the_call() -> None:
    """Ours: the stop button of a notebook ends the check and what it runs."""
    started = threading.Event()

    def works() -> None:
        started.set()
        loops()

    def presses() -> None:
        started.wait(5)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    before = answers()
    threading.Thread(target=presses).start()
    with pytest.raises(KeyboardInterrupt):
        bounded(works, 30)
    assert eventually(lambda: answers(before) == [])
