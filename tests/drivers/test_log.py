"""What an operator reads in the log of the application, and that others read nothing."""

import asyncio
import logging
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from driven import driven, turns

from fakes import close, error, legacy, modern, on
from workbench import AsyncMultiServerClient, ManualClock
from workbench.core.errors import WorkbenchError

ROOT: Final = Path(__file__).resolve().parents[2]


def said(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, str]]:
    return [(one.name, one.levelname, one.getMessage()) for one in caplog.records]


def test_peers_that_come_and_go_and_calls_that_fail_are_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Ours: what nobody else would notice is a warning, what a caller is told is not."""
    notes = modern("notes", tools=["search"]).script(on("tools/call").then(error(-32000, "no tea")))

    async def story() -> None:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock)
        client.add_server("notes", notes)
        client.add_server("old", legacy("old"))
        await driven(client.connect_all(), clock)
        with pytest.raises(WorkbenchError):
            await driven(client.call("search", {"q": "private"}), clock)
        notes.say(close())
        await turns()
        await driven(client.aclose(), clock)

    with caplog.at_level(logging.INFO, "workbench"):
        asyncio.run(story())
    lines = said(caplog)
    assert ("workbench.peers", "INFO", "notes: ready, modern 2026-07-28") in lines
    refused = [text for name, level, text in lines if level == "WARNING" and "old: " in text]
    assert refused and all(text.endswith("[ERA-10]") for text in refused)
    (failed,) = [text for name, level, text in lines if name == "workbench.calls"]
    assert failed.startswith("tools/call: notes: ") and "no tea" in failed
    assert any(level == "WARNING" and "[PEER-01]" in text for _, level, text in lines)
    assert any(name == "workbench.recovery" for name, _, _ in lines)
    assert "private" not in caplog.text


def test_no_secret_and_no_control_character_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """Design sections 5 and 7.10."""
    text = "the key hush-hush\x1b[2J is wrong"
    notes = modern("notes", tools=["search"]).script(on("tools/call").then(error(-32000, text)))

    async def story() -> None:
        async with AsyncMultiServerClient() as client, asyncio.timeout(20):
            client.journal.redactor.add("hush-hush")
            client.add_server("notes", notes)
            with pytest.raises(WorkbenchError):
                await client.call("search")

    with caplog.at_level(logging.DEBUG, "workbench"):
        asyncio.run(story())
    assert "is wrong" in caplog.text
    assert "hush-hush" not in caplog.text and "\x1b" not in caplog.text


def test_an_application_that_has_no_log_sees_nothing() -> None:
    """Ours: a library is quiet by default; warnings must not fall through to stderr."""
    program = (
        "from fakes import fault\n"
        "from workbench import MultiServerClient\n"
        "with MultiServerClient() as client:\n"
        "    client.add_server('notes', fault('P02-error-32601'))\n"
        "    assert not client.connect_all().all_ready\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    loud = program.replace("from fakes", "import logging\nlogging.basicConfig()\nfrom fakes", 1)
    heard = subprocess.run(
        [sys.executable, "-c", loud], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert heard.stderr.startswith("WARNING:workbench.peers:notes: ")
