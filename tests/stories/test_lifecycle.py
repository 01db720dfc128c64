"""How peers start and end, seen through the whole client and real processes.

The ids of the field cases stand in the test names: `pytest -k S17`. After every test nobody
of any process group it started is alive; the fixture `started` insists.
"""

import asyncio
import json
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tiny import PRELUDE, command, tiny

from fakes import (
    Fake,
    delay,
    dual_era,
    effect,
    exit_,
    fault,
    legacy,
    modern,
    on_input_end,
    on_start,
    stderr,
)
from fakes.load import dump
from workbench import AsyncMultiServerClient, MultiServerClient, PeerConfig
from workbench.core.errors import OutcomeUnknown, PeerAway

pytestmark = pytest.mark.usefixtures("started")

ECHO = "for message in messages(): answer(message)\n"
LIMIT_S = 20.0


def connected(config: PeerConfig, **settings: Any) -> Any:
    """Connect one peer, close it again, and return its report row."""
    with MultiServerClient() as client:
        client.add_server("peer", config, **settings)
        return client.connect_all().peers[0]


def recorded(path: Path) -> list[str]:
    """Return the methods a fake has written down."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line).get("method", "answer") for line in lines]


@pytest.mark.parametrize(
    ("argv", "settings", "rule", "seen"),
    [
        (["sh", "-c", "echo 'no API key' >&2; exit 2"], {}, "ERA-12",
         ["exited with status 2", "no API key"]),
        (["sh", "-c", "kill -KILL $$"], {}, "ERA-12", ["was killed by SIGKILL"]),
        (["no-such-program"], {}, "PROC-01", ["no-such-program", "was not found"]),
        (["{here}/plain"], {}, "PROC-01", ["is not executable"]),
        (["sh"], {"cwd": "{here}/missing"}, "PROC-02", ["does not exist"]),
    ],
    ids=["exit", "killed", "not-found", "not-executable", "no-directory"],
)  # fmt: skip
def test_S12_a_child_that_exits_at_once_says_why_and_harms_nobody(
    tmp_path: Path, argv: list[str], settings: dict[str, Any], rule: str, seen: list[str]
) -> None:
    """Case S12: exit code, signal and the last stderr lines stand in the report at once."""
    (tmp_path / "plain").write_text("", encoding="utf-8")
    put = {key: value.format(here=tmp_path) for key, value in settings.items()}
    bad = command([part.replace("{here}", str(tmp_path)) for part in argv], **put)
    with MultiServerClient() as client:
        client.add_server("bad", bad)
        client.add_server("good", tiny(ECHO))
        rows = {row.peer: row for row in client.connect_all().peers}
        assert client.call("echo", {"q": "still here"}).text == "still here"
    assert (rows["bad"].status, rows["bad"].rule) == ("unavailable", rule)
    assert [text for text in seen if text not in rows["bad"].reason] == []
    assert rows["bad"].hint.endswith(".")
    assert rows["good"].status == "ready"


@pytest.mark.parametrize("how", ["exit in a tool", "SIGKILL"])
def test_S13_a_death_in_a_call_fails_it_at_once_and_shows_before_the_error(
    how: str, started: Any, tmp_path: Path
) -> None:
    """Case S13: every call in flight ends as outcome unknown, nothing is sent again."""
    counter = tmp_path / "calls"
    dies = f"""
for message in messages():
    if message["method"] != "tools/call":
        answer(message)
        continue
    with open({str(counter)!r}, "a") as file:
        file.write("x")
    if {how == "exit in a tool"} and os.path.getsize({str(counter)!r}) == 2:
        print("tool crashed", file=sys.stderr, flush=True)
        os._exit(9)
