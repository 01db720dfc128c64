"""Every rule of the rulebook is applied by something that runs here, or by a named test.

All ready-made fakes of the era, listing and call rows are played in memory under both
flags; whatever rule a journal, a report row, a collision or an exception then quotes counts
as exercised. What such a run cannot reach is listed with the test that does.
"""

import asyncio
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from driven import driven

from fakes import FAULTS, Fake, answer_default, error, fault, modern, on, reply, variants
from fakes.library.index import find, names
from workbench import AsyncMultiServerClient, ManualClock
from workbench.core.config.config import read_config
from workbench.core.errors import WorkbenchError
from workbench.core.rulebook.rule import Rule
from workbench.core.rulebook.rules import RULES

ROOT: Final = Path(__file__).resolve().parents[2]
RULE_ID: Final = re.compile(r"\b[A-Z]{2,6}-[0-9]{2}\b")

_CACHE: Final = "tests/core/results/test_cache.py::test_"
_REJECT: Final = "tests/stories/test_hard_rejects.py::test_"
_LOCK: Final = "tests/stories/test_locks.py::test_"
_PIN: Final = "tests/stories/test_pinning.py::test_"
_HTTP: Final = "tests/core/negotiate/test_http.py::test_"
_STDIO: Final = "tests/transports/test_stdio.py::test_"
_START: Final = "tests/transports/test_signs.py::test_what_cannot_start_says_why_and_leaves_nothing"

ELSEWHERE: Final[dict[str, str]] = {
    # Rule -> the test that hits it, each for the reason above its group.
    # Kept on every request, or answered as it should be: nothing to quote.
    "WIRE-01": f"{_REJECT}hard_reject_1_every_modern_request_carries_current_meta",
    "WIRE-03": "tests/stories/test_traffic.py"
    "::test_E20_a_server_request_during_a_call_is_answered_by_era",
    # The failure carries the rule of what was wrong with the page.
    "LIST-06": "tests/stories/test_rules_in_use.py::test_a_refused_listing_is_an_empty_row",
    # What a cache does not give shows in the requests it causes.
    "CACHE-01": f"{_CACHE}only_the_word_public_is_public",
    "CACHE-02": f"{_REJECT}hard_reject_6_a_private_list_never_crosses_authorization_contexts",
    "CACHE-04": f"{_CACHE}a_fetch_from_before_an_invalidation_is_not_stored",
    "CACHE-05": f"{_CACHE}a_partial_list_is_not_stored_and_leaves_the_stored_one",
    "CACHE-06": f"{_CACHE}a_clock_that_goes_back_makes_nothing_fresher",
    # The walk drops repeated names before a merge can see one.
    "MERGE-04": "tests/core/menu/test_merge.py"
    "::test_a_name_listed_twice_by_one_peer_is_refused_and_the_rest_stays",
    # The client says why the peer is away (PEER-01) instead of that it is.
    "ROUTE-04": "tests/core/menu/test_route.py::test_an_owner_that_is_not_ready_gets_nothing",
    # Only a menu accepted before a change can be wrong afterwards.
    "ROUTE-03": "tests/core/menu/test_route.py"
    "::test_a_changed_owner_is_refused_until_the_menu_is_accepted_again",
    # Safe reads are repeated by whoever lists again; the decision itself is a value.
    "RETRY-02": "tests/core/recovery/test_recover.py::test_reads_may_be_repeated",
    # The operator has to say whose annotations are true.
    "RETRY-03": "tests/test_calls.py"
    "::test_a_tool_declared_harmless_is_called_again_only_for_a_peer_that_is_believed",
    # HTTP shows it, memory and pipes do not.
    "LEG-10": f"{_HTTP}an_initialize_without_an_answer_leaves_the_peer_unavailable",
    "LEG-11": f"{_HTTP}an_initialize_without_an_answer_leaves_the_peer_unavailable",
    "LIST-07": "tests/stories/test_http_calls.py"
    "::test_a_tool_with_a_void_annotation_is_dropped_over_http_alone",
    # The operator has to ask for it.
    "CACHE-07": "tests/test_menu_verbs.py::test_an_old_list_stands_in_only_when_asked",
    # A list has to change between two readings of it.
    "CACHE-08": "tests/drivers/test_paging.py"
    "::test_a_page_whose_cursor_has_changed_begins_the_list_anew",
    "DRIFT-02": "tests/test_menu_verbs.py"
    "::test_C13_pin_refuses_a_changed_tool_until_it_is_accepted",
    "MERGE-06": "tests/test_menu_verbs.py::test_reserved_names_stay_with_the_application",
    # It needs a file, a program or a process.
    "CONF-07": "tests/test_configuration.py::test_a_missing_file_is_one_clear_error",
    "PIN-01": f"{_REJECT}refusal_1_a_command_outside_the_allowlist_is_never_started",
    "PIN-02": f"{_PIN}a_link_that_leads_elsewhere_is_refused",
    "PIN-03": f"{_PIN}a_peer_the_lock_does_not_hold_is_refused",
    "PIN-04": f"{_LOCK}a_demanded_lock_that_is_missing_is_one_clear_line",
    "PIN-05": f"{_LOCK}a_lock_that_cannot_be_used_is_one_clear_line",
    "PIN-06": "tests/test_pinning.py::test_a_folder_that_is_gone_leaves_no_half_lock",
    "PIN-07": f"{_LOCK}a_changed_command_does_not_inherit_the_legacy_permission",
    "PROC-01": _START,
    "PROC-02": _START,
    "PROC-03": _START,
    "PROC-04": f"{_STDIO}end_of_the_process_says_how_and_what_it_said_last",
}
OTHER_STORIES: Final = frozenset({"HTTP", "INPUT", "LINT", "PIN", "RECOV", "SUB"})
"""Families whose own tests quote their rules."""
HANDLED: Final = frozenset({"CALL-06", "CALL-07", "CALL-08", "CALL-09"})
"""Rules of calls with a schema or a handler, which the fakes here have not."""

