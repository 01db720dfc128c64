"""May this kernel's event loop be patched, and with what? An explicit choice, made safe.

Takes:  the versions around, and who patched the loop already
Gives:  `allow_nested_loops`, and the pure `choose_patch` it rests on
Never:  patches where queued cells or widget clicks would be lost

Source: design section 4; field cases J03, J04.
"""

import asyncio
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from msgspec import Struct

from workbench.core.errors import Failure, Kind, MisuseError

_FIRST_SAFE: Final = (1, 7, 3)
"""The first nest-asyncio2 that sets aside what it may not run inside a running cell."""
_KNOWS_LOOP_FACTORY: Final = (3, 12)
"""From here on `asyncio.run` takes `loop_factory`, which nest-asyncio's does not."""
_CLEAN_START: Final = (
    "Restart the kernel and call allow_nested_loops() before anything else patches the loop."
)
_INSTALL: Final = "Install nest-asyncio2>=1.7.3 and restart the kernel."


class Surroundings(Struct, frozen=True, kw_only=True):
    """What decides whether, and with which package, a loop may be patched."""

    kernel: tuple[int, ...] | None
    """Version of the ipykernel this code runs in; None outside a kernel."""
    python: tuple[int, ...]
    original: tuple[int, ...] | None
    """Version of nest-asyncio; None when it is not installed."""
    fork: tuple[int, ...] | None
    """Version of nest-asyncio2; None when it is not installed."""
    patched_by: str | None = None
    """The module that has patched asyncio already."""
    loop: str | None = None
    """Type of the running loop, when it is one that neither package can patch."""


class Choice(Struct, frozen=True):
    """What to do: apply a module, do nothing, or refuse; and why."""

    module: str | None
    why: str
    refused: bool = False
    hint: str = ""


def allow_nested_loops() -> None:
    """Let cells call `asyncio.run` inside the kernel's running loop, where that is safe.

    Patches the kernel's event loop for good, so it is a choice for the course that needs
    it. The workbench does not: its synchronous client has a loop of its own, and a cell
    may `await` the asynchronous one. Prints what was applied, and why that.

    Raises:
        MisuseError: if patching could lose queued cells or widget clicks; nothing is
            patched then.
    """
    choice = choose_patch(_surroundings())
    if choice.refused:
        raise MisuseError(
            Failure(
                kind=Kind.MISUSE,
                stage="notebook",
                detail=choice.why,
                hint=f"{choice.hint} A cell can do without: await works as it is.".lstrip(),
            )
        )
    if choice.module is not None:
        import_module(choice.module).apply()
    print(choice.why)  # noqa: T201 - a cell's output is what this is for


def choose_patch(here: Surroundings) -> Choice:
    """Decide what `allow_nested_loops` does; a pure function of the surroundings."""
    if here.kernel is None:
        return Choice(
            None, "Nothing patched: outside a notebook kernel asyncio.run works as it is."
        )
    if here.loop is not None:
        return _refuse(f"a loop of type {here.loop} cannot be patched", "")
    if here.patched_by is not None:
        return _already(here, here.kernel, here.patched_by)
    why_not = _unsafe_original(here, here.kernel)
    if why_not is None:
        return Choice(
            "nest_asyncio",
            f"nest-asyncio {_dotted(here.original)} applied: it is safe with ipykernel "
            f"{_dotted(here.kernel)} and Python {_dotted(here.python[:2])}.",
        )
    if here.fork is None or here.fork < _FIRST_SAFE:
        has = f"{_dotted(here.fork)} is installed" if here.fork else "it is not installed"
        return _refuse(
            f"{why_not}; nest-asyncio2 >= {_dotted(_FIRST_SAFE)} is needed, and {has}", _INSTALL
        )
    return Choice(
        "nest_asyncio2", f"nest-asyncio2 {_dotted(here.fork)} applied, because {why_not}."
    )


def _already(here: Surroundings, kernel: tuple[int, ...], patched_by: str) -> Choice:
    if patched_by == "nest_asyncio2":
        if kernel >= (7,) and (here.fork is None or here.fork < _FIRST_SAFE):
            return _refuse(
                f"nest-asyncio2 {_dotted(here.fork)} has patched this kernel, and before "
                f"{_dotted(_FIRST_SAFE)} it loses queued cells under ipykernel {_dotted(kernel)}",
                _INSTALL,
            )
    elif (found := _unsafe_original(here, kernel)) is not None:
        return _refuse(f"{patched_by} has patched this kernel, and {found}", _CLEAN_START)
    return Choice(None, f"Nothing to do: {patched_by} has patched this kernel, which is safe here.")


def _unsafe_original(here: Surroundings, kernel: tuple[int, ...]) -> str | None:
    if kernel >= (7,):
        return (
            f"nest-asyncio loses queued cells and widget clicks under ipykernel {_dotted(kernel)}"
        )
    if here.python >= _KNOWS_LOOP_FACTORY:
        return (
            "nest-asyncio replaces asyncio.run by one that Python "
            f"{_dotted(here.python[:2])} cannot use everywhere"
        )
    if here.original is None and here.patched_by is None:
        return "nest-asyncio is not installed"
    return None


def _refuse(why: str, hint: str) -> Choice:
    return Choice(None, why, refused=True, hint=hint)


def _surroundings() -> Surroundings:
    return Surroundings(
        kernel=_kernel_version(),
        python=tuple(sys.version_info[:3]),
        original=_installed("nest-asyncio"),
        fork=_installed("nest-asyncio2"),
        patched_by=_patched_by(),
        loop=_foreign_loop(),
    )


def running_shell() -> Any:
    """Return the IPython shell this code runs in, or None; never imports IPython."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _kernel_version() -> tuple[int, ...] | None:
    if getattr(running_shell(), "kernel", None) is None:
        return None
    # A kernel that is no ipykernel is treated like the newest: what is safe there is safe.
    return _installed("ipykernel") or (7,)


def _patched_by() -> str | None:
    if not hasattr(asyncio, "_nest_patched"):
        return None
    return "nest_asyncio2" if hasattr(asyncio, "_nest_asyncio2") else "nest_asyncio"


def _foreign_loop() -> str | None:
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return None if isinstance(loop, asyncio.BaseEventLoop) else type(loop).__module__


def _installed(package: str) -> tuple[int, ...] | None:
    try:
        text = version(package)
    except PackageNotFoundError:
        return None
    numbers = [part for part in text.split(".")[:3] if part.isdecimal()]
    return tuple(map(int, numbers)) or None


def _dotted(numbers: tuple[int, ...] | None) -> str:
    return ".".join(map(str, numbers or ()))
