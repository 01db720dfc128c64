"""A canary in every secret of a sign-in; every server repeats what it hears; none gets out."""

import json
import logging
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

import pytest
from aiohttp import web
from canary import check, check_loud, exits_of, exits_of_error, named, nothing_hidden
from desk import Visit
from gate import Gate

from workbench import MultiServerClient, OAuth
from workbench.core.errors import WorkbenchError
from workbench.drivers.background import BackgroundLoop
from workbench.transports.token_store import TokenKey

SECRET: Final = "canary-clientsecret-4711"
QUIET: Final = (
    "change", "collisions", "drifts", "cache", "findings", "menu", "client", "configs", "prompts",
    "journal: re", "journal: ri", "outcomes: re", "outcomes: ri", "shortlist", "listings", "merge",
    "server", "report", "row", "store",
)  # fmt: skip
"""Ways out in which a peer that only refuses a call says nothing."""


class Telling(Gate):
    """Repeats whatever it was told, wherever it may speak."""

    refuses = False
    """Whether no code is taken any more."""

    def heard(self) -> dict[str, str]:
        """Return every secret of the sign-in so far, by what it is."""
        forms = [parse_qs(visit.body.decode()) for visit in self.asked("/one/token")]
        said = {name: values[0] for form in reversed(forms) for name, values in form.items()}
        return {
            "client secret": SECRET,
            "code": said["code"],
            "verifier": said["code_verifier"],
            "access token": "token-1-secret",
            "refresh token": "again-1-secret",
        }

    async def _peer(self, visit: Visit) -> web.StreamResponse:
        answer = await super()._peer(visit)
        if visit.message["method"] != "tools/call" or answer.status != 200:
            return answer
        everything = " ".join(self.heard().values())
        fault = {"code": -32000, "message": everything, "data": {everything: [everything]}}
        body = {"jsonrpc": "2.0", "id": visit.message["id"], "error": fault}
        return visit.json(json.dumps(body).encode())

    def _token(self, visit: Visit) -> web.Response:
        if self.refuses:
            said = {"error": "invalid_grant", "error_description": visit.body.decode()}
            return web.json_response(said, status=400)
        return super()._token(visit)  # type: ignore[return-value]


class FileTokens:
    """Keeps what it is given in a file, as an application may."""

    def __init__(self, path: Path) -> None:
        self.path = path

    async def get(self, key: TokenKey) -> str | None:
        kept = json.loads(self.path.read_text()) if self.path.exists() else {}
        found: str | None = kept.get(repr(key))
        return found

    async def put(self, key: TokenKey, value: str) -> None:
        kept = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.path.write_text(json.dumps({**kept, repr(key): value}))


def signed_in(gate: Telling, store: Any) -> dict[str, Any]:
    """Sign in, call, and return everything that could be seen."""
    exits: dict[str, Any] = {}
    oauth = OAuth(visit=gate.sign_in, client_id="me", client_secret=SECRET, store=store)
    with MultiServerClient() as client:
        client.add_server("peer", gate.config(), authorization=oauth)
        client.connect_all()
        client.discover_tools()
        client.merge()
        with pytest.raises(WorkbenchError) as caught:
            client.call("look")
        exits |= named("exception", exits_of_error(caught.value))
        exits |= exits_of(client, "look")
        exits["store: repr"] = [repr(oauth), repr(store)]
    return exits


def refused(gate: Telling, store: Any) -> dict[str, Any]:
    """Try to sign in where no code is taken, and return everything that could be seen."""
    gate.refuses = True
    oauth = OAuth(visit=gate.sign_in, client_id="me", client_secret=SECRET, store=store)
    with MultiServerClient() as client:
        client.add_server("peer", gate.config(auth_context="bob"), authorization=oauth)
        report = client.connect_all()
        assert report.peers[0].rule == "HTTP-01"
        return {
            "refused: report": report.to_json(),
            "refused: journal": client.journal.to_jsonl(),
            "refused: frames": client.journal.to_text(frames=True),
        }


def everything(folder: Path) -> tuple[dict[str, Any], dict[str, str], str]:
    """Return all exits, the canaries, and what the store keeps."""
    gate, loop = Telling(), BackgroundLoop("desk")
    try:
        loop.run(gate.desk.__aenter__())
        store = FileTokens(folder / "tokens.json")
        exits = signed_in(gate, store)
        exits |= refused(gate, store)
        secrets = gate.heard()
        last = parse_qs(gate.asked("/one/token")[-1].body.decode())
        secrets |= {"code of a refusal": last["code"][0], "its verifier": last["code_verifier"][0]}
        loop.run(gate.desk.__aexit__())
    finally:
        loop.stop()
    return exits, secrets, store.path.read_text()


def test_no_canary_of_a_sign_in_leaves_through_any_exit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Design section 5; field case X01: in the flow, in what comes of it, and when it fails."""
    caplog.set_level(logging.DEBUG)
    exits, secrets, kept = everything(tmp_path)
    exits["log"] = caplog.text
    check(exits, secrets)
    # What is kept is what the next client needs; the file is the application's own.
    assert "token-1-secret" in kept and "again-1-secret" in kept


def test_without_hiding_every_canary_of_a_sign_in_leaves(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Ours: the story above can fail, for each secret and for each exit."""
    caplog.set_level(logging.DEBUG)
    with nothing_hidden():
        exits, secrets, _ = everything(tmp_path)
    exits["log"] = caplog.text
    check_loud(exits, secrets, QUIET)