"""

    async def story() -> list[Any]:
        client = AsyncMultiServerClient()
        client.add_server("peer", tiny(dies))
        await client.connect_all()
        await client.discover_tools()
        client.merge()

        async def one() -> tuple[str, str, str]:
            with pytest.raises(OutcomeUnknown) as caught:
                await client.call("echo", {"q": "x"}, timeout_s=LIMIT_S)
            row = client.report().peers[0]
            return row.status, row.reason, caught.value.failure.detail

        calls = [asyncio.ensure_future(one()) for _ in range(2)]
        if how == "SIGKILL":
            while not counter.exists() or counter.stat().st_size < 2:
                await asyncio.wait(calls, timeout=0.01)
            os.killpg(started.groups[0], signal.SIGKILL)
        ends = await asyncio.wait_for(asyncio.gather(*calls), LIMIT_S)
        with pytest.raises(PeerAway):
            await client.call("echo", {"q": "x"})
        await client.aclose()
        return ends

    said = "exited with status 9" if how == "exit in a tool" else "was killed by SIGKILL"
    for status, reason, detail in asyncio.run(story()):
        assert status == "unavailable"
        assert said in reason and said in detail
        assert how == "SIGKILL" or ("tool crashed" in reason and "tool crashed" in detail)
    assert counter.read_text(encoding="utf-8") == "xx"


@pytest.mark.parametrize("levels", [1, 2])
def test_S16_a_launcher_takes_its_server_along(levels: int, started: Any, tmp_path: Path) -> None:
    """Case S16: `sh -c "server & wait"`, also two levels deep; the whole group ends."""
    (tmp_path / "server.py").write_text(PRELUDE + ECHO, encoding="utf-8")
    script = f"exec 3<&0; {sys.executable} {tmp_path}/server.py <&3 & wait; exit 0"
    for _ in range(levels - 1):
        (tmp_path / "inner.sh").write_text(script, encoding="utf-8")
        script = f"exec 3<&0; sh {tmp_path}/inner.sh <&3 & wait; exit 0"
    with MultiServerClient() as client:
        client.add_server("peer", command(["sh", "-c", script]))
        assert client.connect_all().peers[0].status == "ready"
        assert client.call("echo", {"q": "deep"}).text == "deep"
        assert len(started.alive()) == levels + 1
    assert started.alive() == []


def test_S16_a_launcher_that_died_leaves_its_server_to_be_ended(
    started: Any, tmp_path: Path
) -> None:
    """Case S16: the launcher is killed while the server holds the pipes; nobody stays."""
    (tmp_path / "server.py").write_text(PRELUDE + ECHO, encoding="utf-8")
    script = f"exec 3<&0; {sys.executable} {tmp_path}/server.py <&3 & exec sleep 60"
    with MultiServerClient() as client:
        client.add_server("peer", command(["sh", "-c", script]))
        assert client.connect_all().peers[0].status == "ready"
        os.kill(started.groups[0], signal.SIGKILL)
    assert started.alive() == []


def test_S17_stubborn_peers_are_ended_and_polite_ones_may_finish(tmp_path: Path) -> None:
    """Case S17, C14: ignoring EOF, ignoring SIGTERM too, a held pipe; a slow goodbye is heard."""
    goodbye = tmp_path / "effects"
    slow = modern("slow").script(on_input_end().then(delay(1.0), effect("goodbye"), exit_(0)))
    names = ["C14-ignores-eof", "C14-ignores-sigterm", "C14-grandchild"]

    async def story() -> list[str]:
        client = AsyncMultiServerClient()
        for name in names:
            client.add_server(name, stack[name])
        client.add_server("slow", stack["slow"])
        report = await client.connect_all()
        async with asyncio.timeout(LIMIT_S):
            await client.aclose()
        return [row.status for row in report.peers]

    stack: dict[str, list[str]] = {}
    with ExitStack() as open_fakes:
        for name in names:
            stack[name] = open_fakes.enter_context(fault(name).over_stdio())
        stack["slow"] = open_fakes.enter_context(slow.over_stdio(effects=goodbye))
        assert asyncio.run(story()) == ["ready"] * 4
    assert goodbye.read_text(encoding="utf-8") == "goodbye\n", "it was not killed before its time"


KEYS = """
TOOLS = ["keys"]
for message in messages():
    if message["method"] == "tools/call":
        echo(message, json.dumps([sorted(os.environ), os.environ.get("API_KEY")]))
    else:
        answer(message)
