"""One target, many inputs, each reading held to its bounds.

Takes:  a `Target`, how many inputs, a seed
Gives:  `Figures`: what it took, and each input that was not read as documented
Never:  judges by the wall clock: the bound on time counts the processor's seconds, so a busy
        machine cannot fail a reader

A reader may answer, or raise what it documents. Everything else is a finding: another
exception, more processor time than `MOST_S`, more memory than `MOST_BYTES`. Memory is seen as
the process's high-water mark, so the runs belong into a process that has held little before.
"""

import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from msgspec import Struct

from fuzzing.mangling import mangled

MOST_S: Final = 5.0
"""Processor seconds one input may take; the usual one takes some ten thousandths."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""Memory one input may take; none is longer than 64 KiB."""
MOST_FINDINGS: Final = 5
"""After so many the run of a target ends: they are mostly one fault again and again."""


class Target(Struct, frozen=True):
    """Something that reads bytes."""

    name: str
    read: Callable[[bytes], object]
    samples: tuple[bytes, ...]
    """What it reads without complaint."""
    documented: tuple[type[Exception], ...] = ()
    """What it may raise."""


class Finding(Struct, frozen=True):
    """An input that was not read as documented."""

    number: int
    """Of the input; with the seed it makes the same input again."""
    what: str
    data: bytes

    def line(self) -> str:
        """Return the finding as one line, with the start of the input."""
        return f"input {self.number}: {self.what}: {self.data[:200]!r} ({len(self.data)} bytes)"


class Figures(Struct, frozen=True):
    """What a run of one target took."""

    target: str
    inputs: int
    refused: int
    """Inputs that ended in a documented exception."""
    seconds: float
    """Processor seconds, all told."""
    most_bytes: int
    """By how much one input raised the most memory the process ever held."""
    grown_bytes: int
    """By how much all of them did."""
    findings: tuple[Finding, ...] = ()

    def line(self) -> str:
        """Return the figures as one line."""
        return (
            f"{self.target:<18} {self.inputs:>9,} inputs {self.refused:>9,} refused "
            f"{self.seconds:>8.1f} s {self.most_bytes / 2**20:>6.1f} MiB at most "
            f"{self.grown_bytes / 2**20:>6.1f} MiB in all {len(self.findings):>3} findings"
        )


class _TookTooLong(BaseException):
    """Not an `Exception`: no reader may swallow it."""


def nth_input(target: Target, seed: int, number: int) -> bytes:
    """Return one input; the samples themselves come first, unspoilt."""
    if number < len(target.samples):
        return target.samples[number]
    return mangled(target.samples, random.Random(f"{seed}/{target.name}/{number}"))


def run(
    target: Target,
    inputs: int,
    seed: int = 0,
    *,
    most_s: float = MOST_S,
    most_bytes: int = MOST_BYTES,
) -> Figures:
    """Give a target so many inputs. Only in the main thread: the bound on time is a signal."""
    for sample in target.samples:
        read_once(target, sample, most_s * 10)  # what is imported on first use is nobody's memory
    findings: list[Finding] = []
    done = refused = most = 0
    begun_at = before = high_water_bytes()
    seconds = 0.0
    while done < inputs and len(findings) < MOST_FINDINGS:
        # Made before anything is measured: to spoil a sample takes longer than to read it.
        numbers = range(done, min(inputs, done + _AT_ONCE))
        batch = [nth_input(target, seed, number) for number in numbers]
        begun = time.process_time()
        for number, data in zip(numbers, batch, strict=True):
            what = read_once(target, data, most_s)
            now = high_water_bytes()
            before, taken = now, now - before
            most = max(most, taken)
            if what is REFUSED:
                refused, what = refused + 1, ""
            if not what and taken > most_bytes:
                what = f"took {taken:,} bytes of memory"
            if what:
                findings.append(Finding(number, what, data))
            done = number + 1
            if len(findings) >= MOST_FINDINGS:
                break
        seconds += time.process_time() - begun
    grown = high_water_bytes() - begun_at
    return Figures(target.name, done, refused, seconds, most, grown, tuple(findings))


def high_water_bytes() -> int:
    """Return the most memory this process ever held."""
    try:
        # What the system call says may be inherited from the process that started this one.
        with open("/proc/self/status", "rb", buffering=0) as stream:
            return int(stream.read().split(b"VmHWM:")[1].split(None, 1)[0]) * 1024
    except (OSError, IndexError, ValueError):
        kept = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return kept if sys.platform == "darwin" else kept * 1024


REFUSED: Final = "refused as documented"
_AT_ONCE: Final = 500
"""Inputs made ahead: few enough to be no burden themselves."""


def read_once(target: Target, data: bytes, most_s: float = MOST_S) -> str:
    """Read one input; return "", `REFUSED`, or what was wrong. Only in the main thread."""
    try:
        with _bounded(most_s):
            target.read(data)
    except target.documented:
        return REFUSED
    except _TookTooLong:
        return f"took more than {most_s} processor seconds"
    except Exception as problem:
        return f"raised {type(problem).__name__}: {str(problem)[:200]}"
    return ""


@contextmanager
def _bounded(most_s: float) -> Iterator[None]:
    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise _TookTooLong

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, most_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
