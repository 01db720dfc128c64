"""Field cases about names: who owns one, what it is called elsewhere, and what a file says."""

import asyncio
import itertools
import json
import random
import re
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from cased import PATIENT, listed, spawned, told
from driven import driven
from tiny import command, tiny

from fakes import Fake, answer_default, challenge, delay, modern, on
from workbench import AsyncMultiServerClient, ManualClock, MultiServerClient, PeerConfig
from workbench.core.errors import ConfigError, NameCollision, ToolChanged, WorkbenchError
from workbench.core.menu.menu import Policy

POLICIES: Final = get_args(Policy)
ALIAS: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def called(fake: Any) -> list[str]:
    """Return the local names a peer was called by."""
    return [b["params"]["name"] for b in fake.received if b.get("method") == "tools/call"]


@pytest.mark.parametrize("policy", POLICIES)
def test_N01_two_tools_of_one_name_are_both_there_or_refused_aloud(
    policy: Policy, tmp_path: Path
) -> None:
    """Rules MERGE-01 to MERGE-03; the processes themselves say which of them was called."""
    fakes = {name: modern(name, tools=["search"]) for name in ("files", "notes")}
    names = {
        "prefix-on-collision": {"search": "files", "notes/search": "notes"},
        "prefix-always": {"files/search": "files", "notes/search": "notes"},
    }
    with spawned(fakes, tmp_path) as peers, MultiServerClient(merge_policy=policy) as client:
        for name, one in peers.items():
            client.add_server(name, one.config, **PATIENT)
        client.connect_all()
        client.discover_tools()
        if policy == "reject":
            with pytest.raises(NameCollision, match="files, notes"):
                client.merge()
            return
        menu = client.merge()
        assert set(menu.names) == set(names[policy])
        for turn, (name, owner) in enumerate(sorted(names[policy].items())):
            assert client.call(name, {"turn": turn}).peer == owner
            assert called(peers[owner]) == ["search"]
        if policy == "prefix-on-collision":
            (clash,) = client.report().collisions
            assert set(clash.peers) == {"files", "notes"}


@pytest.mark.parametrize("policy", ["prefix-on-collision", "prefix-always"])
def test_N02_no_separator_in_a_name_leads_to_another_peer(policy: Policy) -> None:
    """Design 7.6: a name is looked up, never taken apart; aliases too."""
    peers = {name: modern(name, tools=["b__c", "c", "_x"]) for name in ("a", "a__b", "a_")}
    with listed(peers, options={"merge_policy": policy}) as client:
        menu = client.menu
        assert menu is not None and len(menu.items) == 9
        assert len({item.canonical for item in menu.items}) == 9
        assert len({item.alias for item in menu.items}) == 9
        for item in menu.items:
            for name in (item.canonical, item.alias):
                result = client.call(name)
                assert (result.peer, result.tool) == (item.peer, item.local)
    for fake in peers.values():
        assert sorted(called(fake)) == sorted(["b__c", "c", "_x"] * 2)


@pytest.mark.parametrize("policy", POLICIES)
def test_N03_names_that_look_alike_once_cleaned_stay_apart(policy: Policy) -> None:
    """Design 7.5: aliases are unique and reversible, and a word given for one is for that one."""
    alike = modern("alike", tools=["a.b", "a-b", "a_b"])
    with listed({"alike": alike}, options={"merge_policy": policy}) as client:
        menu = client.menu
        assert menu is not None and len({item.alias for item in menu.items}) == 3
        for item in menu.items:
            assert ALIAS.fullmatch(item.alias)
            assert client.call(item.alias).tool == item.local
    assert called(alike) == [item.local for item in menu.items]
    if policy == "reject":
        return
    servers = {name: modern(name, tools=["t"]) for name in ("my-srv", "my_srv")}
    with listed(servers, options={"merge_policy": policy}) as client:
        assert client.menu is not None
        for item in client.menu.items:
            assert client.call(item.alias).peer == item.peer
    assert [called(fake) for fake in servers.values()] == [["t"], ["t"]]


