"""A laboratory whose foreign clients live where the interop tests keep theirs."""

from pathlib import Path
from typing import Final

from workbench.comparison.laboratory import LIMIT_S, Laboratory
from workbench.comparison.running import Runner

ENVIRONMENTS: Final = Path(__file__).resolve().parents[2] / "build" / "interop"


def laboratory(limit_s: float = LIMIT_S) -> Laboratory:
    """Return one that runs two programs at a time."""
    return Laboratory(ENVIRONMENTS, Runner(workers=2), limit_s)
