"""Rules LINT-19 to LINT-22, one fault at a time."""

from typing import Any

import pytest
from told import DISCOVERED, HEADERS, Told

MODERN = "2026-07-28"


def refused(code: int, data: Any = None, **how: Any) -> Told:
    told = Told()
    told.ask(1, "server/discover", **how)
    told.refuse(1, code, data)
    return told


@pytest.mark.parametrize(
    "data",
    [
        None,
        {"supported": "2099-01-01", "requested": MODERN},
        {"supported": [MODERN], "requested": MODERN},
        {"supported": ["2099-01-01"], "requested": "2099-01-01"},
        {"supported": ["2099-01-01"]},
    ],
)
def test_a_version_error_without_a_way_on_is_found(data: Any) -> None:
    """Rule LINT-19."""
    assert {rule for _, rule in refused(-32022, data).found()} == {"LINT-19"}
    fine = {"supported": ["2099-01-01"], "requested": MODERN}
    assert refused(-32022, fine).found() == []


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"requiredCapabilities": {}},
        {"requiredCapabilities": {"elicitation": {}}},
        {"requiredCapabilities": {"sampling": {"tools": {}}}},
    ],
)
def test_a_capability_error_about_nothing_or_about_what_was_declared_is_found(data: Any) -> None:
    """Rule LINT-20."""
    declared = {"elicitation": {}, "sampling": {"tools": {}}}
    assert refused(-32021, data, declared=declared).found() == [(2, "LINT-20")]
    more = {"requiredCapabilities": {"elicitation": {"url": {}}}}
    assert refused(-32021, more, declared=declared).found() == []


def test_a_header_error_is_found_where_the_headers_fit_or_are_none() -> None:
    """Rule LINT-21; headers that differ make it right, and are the client's fault."""
    fitting = {**HEADERS, "mcp-protocol-version": MODERN, "mcp-method": "server/discover"}
    assert refused(-32020).found() == [(2, "LINT-21")]
    assert refused(-32020, headers=fitting).found() == [(2, "LINT-21")]
    wrong = {**fitting, "mcp-method": "x"}
    assert refused(-32020, headers=wrong).found() == [(1, "LINT-07")]


def test_a_success_in_a_version_that_is_not_supported_is_found() -> None:
    """Rule LINT-22."""
    told = Told()
    told.ask(1, "server/discover")
    told.answer(1, {**DISCOVERED, "supportedVersions": ["2099-01-01"]})
    assert told.found() == [(2, "LINT-22")]
