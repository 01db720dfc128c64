"""The lessons as files: where they came with the program, and a copy to work in.

Takes:  the folder they were shipped in, and the folder to work in
Gives:  the working folder filled up, and what was done with each file
Never:  overwrites or removes what somebody has changed, and never follows a link out of the
        working folder

A file is renewed only if it is still the one that was laid out before, byte for byte: its
digest stands in `.mcp-lessons.json` beside the copies.

Source: design section 10; ours: a newer release must not cost a student an evening's work.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from workbench.core.errors import ConfigError, Failure, Kind

FIRST: Final = "00_start_here.ipynb"
"""The lesson to begin with."""
RECORD: Final = ".mcp-lessons.json"
_SHIPPED: Final = (".ipynb", ".json", ".png", ".svg", ".jsonl")


class LaidOut(Struct, frozen=True, kw_only=True):
    """What was done with each file; paths are relative to the working folder, sorted."""

    new: tuple[str, ...] = ()
    """Were not there."""
    renewed: tuple[str, ...] = ()
    """Were as an older release had laid them out."""
    kept: tuple[str, ...] = ()
    """Were changed by somebody, so they are not as this release has them."""

    def to_text(self) -> str:
        """Return one line for a terminal; "" when nothing was done."""
        parts = [
            f"{len(files)} {word}"
            for files, word in (
                (self.new, "new"),
                (self.renewed, "renewed"),
                (self.kept, "kept as you changed them"),
            )
            if files
        ]
        return f"lessons: {', '.join(parts)}" if parts else ""


def shipped() -> Path:
    """Return the folder the lessons came in.

    Raises:
        ConfigError: if there is none, so something is wrong with the installation.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "notebooks", package.parent / "notebooks"):
        if (folder / FIRST).is_file():
            return folder
    raise _unusable(f"no lessons in {package}", "Install the program again.")


def in_checkout() -> bool:
    """Say whether the lessons are the ones of a checkout: whoever has that works in it."""
    return shipped().parent.joinpath("pyproject.toml").is_file()


def lay_out(source: Path, target: Path) -> LaidOut:
    """Copy the lessons into a folder to work in; what is there and changed is left alone.

    Args:
        source: as `shipped` returns it.
        target: is made when it does not exist.

    Raises:
        ConfigError: if the folder cannot be written, is a file, or a link leads out of it.
    """
    try:
        target.mkdir(parents=True, exist_ok=True)
        known = _recorded(target)
        done: dict[str, list[str]] = {"new": [], "renewed": [], "kept": []}
        for name in _names(source):
            word = _lay(source / name, target, name, known)
            if word:
                done[word].append(name)
        _write(target / RECORD, json.dumps(known, indent=1, sort_keys=True).encode() + b"\n")
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise _unusable(
            f"the lessons cannot be laid out in {target}: {reason}",
            "Name another folder with --folder.",
        ) from problem
    return LaidOut(**{word: tuple(files) for word, files in done.items()})


def _names(source: Path) -> list[str]:
    found = (path for path in source.rglob("*") if path.suffix in _SHIPPED and path.is_file())
    names = (path.relative_to(source).as_posix() for path in found)
    return sorted(name for name in names if not any(p.startswith(".") for p in name.split("/")))


def _lay(origin: Path, target: Path, name: str, known: dict[str, str]) -> str | None:
    place = target / name
    if not place.resolve().is_relative_to(target.resolve()):
        raise _unusable(
            f"{name} in {target} leads out of that folder",
            "Remove the link, or use another folder.",
        )
    content = origin.read_bytes()
    wanted = _digest(content)
    if not place.exists():
        _write(place, content)
        known[name] = wanted
        return "new"
    present = _digest(place.read_bytes())
    if present == wanted:
        known[name] = wanted
        return None
    if present != known.get(name):
        return "kept"
    _write(place, content)
    known[name] = wanted
    return "renewed"


def _recorded(target: Path) -> dict[str, str]:
    """Return the digests of what was laid out before; nothing where that is not readable.

    A lost record costs only renewals: every file then counts as changed by somebody.
    """
    try:
        read: Any = json.loads((target / RECORD).read_bytes())
    except (OSError, ValueError):
        return {}
    items = read.items() if isinstance(read, dict) else ()
    return {name: digest for name, digest in items if isinstance(digest, str)}


def _write(place: Path, content: bytes) -> None:
    # Whole or not at all: a full disk must not leave half a notebook in place of a good one.
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.part")
    part.write_bytes(content)
    os.replace(part, place)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _unusable(detail: str, hint: str) -> ConfigError:
    return ConfigError(Failure(kind=Kind.CONFIG, stage="lab", detail=detail, hint=hint))
