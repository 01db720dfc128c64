"""Every reader of foreign bytes, and a hundred thousand inputs for each of them.

    python tests/hostile/fuzz.py [--inputs 100000] [--seed 0] [--only NAME ...]

Prints what each took: inputs, processor seconds, and the most memory one input took. Exit
status 1 when an input was not read as documented; the number of the input and the seed make the
same input again: `--show NAME:NUMBER` prints it.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from fuzzing.running import Figures, nth_input, run
from fuzzing.targets import TARGETS


def main(arguments: list[str] | None = None) -> int:
    """Run the targets and print their figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="targets, by name")
    parser.add_argument("--show", metavar="NAME:NUMBER", help="print one input and end")
    chosen = parser.parse_args(arguments)
    by_name = {target.name: target for target in TARGETS}
    if chosen.show:
        name, _, number = chosen.show.rpartition(":")
        sys.stdout.buffer.write(nth_input(by_name[name], chosen.seed, int(number)))
        return 0
    done: list[Figures] = []
    for name in chosen.only or by_name:
        done.append(run(by_name[name], chosen.inputs, chosen.seed))
        told = [done[-1].line(), *(f"  {finding.line()}" for finding in done[-1].findings)]
        sys.stdout.write("\n".join(told) + "\n")
        sys.stdout.flush()
    return 1 if any(one.findings for one in done) else 0


if __name__ == "__main__":
    sys.exit(main())
