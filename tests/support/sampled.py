"""The samples of a page: its code blocks, and what the page says about running them.

Blocks run in their order, in one folder and one namespace a page. Comments that no reader
sees say the rest:

    <!-- sample: file NAME        the lines up to the end are a file of that name
    <!-- sample: setup            the lines up to the end are Python, run at this place
    <!-- sample: alone -->        the next block gets an interpreter of its own
    <!-- sample: pytest -->       the next block is tests, played by pytest with their page's
    <!-- sample: not run: WHY --> the next block cannot run
"""

import ast
import doctest
import io
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple

from console import LONGEST_S, at_home, environment, play, shell

from workbench.core.config.jsonc import read_jsonc

_PIECE: Final = re.compile(
    r"^<!-- sample: (?P<word>file|setup|alone|pytest|not run)(?P<rest>(?:(?!-->)[^\n])*)\n?"
    r"(?P<body>.*?)-->$"
    r"|^In `(?P<file>[\w.]+)`:\n\n```\w*\n(?P<content>.*?)^```$"
    r"|^```(?P<language>[\w{}-]*)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_SPEAKS_TO_A_SHELL: Final = re.compile(
    r"^(?:\$ |mcp-workbench |make |pip |python |sudo )", re.MULTILINE
)
_KNOWN: Final = frozenset({"python", "pycon", "console", "sh", "json", "toml", "text", ""})
_DIRECTIVE: Final = re.compile(r"\{[\w-]+\}")
ROOT: Final = Path(__file__).resolve().parents[2]


class Sample(NamedTuple):
    """One block, or one hidden remark."""

    kind: str
    """The language of a block; or "file", "setup", "alone", "pytest", "not run"."""
    text: str
    name: str = ""
    """The name of a file, or why a block does not run."""


def samples(page: str) -> Iterator[Sample]:
    """Yield the samples of a page, in order; Sphinx's own directives are none."""
    for found in _PIECE.finditer(page):
        if found["word"]:
            said = (found["rest"] + found["body"]).strip().removeprefix(":")
            if found["word"] in ("file", "setup"):
                yield Sample(found["word"], found["body"], found["rest"].strip())
            else:
                yield Sample(found["word"], "", " ".join(said.split()))
        elif found["file"]:
            yield Sample("file", found["content"], found["file"])
        elif not _DIRECTIVE.fullmatch(found["language"]):
            yield Sample(found["language"], found["code"])


class Played(NamedTuple):
    """What became of the samples of a page."""

    wrong: list[str]
    ran: list[str]
    """The kinds of what was run or read, in order."""
    not_run: list[str]
    """Why, for each that was not."""


def played(page: str, folder: Path) -> Played:
    """Run every sample of a page in an empty folder."""
    run = _Run(folder)
    told = ""
    for sample in samples(page):
        if sample.kind in ("alone", "pytest", "not run"):
            told = sample.kind
            if told == "not run":
                run.not_run.append(sample.name)
                run.wrong += [] if len(sample.name.split()) > 3 else ["no reason: not run"]
            continue
        if told != "not run":
            run.take(sample, told)
        told = ""
    run.end()
    return Played(run.wrong, run.ran, run.not_run)


class _Run:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Pages for contributors speak from the root of the repository.
        (folder / "docs").symlink_to(ROOT / "docs")
        self.wrong: list[str] = []
        self.ran: list[str] = []
        self.not_run: list[str] = []
        self._names: dict[str, Any] = {"__name__": "sample"}
        self._tests: list[str] = []

    def take(self, sample: Sample, told: str) -> None:
        self.ran.append(sample.kind)
        if sample.kind == "file":
            self._file(sample)
        elif sample.kind not in _KNOWN and sample.kind != "setup":
            self.wrong.append(f"nobody here can run {sample.kind!r}")
        elif told == "pytest":
            self._tests.append(sample.text)
        elif told == "alone":
            self._alone(sample.text)
        elif sample.kind in ("python", "setup"):
            self._python(sample.text)
        elif sample.kind == "pycon":
            self._pycon(sample.text)
        elif sample.kind == "console":
            self.wrong += play(sample.text, self.folder)
        elif sample.kind == "sh":
            self._sh(sample.text)
        else:
            self.wrong += unread(sample)

    def end(self) -> None:
        if self._tests:
            self._pytest("\n\n".join(self._tests))
        for value in list(self._names.values()):
            if hasattr(value, "close") and type(value).__name__ == "MultiServerClient":
                value.close()

    def _file(self, sample: Sample) -> None:
        if sample.name.endswith(".json"):
            self.wrong += unread(Sample("json", sample.text))
        elif sample.name.endswith(".py"):
            self.wrong += unread(Sample("python", sample.text))
        (self.folder / sample.name).write_text(sample.text, encoding="utf-8")

    def _python(self, text: str) -> None:
        try:
            with at_home(self.folder), redirect_stdout(io.StringIO()):
                exec(compile(text, "a sample", "exec"), self._names)  # the page's own code
        except Exception as problem:
            self.wrong.append(f"{text.strip()}\n{type(problem).__name__}: {problem}")

    def _pycon(self, text: str) -> None:
        told = io.StringIO()
        test = doctest.DocTestParser().get_doctest(text, {}, "sample", None, None)
        test.globs = self._names
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
        with at_home(self.folder):
            failed = runner.run(test, out=told.write, clear_globs=False).failed
        if failed:
            self.wrong.append(told.getvalue())

    def _sh(self, text: str) -> None:
        for line in filter(None, text.splitlines()):
            command = line.partition(" #")[0].strip()
            if command.startswith("make "):
                self.wrong += unmade(command)
            else:
                status, lines = shell(command, self.folder)
                self.wrong += [f"{command}: exit status {status}", *lines] if status else []

    def _alone(self, text: str) -> None:
        self._spawned(["-c", text])

    def _pytest(self, text: str) -> None:
        (self.folder / "test_page.py").write_text(text, encoding="utf-8")
        options = "-q --color=no -p no:cacheprovider -p workbench.pytest_plugin"
        self._spawned(["-m", "pytest", *options.split(), "--rootdir", ".", "test_page.py"])

    def _spawned(self, arguments: list[str]) -> None:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**environment(self.folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=LONGEST_S,
        )
        self.wrong += [done.stdout] if done.returncode else []


def unread(sample: Sample) -> list[str]:
    """Return what is wrong with a block that is not run: JSON, TOML, text."""
    try:
        if sample.kind == "json":
            read_jsonc(sample.text, "a sample")
        elif sample.kind == "python":
            ast.parse(sample.text)
        elif sample.kind == "toml":
            tomllib.loads(sample.text)
        elif _SPEAKS_TO_A_SHELL.search(sample.text):
            return [f"commands in a block of text; say console or sh:\n{sample.text}"]
    except Exception as problem:
        return [f"{sample.text.strip()}\n{type(problem).__name__}: {problem}"]
    return []


def unmade(command: str) -> list[str]:
    """Return the targets of a `make` command that the Makefile does not have."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [word for word in command.split()[1:] if "=" not in word]
    return [
        f"{command}: there is no target {one}"
        for one in targets
        if not re.search(rf"^{re.escape(one)}:", makefile, re.MULTILINE)
    ]
