"""Our client, as the official conformance suite wants to meet it.

Usage, by the suite: `python client.py URL`, with `MCP_CONFORMANCE_SCENARIO`,
`MCP_CONFORMANCE_PROTOCOL_VERSION` and, where a scenario has data, `MCP_CONFORMANCE_CONTEXT`.

Everything is done through the public names of `workbench`; nothing here knows a message.
The revision decides one thing only: whether a legacy era is permitted. Which era a peer has
is found out by the client itself, each time.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import aiohttp

from workbench import Handlers, MultiServerClient, OAuth, PeerConfig, fake_model

MODERN = "2026-07-28"
NEWER = (MODERN, "2027-01-01")
"""A client that would rather speak a coming revision. The scenario refuses whatever comes
first and names 2026-07-28, and this client never repeats a version that was just refused."""
PATIENT_MS = 30_000
"""Many of these run on one busy machine; how long an answer takes is not what is tested."""
CLIENT_ID_DOCUMENT = "https://conformance-test.local/client-metadata.json"

HANDLERS = Handlers(elicitation=lambda question: True, sampling=fake_model(), roots=["/"])

Play = Callable[[MultiServerClient, dict[str, Any]], None]


def main() -> int:
    """Play one scenario; 0 when everything in it worked, 1 when the peer was refused."""
    url, scenario = sys.argv[-1], os.environ["MCP_CONFORMANCE_SCENARIO"]
    revision = os.environ["MCP_CONFORMANCE_PROTOCOL_VERSION"]
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    with MultiServerClient(handlers=HANDLERS) as client:
        client.add_server(
            "peer",
            peer(scenario, url, revision),
            authorization=authorization(scenario, url, context),
        )
        report = client.connect_all()
        sys.stdout.write(report.to_markdown())
        if report.peers[0].status != "ready":
            return 1
        PLAYS.get(scenario, call_everything)(client, context)
    return 0


def peer(scenario: str, url: str, revision: str) -> PeerConfig:
    """Return what is configured for one scenario."""
    return PeerConfig(
        name="peer",
        url=url,
        allow_legacy=revision != MODERN,
        modern_revisions=NEWER if scenario == "request-metadata" else (MODERN,),
        discovery_timeout_ms=PATIENT_MS,
        legacy_probe_timeout_ms=PATIENT_MS,
        # Its last tool is a modern one that leaves the field out.
        accept_missing_result_type=scenario == "sep-2322-client-request-state",
    )


# -- what is played --------------------------------------------------------------------------


def list_only(client: MultiServerClient, context: dict[str, Any]) -> None:
    """List the tools, and call none."""
    client.discover_tools()


def add(client: MultiServerClient, context: dict[str, Any]) -> None:
    """Call the one tool with two numbers."""
    sys.stdout.write(client.call("add_numbers", {"a": 5, "b": 3}).text)


def ask_back(client: MultiServerClient, context: dict[str, Any]) -> None:
    """Call four tools that differ in what they ask for between two rounds."""
    for name in ("echo_state", "unrelated", "no_state", "no_result_type"):
        client.call(f"test_mrtr_{name}", {})


def reconnect(client: MultiServerClient, context: dict[str, Any]) -> None:
    """Call a tool whose stream breaks off and goes on elsewhere."""
    client.call("test_reconnection", {})


def fill_in(client: MultiServerClient, context: dict[str, Any]) -> None:
    """Call a tool that asks for a form, which the handler accepts as it is."""
    client.call("test_client_elicitation_defaults", {})


def touch_everything(client: MultiServerClient, context: dict[str, Any]) -> None:
    """Use every tool, resource and prompt there is."""
    call_everything(client, context)
    for resources in client.list_resources().values():
        for resource in resources.items:
            client.read_resource(resource.key, "peer")
    for prompts in client.list_prompts().values():
        for prompt in prompts.items:
            client.get_prompt(prompt.key, _texts(prompt.definition))


def call_as_told(client: MultiServerClient, context: dict[str, Any]) -> None:
    """Call what the scenario says, as it says."""
    client.discover_tools()
    for told in context["toolCalls"]:
        client.call(told["name"], told["arguments"], check_arguments=False)


def call_everything(client: MultiServerClient, context: dict[str, Any]) -> None:
    """Call every tool that is on the menu, with the least a schema asks for."""
    client.discover_tools()
    for entry in client.merge().items:
        client.call(entry.canonical, _least(entry.tool.input_schema))


def echo_schema(client: MultiServerClient, context: dict[str, Any]) -> None:
    """Give a tool's input schema back as it came."""
    client.discover_tools()
    menu = {entry.canonical: entry.tool for entry in client.merge().items}
    focal = next(tool for name, tool in menu.items() if name != "json_schema_echo")
    client.call("json_schema_echo", {"schema": focal.input_schema}, check_arguments=False)