TEXTS: Final = {
    "CONF-01": '{"mcpServers": {',
    "CONF-02": '{"mcpServers": {}, "mcpServers": {}}',
    "CONF-03": '{"mcpServers": {"a": {"command": 7}}}',
    "CONF-04": '{"mcpServers": {"a": {"command": "x", "args": ["${NOBODY_HAS_SET_THIS}"]}}}',
    "CONF-05": '{"mcpServers": {"a": {"command": "x", "alow_legacy": true}}}',
    "CONF-06": '{"mcpServers": {"a/b": {"command": "x"}}}',
}


def quoted(client: AsyncMultiServerClient) -> Iterator[str]:
    """Yield every rule id a client's journal and report quote."""
    for entry in client.journal.entries():
        yield from RULE_ID.findall(f"{entry.rule} {entry.what} {entry.detail}")
    report = client.report()
    for row in report.peers:
        yield from RULE_ID.findall(f"{row.rule} {row.remarks()}")
    for clash in report.collisions:
        yield str(getattr(clash, "rule", ""))


def played(*peers: Fake, calls: tuple[str, ...] = (), **how: Any) -> set[str]:
    """Connect, list, merge and call in memory; return the rules that were quoted."""
    settings = {"allow_legacy": how.pop("allow_legacy", False)}
    if how.pop("newer", False):
        settings["modern_revisions"] = ("2026-07-28", "2099-12-31")

    async def story() -> set[str]:
        clock = ManualClock()
        client = AsyncMultiServerClient(clock=clock, can_declare={"elicitation": {}}, **how)
        for number, peer in enumerate(peers):
            client.add_server(f"peer-{number}", peer, legacy_probe_timeout_ms=2_000, **settings)
        await driven(client.connect_all(), clock)
        await driven(client.discover_tools(), clock)
        await driven(client.discover_tools(), clock)
        seen: set[str] = set()
        try:
            client.merge()
        except WorkbenchError as refused:
            seen.add(str(refused.failure.rule))
        names = client.menu.names[:1] if client.menu else ()
        for name in (*names, *calls):
            try:
                await driven(client.call(name, timeout_s=2.0), clock)
            except WorkbenchError as refused:
                seen.add(str(refused.failure.rule))
        seen |= set(quoted(client))
        await driven(client.aclose(), clock)
        return seen

    return asyncio.run(story()) & set(RULES)


@cache
def provoked(name: str) -> frozenset[str]:
    """Return the rules one ready-made fake provokes, under both flags."""
    found: set[str] = set()
    for allow_legacy in (False, True):
        fake = find(name, discovery_timeout_s=1.0)
        found |= played(fake, allow_legacy=allow_legacy, newer=name.startswith("P07"))
    return frozenset(found)


def in_memory(name: str) -> bool:
    """Say whether a fault shows without a process or a socket."""
    # 64 MiB pass through the same code as 5 MB and take a second each time.
    return name[0] in "PLC" and name[:3] != "C14" and name != "C09-64-MiB"


def of_names() -> set[str]:
    """Return the rules that need several peers, or a name nobody has."""
    clashing = find("colliding"), modern("notes")
    strange = modern("strange", tools=["peer-1/search", "search"])
    found = played(find("colliding"), modern("notes"), modern("more"), strange)
    found |= played(*clashing, merge_policy="reject", calls=("search",))
    found |= played(modern("notes"), calls=("serch",))
    found |= played(fault("C04-dies-before"), calls=("create",))
    try:
        AsyncMultiServerClient(merge_policy="any")  # type: ignore[arg-type]
    except WorkbenchError as refused:
        found.add(str(refused.failure.rule))
    return found


