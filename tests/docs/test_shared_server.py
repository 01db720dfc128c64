"""The files for a shared server, for Binder and for a development container are true.

A hub is started with the configuration in `tests/hub/`; here every name in it is looked up.
"""

import json
import os
import re
import shlex
import subprocess
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from jupyter_server.serverapp import ServerApp
from jupyterhub.app import JupyterHub
from jupyterhub.auth import PAMAuthenticator
from jupyterhub.authenticators.shared import SharedPasswordAuthenticator
from jupyterhub.roles import get_default_roles
from jupyterhub.scopes import scope_definitions
from jupyterhub.spawner import SimpleLocalProcessSpawner
from jupyterlab.labapp import LabApp
from packaging.specifiers import SpecifierSet
from systemdspawner import SystemdSpawner
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from workbench.lessons import FIRST

ROOT: Final = Path(__file__).resolve().parents[2]
SERVER: Final = ROOT / "docs" / "shared_server"
PAGE: Final = ROOT / "docs" / "shared_server.md"
PROJECT: Final[dict[str, Any]] = tomllib.loads(
    (ROOT / "pyproject.toml").read_text(encoding="utf-8")
)["project"]
CONTAINER: Final = json.loads(
    (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
)
OF_THE_HUB: Final = (JupyterHub, PAMAuthenticator, SharedPasswordAuthenticator,
    SystemdSpawner, SimpleLocalProcessSpawner)  # fmt: skip
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of traitlets, in its own words
    from jupyter_lsp import LanguageServerManager
OF_A_SERVER: Final = (*ServerApp.classes, LanguageServerManager)
TRIAL: Final = re.compile(r"^```python\n# try_it.py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def loaded(path: Path) -> Config:
    """Return a configuration as JupyterHub reads it."""
    return PyFileConfigLoader(path.name, path=str(path.parent)).load_config()


def strangers(config: Config) -> list[str]:
    """Return the settings that no class has: JupyterHub ignores them with a warning."""
    known = {one.__name__: one for one in all_classes()}
    return [
        f"{name}.{trait}"
        for name, settings in config.items()
        for trait in settings
        if name not in known or trait not in known[name].class_trait_names(config=True)
    ]


def strange_options(options: list[str]) -> list[str]:
    """Return the options of a user's server that no class of it has."""
    named = [re.fullmatch(r"--(\w+)\.(\w+)=.*", option) for option in options]
    wrong = [option for option, found in zip(options, named, strict=True) if found is None]
    config = Config()
    for found in filter(None, named):
        config[found[1]][found[2]] = ""
    return wrong + strangers(config)


def all_classes() -> Iterator[Any]:
    """Yield the classes whose settings a hub or a user's server reads, and their parents."""
    for one in (*OF_THE_HUB, *OF_A_SERVER):
        yield from (parent for parent in one.mro() if hasattr(parent, "class_trait_names"))


def make_targets() -> set[str]:
    """Return what `make` can be asked for."""
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


# -- the configuration -------------------------------------------------------------------


def test_every_setting_of_the_configuration_exists() -> None:
    """Ours: a name that is misspelt is a limit that does not hold."""
    config = loaded(SERVER / "jupyterhub_config.py")
    assert strangers(config) == []
    assert strange_options(config.Spawner.args) == []
    assert config.JupyterHub.spawner_class == "systemd"
    scopes = {scope for role in config.JupyterHub.load_roles for scope in role["scopes"]}
    assert scopes - set(scope_definitions) == set()
    assert "idle-culler" not in {role["name"] for role in get_default_roles()}


def test_a_setting_that_no_class_has_is_found() -> None:
    """Ours: a check must be able to fail."""
    config = Config()
    config.Spawner.mem_limit = "1G"
    config.Spawner.memory_limit = "1G"
    config.SystemSpawner.isolate_tmp = True
    assert strangers(config) == ["Spawner.memory_limit", "SystemSpawner.isolate_tmp"]
    options = ["--MappingKernelManager.cull_idle_timeout=1", "--ServerApp.cull=1", "cull"]
    assert strange_options(options) == ["cull", "ServerApp.cull"]


def test_the_configuration_of_a_trial_exists_too(tmp_path: Path) -> None:
    """Ours: what a reader copies from the page works."""
    (trial,) = TRIAL.findall(PAGE.read_text(encoding="utf-8"))
    path = tmp_path / "try_it.py"
    path.write_text(trial.replace("docs/", f"{ROOT}/docs/"), encoding="utf-8")
    config = loaded(path)
    assert config.Spawner.mem_limit == "1G", "it stands on the documented one"
    assert config.JupyterHub.spawner_class == "simple"
    assert strangers(config) == []


def test_the_question_about_news_is_settled_for_everybody() -> None:
    """Ours: a class of thirty is not asked thirty times."""
    file = SERVER / "labconfig" / "default_setting_overrides.json"
    schemas = Path(str(LabApp().schemas_dir))
    for plugin, settings in json.loads(file.read_text(encoding="utf-8")).items():
        package, name = plugin.split(":")
        schema = json.loads((schemas / package / f"{name}.json").read_text(encoding="utf-8"))
        assert settings.keys() <= schema["properties"].keys()


# -- handing in --------------------------------------------------------------------------


@pytest.fixture
def accounts(tmp_path: Path) -> Path:
    """Homes of three students, and programs that know of them as a machine would."""
    programs = tmp_path / "bin"
    programs.mkdir()
    write = {
        "getent": 'if [ "$1" = group ]; then echo "$2:x:1:ann,ben,cleo"; '
        f'else echo "$2:x:1:1::{tmp_path}/$2:/bin/sh"; fi',
        "runuser": f'echo "$2" >>{tmp_path}/became; shift 3; exec "$@"',
    }
    for name, body in write.items():
        (programs / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (programs / name).chmod(0o700)
    for name in ("ann", "ben"):
        folder = tmp_path / name / "mcp-lessons" / "exercises"
        folder.mkdir(parents=True)
        (folder / "01.ipynb").write_text(f"by {name}", encoding="utf-8")
    return tmp_path


def collect(accounts: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the script among these accounts."""
    path = f"{accounts / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(SERVER / "collect"), *arguments],
        cwd=accounts,
        env={**os.environ, "PATH": path},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def test_notebooks_are_collected_by_name_each_read_as_its_student(accounts: Path) -> None:
    """Ours: what one student cannot read, a link of that student does not fetch."""
    done = collect(accounts, "exercises/01.ipynb", "handed in")
    assert done.returncode == 0
    found = {p.name: p.read_text(encoding="utf-8") for p in (accounts / "handed in").iterdir()}
    assert found == {"ann.ipynb": "by ann", "ben.ipynb": "by ben"}
    assert done.stderr == "cleo has no exercises/01.ipynb\n"
    assert (accounts / "became").read_text(encoding="utf-8").split() == ["ann", "ben", "cleo"]


def test_without_arguments_nothing_is_collected(accounts: Path) -> None:
    """Ours: a check must be able to fail, and so must a script."""
    assert collect(accounts).returncode != 0
    assert not (accounts / "became").exists()


# -- what the page says ------------------------------------------------------------------


def test_the_files_of_the_page_are_the_files_that_are_there() -> None:
    """Ours: a file nobody is told of is of no use."""
    page = PAGE.read_text(encoding="utf-8")
    for path in SERVER.iterdir():
        assert path.name in page, path.name
    unit = (SERVER / "jupyterhub.service").read_text(encoding="utf-8")
    assert "/opt/course/bin/jupyterhub" in unit and "/opt/course" in page
    exercise = re.search(r"collect (\S+) submissions", page)
    assert exercise is not None and (ROOT / "notebooks" / exercise[1]).is_file()


def test_the_extra_of_the_page_is_what_the_configuration_needs() -> None:
    """Ours: one line installs a hub."""
    extras = PROJECT["optional-dependencies"]
    assert "'.[hub]'" in PAGE.read_text(encoding="utf-8")
    wanted = ("jupyterhub>", "jupyterhub-idle-culler>", "jupyterhub-systemdspawner>")
    for name in wanted:
        assert [one for one in extras["hub"] if one.startswith(name)]
    assert set(extras["hub"]) <= set(extras["test"]), "what is documented is what is tested"


# -- elsewhere ---------------------------------------------------------------------------


def test_binder_has_a_python_that_is_allowed_and_opens_the_first_lesson() -> None:
    """Ours: docs/shared_server.md, One click elsewhere."""
    runtime = (ROOT / ".binder" / "runtime.txt").read_text(encoding="utf-8").strip()
    assert runtime.startswith("python-")
    assert runtime.removeprefix("python-") in SpecifierSet(PROJECT["requires-python"])
    required = (ROOT / ".binder" / "requirements.txt").read_text(encoding="utf-8").split()
    assert required == ["-e", "."]
    opened = re.search(r"urlpath=lab/tree/([\w/.]+)`", PAGE.read_text(encoding="utf-8"))
    assert opened is not None and (ROOT / opened[1]).is_file() and Path(opened[1]).name == FIRST


def test_binder_settles_the_question_about_news(tmp_path: Path) -> None:
    """Ours: its script is run, with another place to write to."""
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/sh\necho {shlex.quote(str(tmp_path / 'env'))}\n", encoding="utf-8")
    fake.chmod(0o700)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    script = [str(ROOT / ".binder" / "postBuild")]
    subprocess.run(script, cwd=ROOT, env={**os.environ, "PATH": path}, check=True, timeout=60)
    name = "labconfig/default_setting_overrides.json"
    written = tmp_path / "env" / "etc" / "jupyter" / name
    assert written.read_bytes() == (SERVER / name).read_bytes()


def test_a_development_container_says_what_there_is() -> None:
    """Ours: the command, the Python, the first lesson and the interpreter of `make ready`."""
    command, target = CONTAINER["postCreateCommand"].split()
    assert command == "make" and target in make_targets()
    version = CONTAINER["image"].rpartition(":")[2]
    assert version in SpecifierSet(PROJECT["requires-python"])
    (first,) = CONTAINER["customizations"]["codespaces"]["openFiles"]
    assert (ROOT / first).is_file() and Path(first).name == FIRST
    settings = CONTAINER["customizations"]["vscode"]["settings"]
    assert settings["python.defaultInterpreterPath"].endswith("/.venv/bin/python")


def test_a_python_that_is_too_old_would_be_found() -> None:
    """Ours: a check must be able to fail."""
    assert "3.10" not in SpecifierSet(PROJECT["requires-python"])
    assert "lab" in make_targets() and "lob" not in make_targets()
