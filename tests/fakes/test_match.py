from typing import Any

import pytest

from fakes.errors import ScriptError
from fakes.match import Match, contains
from workbench.core.wire.keys import CAPABILITIES_KEY


@pytest.mark.parametrize(
    ("match", "params", "fits"),
    [
        (Match(method="a"), {}, True),
        (Match(method="b"), {}, False),
        (Match(), {"x": 1}, True),
        (Match(params={"x": {"y": 1}}), {"x": {"y": 1, "z": 2}}, True),
        (Match(params={"x": {"y": 1}}), {"x": 1}, False),
        (Match(params={"x": 1}), {"x": True}, False),
        (Match(params={"x": [1]}), {"x": [1, 2]}, False),
        (Match(absent=("cursor",)), {}, True),
        (Match(absent=("cursor",)), {"cursor": None}, False),
        (Match(meta={"k": 1}), {"_meta": {"k": 1}}, True),
        (Match(meta={"k": 1}), {"_meta": None}, False),
        (Match(lacks_meta=("k",)), {}, True),
        (Match(lacks_meta=("k",)), {"_meta": {"k": 1}}, False),
        (Match(lacks_capability="roots"), {}, True),
        (Match(lacks_capability="roots"), {"_meta": {CAPABILITIES_KEY: {"roots": {}}}}, False),
        (Match(lacks_capability="roots"), {"_meta": {CAPABILITIES_KEY: {}}}, True),
        (Match(lifetime=2), {}, False),
        (Match(lifetime=1), {}, True),
        (Match(moment="start"), {}, False),
    ],
)
def test_a_condition_fits_by_containment_and_absence(
    match: Match, params: dict[str, Any], fits: bool
) -> None:
    """Ours: objects by member, everything else by type and value."""
    assert match.concerns("a", params, lifetime=1) is fits


@pytest.mark.parametrize(
    ("first", "last", "turns"),
    [(1, None, [1, 2, 3]), (2, 2, [2]), (2, None, [2, 3]), (1, 2, [1, 2])],
)
def test_a_turn_lies_between_first_and_last(first: int, last: int | None, turns: list[int]) -> None:
    """Ours: turns count from 1, both ends included."""
    match = Match(first=first, last=last)
    assert [count for count in (1, 2, 3) if match.is_turn(count)] == turns


@pytest.mark.parametrize("fields", [{"first": 0}, {"first": 3, "last": 2}, {"lifetime": 0}])
def test_turns_that_never_come_are_refused(fields: dict[str, int]) -> None:
    """Ours: a rule that cannot fit is a mistake of its author."""
    with pytest.raises(ScriptError):
        Match(**fields)  # type: ignore[arg-type]


def test_containment_tells_true_from_one() -> None:
    """Spec: JSON has booleans and numbers; Python's equality does not tell them apart."""
    assert not contains({"a": True}, {"a": 1})
    assert contains({"a": None}, {"a": None})
