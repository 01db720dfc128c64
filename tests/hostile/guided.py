"""The same readers under a fuzzer that watches which lines it reaches (`make fuzz-guided`).

    python tests/hostile/guided.py [--seconds 60] [--only NAME ...]

Chance alone seldom finds the second check behind the first; this search keeps every input that
reached something new. It needs `atheris`, which exists for some interpreters only, and is
therefore no part of the tests. Each target is a process of its own: a crash ends the search, and
its input is printed and kept in `build/fuzz`; make a test of it.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]
CRASHES = ROOT / "build" / "fuzz"


def names() -> list[str]:
    """Return the names of all targets."""
    from fuzzing.targets import TARGETS

    return [target.name for target in TARGETS]


def search(name: str, options: list[str]) -> None:
    """Search with one target until its time is up; never returns."""
    import atheris

    with atheris.instrument_imports(include=["workbench"]):
        from fuzzing.targets import TARGETS
    target = next(one for one in TARGETS if one.name == name)

    def read(data: bytes) -> None:
        try:
            target.read(bytes(data))
        except target.documented:
            return

    with tempfile.TemporaryDirectory() as folder:
        for number, sample in enumerate(target.samples):
            (Path(folder) / str(number)).write_bytes(sample)
        atheris.Setup([sys.argv[0], *options, folder], read)
        atheris.Fuzz()


def main() -> int:
    """Search with each target, and return 1 if something was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="targets, by name")
    parser.add_argument("--one", metavar="NAME", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    CRASHES.mkdir(parents=True, exist_ok=True)
    options = ["-max_len=8192", "-timeout=10", "-rss_limit_mb=1024"]
    options += [f"-max_total_time={chosen.seconds}", f"-artifact_prefix={CRASHES}/"]
    if chosen.one:
        search(chosen.one, options)
    found = []
    for name in chosen.only or names():
        command = [sys.executable, __file__, "--seconds", str(chosen.seconds), "--one", name]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
        told = [line for line in done.stderr.splitlines() if line.startswith("Done ")]
        sys.stdout.write(f"{name:<18} {told[-1] if told else 'found something:'}\n")
        sys.stdout.flush()
        if done.returncode:
            found.append(name)
            sys.stdout.write(done.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