def test_N03_accepting_one_of_them_accepts_no_other() -> None:
    """Rule of drift: what was accepted is remembered for the peer and its own name of a tool."""

    def changed(name: str) -> dict[str, Any]:
        return {"name": name, "description": "new", "inputSchema": {"type": "object"}}

    names = ["a.b", "a-b"]
    anew = (
        on("tools/list").from_nth(2).then(answer_default(patch={"tools": [*map(changed, names)]}))
    )
    peer = modern("p", tools=names, list_ttl_ms=0).script(anew)
    with listed({"p": peer}, options={"drift_policy": "pin"}) as client:
        client.discover_tools()
        client.accept("a.b")
        assert not client.call("a.b").is_error
        with pytest.raises(ToolChanged):
            client.call("a-b")


def test_N04_names_of_any_length_have_an_alias_a_model_takes() -> None:
    """Design 7.5: 64 characters, cut in the middle, unique, and always back to the same tool."""
    stem = "s" * 55
    twins = [f"{stem}{'x' * 5}", f"{stem}{'y' * 5}"]
    exact = ["n" * size for size in (64, 65, 128, 129)]
    peers = {"p" * 20: modern("one", tools=[*twins, *exact]), "other": modern("two", tools=twins)}
    for policy in ("prefix-on-collision", "prefix-always"):
        with listed(peers, options={"merge_policy": policy}) as client:
            menu = client.menu
            assert menu is not None and len(menu.items) == 8
            aliases = [item.alias for item in menu.items]
            assert len(set(aliases)) == 8 and all(map(ALIAS.fullmatch, aliases))
            for item in menu.items:
                result = client.call(item.alias)
                assert (result.peer, result.tool) == (item.peer, item.local)
            if policy == "prefix-on-collision":
                of = {item.local: item.alias for item in menu.items if item.peer != "other"}
                assert of["n" * 64] == "n" * 64 and len(of["n" * 65]) == 64