PLAYS: dict[str, Play] = {
    "initialize": list_only,
    "request-metadata": list_only,
    "json-schema-ref-no-deref": list_only,
    "tools_call": add,
    "sep-2322-client-request-state": ask_back,
    "sse-retry": reconnect,
    "elicitation-sep1034-client-defaults": fill_in,
    "http-standard-headers": touch_everything,
    "http-custom-headers": call_as_told,
    "json-schema-2020-12-preservation": echo_schema,
}


# -- who we are ------------------------------------------------------------------------------


def authorization(scenario: str, url: str, context: dict[str, Any]) -> Any:
    """Return what lets us in, for the scenarios that ask."""
    if not scenario.startswith("auth/"):
        return None
    if "private_key_pem" in context:
        return signing_client(url, context)
    if scenario == "auth/client-credentials-basic":
        return client_of_its_own(url, context)
    return OAuth(
        visit=sign_in,
        redirect_uri="http://localhost:3000/callback",
        client_metadata_url=CLIENT_ID_DOCUMENT,
        client_id=context.get("client_id"),
        client_secret=context.get("client_secret"),
    )


def signing_client(url: str, context: dict[str, Any]) -> Any:
    """Return a provider of the SDK for a program that signs for itself."""
    from mcp.client.auth.extensions.client_credentials import (
        PrivateKeyJWTOAuthProvider,
        SignedJWTParameters,
    )

    signer = SignedJWTParameters(
        issuer=context["client_id"],
        subject=context["client_id"],
        signing_key=context["private_key_pem"],
        signing_algorithm=context["signing_algorithm"],
    )
    return PrivateKeyJWTOAuthProvider(
        url, Memory(), context["client_id"], signer.create_assertion_provider()
    )


def client_of_its_own(url: str, context: dict[str, Any]) -> Any:
    """Return a provider of the SDK for a program with a password."""
    from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider

    secret = context["client_secret"]
    return ClientCredentialsOAuthProvider(url, Memory(), context["client_id"], secret)


class Memory:
    """The SDK's storage, for one run."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client_info: Any = None

    async def get_tokens(self) -> Any:
        """Return what was kept."""
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        """Keep tokens."""
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        """Return what was kept."""
        return self.client_info

    async def set_client_info(self, client_info: Any) -> None:
        """Keep a registration."""
        self.client_info = client_info


async def sign_in(page: str) -> str:
    """Do what a person does in a browser, on a page that asks nothing."""
    async with aiohttp.ClientSession() as session:
        async with session.get(page, allow_redirects=False) as response:
            return response.headers["Location"]


def _least(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = {"string": "text", "number": 1, "integer": 1, "boolean": True, "array": []}
    properties = schema.get("properties", {})
    return {
        name: kinds.get(properties.get(name, {}).get("type"), {})
        for name in schema.get("required", [])
    }


def _texts(prompt: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: "text" for one in prompt.get("arguments", [])}


if __name__ == "__main__":
    sys.exit(main())
