"""The two results an era rests on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playbook import DISCOVERY, HANDSHAKE

from workbench.core.negotiate.results import (
    Discovery,
    Handshake,
    Unreadable,
    read_discover_result,
    read_initialize_result,
)
from workbench.core.wire.keys import SERVER_INFO_KEY

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = ["supportedVersions", "capabilities", "resultType", "ttlMs", "cacheScope", "instructions"]


def test_the_facts_of_a_discover_result_are_kept() -> None:
    """Spec: schema DiscoverResult."""
    info = {"name": "n", "version": ""}
    value = {**DISCOVERY, "instructions": "read me", "_meta": {SERVER_INFO_KEY: info}}
    read = read_discover_result(value, False)
    assert isinstance(read, Discovery)
    assert (read.supported, read.instructions, read.server_info, read.deviations) == (
        ("2026-07-28",),
        "read me",
        info,
        (),
    )


@pytest.mark.parametrize("meta", [None, [], "x", {SERVER_INFO_KEY: "me"}])
def test_an_odd_identity_is_no_reason_to_refuse_a_modern_peer(meta: Any) -> None:
    """Spec: serverInfo is for display only."""
    read = read_discover_result({**DISCOVERY, "_meta": meta}, False)
    assert isinstance(read, Discovery)
    assert read.server_info == {}


def test_only_a_missing_result_type_is_told_apart_from_other_faults() -> None:
    """Fault matrix P16 and P17."""
    without = {key: value for key, value in DISCOVERY.items() if key != "resultType"}
    read = read_discover_result(without, False)
    assert isinstance(read, Unreadable) and read.only_result_type
    read = read_discover_result({**without, "capabilities": None}, False)
    assert isinstance(read, Unreadable) and not read.only_result_type


def test_the_facts_of_a_handshake_are_kept_and_the_revision_is_not_judged() -> None:
    """Spec 2025-11-25: InitializeResult."""
    read = read_initialize_result({**HANDSHAKE, "protocolVersion": "9999"})
    assert isinstance(read, Handshake)
    assert (read.version, read.server_info["name"]) == ("9999", "old")


@given(JSON, st.sampled_from(FIELDS), JSON)
def test_no_json_value_makes_the_readers_raise(value: Any, field: str, other: Any) -> None:
    """Ours: a result is data."""
    for candidate in (value, {**DISCOVERY, field: other}, {**HANDSHAKE, field: other}):
        read_discover_result(candidate, True)
        read_initialize_result(candidate)
