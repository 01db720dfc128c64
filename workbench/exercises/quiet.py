"""What a call prints, kept apart from everything else the process prints.

Takes:  the threads of the call that runs
Gives:  the start of what they printed; nothing for whoever else prints meanwhile
Never:  holds more than a bounded amount, and never lets a call wait for the keyboard
"""

import builtins
import sys
import threading
from types import TracebackType
from typing import Any, Final, Self

MOST_CHARACTERS: Final = 2_000
_KEPT: Final[list[Any]] = []
"""Sieves that a call which nothing could stop may still be printing into. `print` holds no
reference of its own to `sys.stdout`, so a sieve it is in must not vanish."""


class Quiet:
    """While it lasts, what its threads print is caught: `with Quiet() as caught:`.

    `release` ends it; a call that nothing could stop stays caught for good, so that it
    cannot fill a notebook from behind.
    """

    def __init__(self) -> None:
        self._threads: set[int] = set()
        self._parts: list[str] = []
        self._size = 0
        self._before: tuple[Any, Any, Any] | None = None
        self._stays = False

    def __enter__(self) -> Self:
        """Put a sieve in front of stdout, stderr and the keyboard."""
        self._before = (sys.stdout, sys.stderr, builtins.input)
        sieves = (_Sieve(sys.stdout, self), _Sieve(sys.stderr, self))
        if _KEPT:
            _KEPT.extend(sieves)
        sys.stdout, sys.stderr = sieves
        builtins.input = self._input
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the sieve away, unless somebody has to stay caught."""
        if self._before is not None and not self._stays:
            sys.stdout, sys.stderr, builtins.input = self._before

    def catch_me(self) -> None:
        """Catch what the calling thread prints."""
        self._threads.add(threading.get_ident())

    def stay(self) -> None:
        """Stay for good: a thread that was to be caught is still running."""
        self._stays = True
        _KEPT.extend((sys.stdout, sys.stderr))

    @property
    def text(self) -> str:
        """The start of what was printed."""
        return "".join(self._parts)

    def concerns_me(self) -> bool:
        """Tell whether the calling thread is one of those that are caught."""
        return threading.get_ident() in self._threads

    def keep(self, text: str) -> None:
        """Keep a piece of what was printed, as long as there is room."""
        room = MOST_CHARACTERS - self._size
        if room > 0:
            self._parts.append(text[:room])
            self._size += len(text[:room])

    def park_me(self) -> None:
        """Let the calling thread wait for ever if it could not be stopped: no busy loop."""
        if self._stays:
            threading.Event().wait()

    def _input(self, prompt: object = "", /) -> str:
        if self._before is None or not self.concerns_me():
            return str(self._before[2](prompt)) if self._before else ""
        raise EOFError("nobody is at the keyboard")


class _Sieve:
    """A stream that keeps what caught threads write and passes on the rest."""

    def __init__(self, stream: Any, quiet: Quiet) -> None:
        self._stream, self._quiet = stream, quiet

    def write(self, text: str) -> int:
        if not self._quiet.concerns_me():
            written: int = self._stream.write(text)
            return written
        self._quiet.keep(str(text))
        self._quiet.park_me()
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if not self._quiet.concerns_me():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
