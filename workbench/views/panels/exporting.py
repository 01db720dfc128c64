"""A file that is written once: nothing that is there is overwritten.

Takes:  a path and a text
Gives:  the file, readable by its owner alone
Never:  replaces a file: an instructor's notes are not ours to lose
"""

import os
from pathlib import Path

from workbench.core.errors import Failure, Kind, MisuseError
from workbench.core.text.visible import visible


def write_new(path: Path, text: str) -> Path:
    """Write a file that is not there yet.

    Args:
        path: where to.
        text: all of it.

    Raises:
        MisuseError: if the file is there already, or cannot be written.
    """
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise _refused(f"{visible(str(path))} is there already.", "Choose another name.") from None
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        detail = f"{visible(str(path))} cannot be written: {why}."
        raise _refused(detail, "Choose a name in a folder that is there.") from None
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        opened.write(text)
    return path


def _refused(detail: str, hint: str) -> MisuseError:
    return MisuseError(Failure(kind=Kind.MISUSE, stage="show", detail=detail, hint=hint))