"""


def test_S21_given_names_come_on_top_of_a_safe_base(monkeypatch: pytest.MonkeyPatch) -> None:
    """Case S21: one API key in `env` costs neither PATH nor HOME, and nothing leaks along."""
    monkeypatch.setenv("PARENTS_TOKEN", "not for children")
    monkeypatch.setenv("SHARED_SETTING", "wanted")
    config = tiny(KEYS, env={"API_KEY": "x-y-z"})
    with MultiServerClient() as client:
        client.add_server("peer", config, env_allowlist=("SHARED_SETTING",))
        client.connect_all()
        client.discover_tools()
        client.merge()
        names, key = json.loads(client.call("keys").text)
        journal = client.journal.to_text(frames=True)
    assert {"API_KEY", "HOME", "PATH", "SHARED_SETTING"} <= set(names)
    assert "PARENTS_TOKEN" not in names
    assert key == "x-y-z", "the caller sees the result as it is"
    assert "x-y-z" not in journal, "the record does not"


def test_S21_a_command_is_looked_up_on_the_path_its_process_gets(tmp_path: Path) -> None:
    """Case S21, variant: PATH overridden; look-up and child use the same one."""
    program = tmp_path / "only-here"
    program.write_text(f"#!{sys.executable} -I\n{PRELUDE}{ECHO}", encoding="utf-8")
    program.chmod(0o755)
    found = PeerConfig(name="peer", command="only-here", env={"PATH": str(tmp_path)})
    assert connected(found).status == "ready"
    row = connected(PeerConfig(name="peer", command="only-here"))
    assert (row.status, row.rule) == ("unavailable", "PROC-01")


def _cold(gate: Path) -> str:
    # It writes what a package runner writes, and starts once the test opens the gate.
    return f"""
for part in range(5): print(f"downloading part {{part}}", file=sys.stderr, flush=True)
open({str(gate)!r}, "rb").read()
{ECHO}"""


def test_S23_a_slow_cold_start_is_waited_for(tmp_path: Path, started: Any) -> None:
    """Case S23: the start deadline is the peer's own; there is one spawn and no loop."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def story() -> tuple[str, str]:
        client = AsyncMultiServerClient()
        client.add_server("peer", tiny(_cold(gate)), discovery_timeout_ms=20_000)
        connecting = asyncio.ensure_future(client.connect_all())
        # Opening succeeds only when the server has come as far as its own end of the gate.
        writer = await asyncio.to_thread(gate.open, "wb")
        before = client.report().peers[0]
        writer.close()
        row = (await asyncio.wait_for(connecting, LIMIT_S)).peers[0]
        await client.aclose()
        return str(before.reason), row.status

    assert asyncio.run(story()) == ("the peer is connecting", "ready")
    assert len(started.groups) == 1


def test_S23_a_start_that_takes_too_long_shows_what_it_was_doing(
    tmp_path: Path, started: Any
) -> None:
    """Case S23: the short deadline fails with the stderr tail, after exactly one spawn."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    row = connected(tiny(_cold(gate)), discovery_timeout_ms=200)
    assert (row.status, row.rule) == ("unavailable", "ERA-11")
    assert "discovery_timeout_ms" in row.hint
    assert "downloading part 4" in row.reason
    assert len(started.groups) == 1


LOCKED = """
lock, log = sys.argv[1], sys.argv[2]
def note(text):
    with open(log, "a") as file: file.write(text + " ")
try:
    os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
except FileExistsError:
    note("locked")
    sys.exit(3)
note("start")
for message in messages():
    if {legacy} and message["method"] == "server/discover":
        break
    if message["method"] == "initialize":
        say({{"jsonrpc": "2.0", "id": message["id"], "result": {{
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "x", "version": "1"}}}}}})
    elif "id" in message:
        answer(message)