@pytest.mark.parametrize(
    "names", [("Git", "git"), ("git", "git"), ("caf\u00e9", "cafe\u0301"), ("STRASSE", "straße")]
)
def test_N06_names_that_are_the_same_to_a_reader_are_refused(
    names: tuple[str, str], tmp_path: Path
) -> None:
    """Rule CONF-06: in a file and in code; the message names both."""
    entries = ",".join(f'"{name}": {{"command": "sh"}}' for name in names)
    file = tmp_path / "mcp.json"
    file.write_text(f'{{"mcpServers": {{{entries}}}}}', encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        MultiServerClient.from_config(file)
    assert names[0] in str(caught.value) and "mcp.json" in str(caught.value)
    with MultiServerClient() as client:
        client.add_server(names[0], modern("one"))
        with pytest.raises(ConfigError) as caught:
            client.add_server(names[1], modern("two"))
        assert all(name in str(caught.value) for name in names)


def merged(delays: dict[str, float], rounds: int = 1) -> list[list[tuple[str, str, str]]]:
    """Start peers that answer after these delays; return the menu after each refresh."""
    tools = {"files": ["search", "b", "a"], "notes": ["search", "c"], "web": ["search", "a"]}

    async def story(client: AsyncMultiServerClient, clock: ManualClock) -> Any:
        menus = []
        for _ in range(rounds):
            await driven(client.connect_all(), clock)
            await driven(client.discover_tools(), clock)
            menu = client.merge()
            menus.append([(item.canonical, item.peer, item.alias) for item in menu.items])
        return menus

    def late(name: str, seconds: float) -> Fake:
        slow = delay(seconds)
        return modern(name, tools=tools[name], list_ttl_ms=0).script(
            on("server/discover").then(slow, answer_default()),
            on("tools/list").then(slow, answer_default()),
        )

    return told(story, {name: late(name, seconds) for name, seconds in delays.items()}, **PATIENT)


def test_N07_names_do_not_depend_on_who_is_ready_first() -> None:
    """Design 7.5: all six orders of arrival give one menu."""
    seen = [
        merged(dict(zip(order, (0.1, 0.2, 0.3), strict=True)))[0]
        for order in itertools.permutations(("files", "notes", "web"))
    ]
    assert len(seen) == 6 and all(menu == seen[0] for menu in seen)
    assert {"search", "notes/search", "web/search"} <= {name for name, _, _ in seen[0]}


def test_N12_the_order_of_tools_is_the_same_in_every_run_and_after_every_refresh() -> None:
    """Design 7.5: sorted peers, sorted tools."""
    chance = random.Random(12)
    runs = []
    for _ in range(20):
        order = chance.sample(["files", "notes", "web"], 3)
        runs += merged({name: chance.uniform(0.01, 0.9) for name in order}, rounds=2)
    assert len(runs) == 40 and all(menu == runs[0] for menu in runs)


def test_N11_four_bad_peers_cost_the_good_one_nothing() -> None:
    """Fault matrix M04: it is ready and called while another still says nothing."""

    async def story(url: str) -> tuple[bool, dict[str, Any]]:
        async with AsyncMultiServerClient() as client:
            client.add_server("good", tiny("for message in messages(): answer(message)\n"))
            # The silent one has ten minutes, so that only isolation can end the wait.
            hang = tiny("for message in messages(): pass\n")
            client.add_server("hang", hang, discovery_timeout_ms=600_000)
            client.add_server("crash", command(["sh", "-c", "echo 'no key' >&2; exit 3"]))
            garbage = command(["sh", "-c", "while read -r line; do echo '<p>'; done"])
            client.add_server("garbage", garbage)
            client.add_server("closed", PeerConfig(name="closed", url=url))
            connecting = asyncio.ensure_future(client.connect_all())
            async with asyncio.timeout(30):
                while client.report().peers[3].status != "ready":
                    await asyncio.wait([connecting], timeout=0.01)
                await client.discover_tools()
                client.merge()
                early = not connecting.done()
                assert (await client.call("echo", {"q": "tea"})).text == "tea"
                others = ("closed", "crash", "garbage")
                while not all(rule_of(client, name) for name in others):
                    await asyncio.wait([connecting], timeout=0.01)
            rows = {row.peer: row for row in client.report().peers}
            await client.aclose()
            await connecting
            return early, rows

    def rule_of(client: AsyncMultiServerClient, name: str) -> str | None:
        return next(row.rule for row in client.report().peers if row.peer == name)

    with modern("closed").script(on("*").then(challenge(401))).over_http() as url:
        early, rows = asyncio.run(story(url))
    assert early, "it worked while the silent one was still waited for"
    assert {name: row.rule for name, row in rows.items() if name != "hang"} == {
        "closed": "HTTP-01",
        "crash": "ERA-12",
        "garbage": "ERA-14",
        "good": "ERA-01",
    }


TRAPS: Final[dict[str, tuple[str, str]]] = {
    "trailing comma": ('{"mcpServers": {\n  "a": {"command": "sh"},\n}}', ""),
    "comment": ('{// mine\n"mcpServers": {/* x */ "a": {"command": "sh"}}}', ""),
    "other word": ('{"servers": {"a": {"command": "sh"}}}', ""),
    "duplicate server": (
        '{"mcpServers": {\n"a": {"command": "sh"},\n"a": {"command": "cat"}}}',
        r" line 3: .*\.a appears twice",
    ),
    "duplicate key": (
        '{"mcpServers": {"a": {"command": "sh",\n"command": "cat"}}}',
        r" line 2: .*command appears twice",
    ),
    "misspelt": ('{"mcpServers": {"a": {"command": "sh", "comand": "x"}}}', ""),
    "cut": ('{"mcpServers": {"a": {"command": "sh"', r" line 1, column 38"),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_N13_a_trap_in_the_file_is_read_rightly_or_named_with_its_line(
    trap: str, tmp_path: Path
) -> None:
    """Rules CONF: nothing is ignored silently, and the second duplicate does not win."""
    text, refused = TRAPS[trap]
    file = tmp_path / "mcp.json"
    file.write_text(text, encoding="utf-8")
    if refused:
        with pytest.raises(ConfigError) as caught:
            MultiServerClient.from_config(file)
        assert re.search(rf"mcp\.json{refused}", str(caught.value)), str(caught.value)
        return
    with MultiServerClient.from_config(file) as client:
        assert set(client.configs) == {"a"}
        said = " ".join(client.warnings)
    assert ("comand" in said and "command" in said) == (trap == "misspelt")


@pytest.mark.parametrize("field", ["header", "env"])
@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("${DEFINED}", "value"),
        ("${env:DEFINED}", "value"),
        ("a-${DEFINED}-b", "a-value-b"),
        ("${UNDEFINED:-other}", "other"),
        ("${EMPTY}", ""),
        ("$$", "$$"),
        ("${UNDEFINED}", None),
        ("${OUTER_${DEFINED}}", None),
    ],
)
def test_N14_a_variable_is_replaced_or_named_never_sent_as_it_is_written(
    field: str, written: str, becomes: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules CONF: in documented fields; what cannot be replaced is an error with its name."""
    for name, value in {"DEFINED": "value", "EMPTY": ""}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("UNDEFINED", raising=False)
    peer = (
        {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Key": written}}
        if field == "header"
        else {"command": "sh", "env": {"KEY": written}}
    )
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": peer}}), encoding="utf-8")
    if becomes is None:
        with pytest.raises(ConfigError) as caught:
            MultiServerClient.from_config(file)
        assert "mcp.json" in str(caught.value) and "value" not in str(caught.value).split()
        where = "headers.X-Key" if field == "header" else "env.KEY"
        assert ("UNDEFINED" if written == "${UNDEFINED}" else where) in str(caught.value)
        return
    with MultiServerClient.from_config(file) as client:
        config = client.configs["a"]
        assert [*config.headers.values(), *config.env.values()] == [becomes]


BROKEN: Final[dict[str, Any]] = {
    "null": {"name": "null", "inputSchema": None},
    "list": {"name": "list", "inputSchema": []},
    "missing": {"name": "missing"},
    "array": {"name": "array", "inputSchema": {"type": "array"}},
    "(tool 4)": {"inputSchema": {"type": "object"}},
}
ODD: Final = {
    "with a space": {"name": "with a space", "inputSchema": {"type": "object"}},
    "dangling": {
        "name": "dangling",
        "inputSchema": {"type": "object", "properties": {"x": {"$ref": "#/$defs/nobody"}}},
    },
}
FORTY: Final = r"""
good = [{"name": "good-%02d" % n, "inputSchema": {"type": "object"}} for n in range(33)]
level, depth = '{"type":"object","properties":{"x":', 500
deep = '{"name":"deep","inputSchema":' + level * depth + "{}" + "}}" * depth + "}"
for message in messages():
    if message["method"] == "tools/list":
        tools = ",".join([*map(json.dumps, BAD + good), deep])
        out.write(b'{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","ttlMs":0,'
                  b'"cacheScope":"private","tools":[%s]}}\n' % (message["id"], tools.encode()))
        out.flush()
    elif message["method"] == "tools/call":
        echo(message, message["params"]["name"])
    else:
        answer(message)
"""


def test_N15_a_malformed_tool_takes_no_other_along() -> None:
    """Rule LIST-03: each is left out with a reason; an odd name is no fault at all."""
    code = f"BAD = json.loads({json.dumps(json.dumps([*BROKEN.values(), *ODD.values()]))})\n"
    with listed({"p": tiny(code + FORTY)}) as client:
        assert client.menu is not None
        good = [f"good-{number:02}" for number in range(33)]
        assert set(client.menu.names) - {"deep"} == {*good, *ODD}
        left_out = {one.name: one for one in client.report().peers[0].dropped}
        # Where the interpreter can follow five hundred levels, the tool is listed after all.
        assert set(BROKEN) <= set(left_out) and len(left_out) + len(client.menu.names) == 41
        assert all(one.reason and one.rule == "LIST-03" for one in left_out.values())
        for name in {"deep", "dangling"} & set(client.menu.names):
            with pytest.raises(WorkbenchError, match="schema"):
                client.call(name, {"x": {"x": 1}})
        for name in ("with a space", "good-00", "good-32"):
            assert client.call(name).text == name


def test_N16_a_model_sees_an_alias_and_the_server_its_own_name() -> None:
    """Design 7.5: canonical, local and model-safe names are three different things."""
    names = ["a.b", "a/b", "a:b", "d" * 128]
    peer = modern("p", tools=names)
    with listed({"p": peer}) as client:
        assert client.menu is not None
        assert {item.local for item in client.menu.items} == set(names)
        for item in client.menu.items:
            assert ALIAS.fullmatch(item.alias)
            client.call(item.alias)
            client.call(item.canonical)
    assert sorted(called(peer)) == sorted(names * 2)