def of_answers() -> set[str]:
    """Return the rules of answers no ready-made fake gives."""
    no_tools = on("tools/list").then(answer_default(patch={"tools": "none"}))
    no_content = on("tools/call").then(reply({"resultType": "complete"}))
    refused = on("tools/call").then(error(-32602, "no such tool"))
    noisy = on("server/discover").nth(1).then(error(-32020), reply({}, id="other"))
    found: set[str] = set()
    for rule in (no_tools, no_content, refused, noisy):
        found |= played(modern("peer").script(rule))
    return found


def of_files() -> set[str]:
    """Return the rules quoted for wrong configurations."""
    found = set()
    for text in TEXTS.values():
        with pytest.raises(WorkbenchError) as caught:
            read_config(text, {}, "mcp.json")
        found.add(str(caught.value.failure.rule))
    return found


def told_elsewhere() -> set[str]:
    """Return the rules of other stories that a test there quotes.

    They need a socket, a lock file or a handler, which this module does without.
    """
    paths = set((ROOT / "tests").rglob("test_*.py")) - {Path(__file__).resolve()}
    quoted_there = {id for p in paths for id in RULE_ID.findall(p.read_text(encoding="utf-8"))}
    return {id for id in quoted_there if in_another_story(RULES.get(id))}


def in_another_story(rule: Rule | None) -> bool:
    """Say whether a rule belongs to HTTP, to pinning or to a call's questions."""
    return rule is not None and (
        rule.family in OTHER_STORIES or rule.id in HANDLED or rule.fake[:1] == "H"
    )


def test_every_rule_is_applied_here_or_in_a_named_test() -> None:
    """Ours: a rule nobody can break is a sentence, not a rule."""
    found = of_names() | of_answers() | of_files()
    for name in filter(in_memory, FAULTS):
        found |= provoked(name)
    missing = set(RULES) - found - set(ELSEWHERE) - told_elsewhere()
    assert sorted(missing) == [], "no fake and no named test applies these"


def test_no_rule_is_listed_elsewhere_that_is_gone() -> None:
    """Ours: a list of exceptions only shrinks when somebody looks."""
    assert set(ELSEWHERE) <= set(RULES)


@pytest.mark.parametrize("rule_id", sorted(ELSEWHERE))
def test_the_test_that_is_named_for_a_rule_exists(rule_id: str) -> None:
    """Ours: a promise that can be looked up."""
    file, _, name = ELSEWHERE[rule_id].partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def test_every_fake_that_a_rule_names_exists() -> None:
    """Ours: a student types the name to see the rule at work."""
    honest = {name for name, _ in names()} - set(FAULTS)
    gone = {r.id for r in RULES.values() if r.fake and not (variants(r.fake) or r.fake in honest)}
    assert gone == set()


POINTED = [
    rule.id
    for rule in RULES.values()
    if rule.fake[:1] in ("P", "L", "C") and not in_another_story(rule)
]


@pytest.mark.parametrize("rule_id", [id for id in POINTED if id not in ELSEWHERE])
def test_the_fake_that_a_rule_names_provokes_it(rule_id: str) -> None:
    """Ours: a wrong pointer is worse than none. What is listed elsewhere is not quoted."""
    found = {name: provoked(name) for name in variants(RULES[rule_id].fake)}
    assert any(rule_id in rules for rules in found.values()), found


def test_no_rule_is_quoted_that_is_not_in_the_rulebook() -> None:
    """Ours: an id in a message can be looked up."""
    unknown = {
        f"{path.relative_to(ROOT)}: {found}"
        for path in sorted((ROOT / "workbench").rglob("*.py"))
        for found in RULE_ID.findall(path.read_text(encoding="utf-8"))
        if found not in RULES
    }
    assert unknown == set()


def test_a_refused_listing_is_an_empty_row() -> None:
    """Rule LIST-06: an error answer leaves the peer without a list, and the report says why."""
    peer = modern("peer").script(on("tools/list").then(error(-32603, "not today")))

    async def story() -> Any:
        client = AsyncMultiServerClient()
        client.add_server("peer", peer)
        await client.connect_all()
        await client.discover_tools()
        client.merge()
        row = client.report().peers[0]
        await client.aclose()
        return row

    row = asyncio.run(story())
    assert (row.status, row.tools, row.rule) == ("ready", (), "CALL-04")
    assert "-32603" in row.reason
