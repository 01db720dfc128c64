"""Write `rulebook.md` from the rules themselves; `--check` only says whether it is up to date.

Run it from anywhere: `python docs/write_rulebook.py [--check]`.
"""

import sys
from pathlib import Path
from typing import Final

from workbench.rules import rulebook

PAGE: Final = Path(__file__).with_name("rulebook.md")

_HEAD: Final = """\
# Rulebook

Every rule the harness applies. Reports, traces and refusals quote the ids. A fake named in a
row provokes its rule; `python -m fakes --list` says what each of them does.

A source is a section of the protocol's specification (`spec`), the course that this client is
built after (`seed`: its lesson, card and skill), what users of other clients have run into
(`field case`, `fault matrix`), or our own decision (`design`, `ours`). Where the course is
stricter than the specification, the course holds: see [where we are stricter](stricter_policy.md).

This page is written by `python docs/write_rulebook.py`; the sentences stand in
`workbench/core/rulebook/*_rules.py`.

"""


def page() -> str:
    """Return the page as it has to be now."""
    return _HEAD + rulebook().to_markdown()


def main(arguments: list[str]) -> int:
    """Write the page, or compare it; return the exit status, 1 for an outdated page."""
    if "--check" in arguments:
        return 0 if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