time.sleep(0.3)
os.unlink(lock)
note("end")
"""


@pytest.mark.parametrize(
    ("is_legacy", "lives"), [(False, "start end "), (True, "start end start end ")]
)
def test_E06_a_single_instance_server_never_meets_itself(
    is_legacy: bool, lives: str, tmp_path: Path, started: Any
) -> None:
    """Case E06: one process when modern, two in strict sequence when it exits on the probe."""
    config = tiny(LOCKED.format(legacy=is_legacy))
    paths = (str(tmp_path / "lock"), str(tmp_path / "log"))
    config = PeerConfig(name="peer", command=config.command, args=(*config.args, *paths))
    row = connected(config, allow_legacy=True)
    assert (row.status, row.era) == ("ready", "legacy" if is_legacy else "modern")
    assert (tmp_path / "log").read_text(encoding="utf-8") == lives
    assert len(started.groups) == lives.count("start")


def test_E14_an_upgraded_server_is_probed_anew(tmp_path: Path) -> None:
    """Case E14: legacy on the first run, modern-only on the second; no stored verdict decides."""
    script, record = tmp_path / "script.json", tmp_path / "received"
    argv = [sys.executable, "-m", "fakes", "--script", str(script), "--record", str(record)]

    def become(fake: Fake) -> None:
        script.write_bytes(dump(fake.program))
        record.unlink(missing_ok=True)

    async def story() -> list[Any]:
        seen: list[Any] = []
        client = AsyncMultiServerClient()
        client.add_server("peer", command(argv), allow_legacy=True)
        for server in (legacy("old"), modern("new"), legacy("rolled-back")):
            become(server)
            row = (await client.connect_all()).peers[0]
            await client.aclose()
            seen.append((row.era, recorded(record)[:2]))
        return seen

    assert asyncio.run(story()) == [
        ("legacy", ["server/discover", "initialize"]),
        ("modern", ["server/discover"]),
        ("legacy", ["server/discover", "initialize"]),
    ]


@pytest.mark.parametrize(
    ("server", "era", "version"),
    [
        (legacy(versions=("2024-11-05",)), "legacy", "2024-11-05"),
        (fault("L01-valid"), "legacy", "2025-11-25"),
        (legacy(versions=("9999-01-01",)), None, None),
        (fault("L11-modern-revision"), None, None),
        (dual_era(), "modern", "2026-07-28"),
    ],
    ids=["older", "echo", "unknown", "modern", "dual"],
)
def test_E19_a_handshake_is_held_to_revisions_this_client_speaks(
    server: Fake, era: str | None, version: str | None, tmp_path: Path
) -> None:
    """Case E19: a lower answer is fine, an unknown one is not, and 2026-07-28 is never offered."""
    record = tmp_path / "received"
    with server.over_stdio(record=record) as argv:
        row = connected(command(argv), allow_legacy=True)
    assert (row.era, row.version) == (era, version)
    assert era is not None or row.rule == "LEG-08"
    lines = record.read_text(encoding="utf-8").splitlines()
    offers = [body for line in lines if (body := json.loads(line))["method"] == "initialize"]
    assert len(offers) == (era != "modern")
    assert {offer["params"]["protocolVersion"] for offer in offers} <= {"2025-11-25"}


def test_S12_a_secret_on_stderr_stays_out_of_the_report() -> None:
    """Case S12, X01: the tail is shown with the known secrets hidden."""
    crash = on_start().then(stderr("bad key hunter2-hunter2"), exit_(2))
    with modern().script(crash).over_stdio() as argv:
        row = connected(command(argv, env={"KEY": "hunter2-hunter2"}))
    assert "exited with status 2" in row.reason and "bad key" in row.reason
    assert "hunter2" not in row.reason


def test_S17_closing_twice_and_connecting_again_is_fine(started: Any) -> None:
    """Ours: the same client may connect again after it was closed, each time from the start."""

    async def story() -> list[str]:
        client = AsyncMultiServerClient()
        client.add_server("peer", tiny(ECHO))
        seen = []
        for _ in range(3):
            seen.append((await client.connect_all()).peers[0].status)
            await client.aclose()
            await client.aclose()
            seen.append(client.report().peers[0].status)
        return seen

    assert asyncio.run(story()) == ["ready", "unavailable"] * 3
    assert len(started.groups) == 3
