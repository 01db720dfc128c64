from collections.abc import Callable

import pytest

from fakes import (
    ScriptError,
    answer_default,
    close,
    delay,
    error,
    modern,
    on,
    on_input_end,
    on_start,
    raw,
    reply,
    silence,
)


@pytest.mark.parametrize(
    "build",
    [
        lambda: on("x").then(),
        lambda: on("").then(silence()),
        lambda: on("x").then(delay(1)),
        lambda: on("x").then(silence(), answer_default()),
        lambda: on("x").then(close(), raw("too late")),
        lambda: on_start().then(answer_default()),
        lambda: on_input_end().then(error(1)),
        lambda: on("notifications/initialized").then(reply({})),
        lambda: on("x").nth(0),
    ],
)
def test_a_rule_that_cannot_be_done_is_refused_when_it_is_built(
    build: Callable[[], object],
) -> None:
    """Ours: a fake that silently does less than its script says would hide a bug."""
    with pytest.raises(ScriptError):
        build()


def test_a_rule_behind_one_that_takes_all_is_refused() -> None:
    """Ours: it could never have its turn, so its author expects something else."""
    with pytest.raises(ScriptError, match="rule 2"):
        modern().script(on("tools/call").then(silence()), on("tools/call").nth(2).then(close()))


def test_a_narrow_rule_in_front_of_a_broad_one_is_fine() -> None:
    """Ours: the first rule that fits acts, so exceptions come first."""
    fake = modern().script(on("*").nth(2).then(close()), on("*").then(silence()))
    assert len(fake.program.rules) == 2


def test_conditions_under_construction_do_not_share_anything() -> None:
    """Ours: one half-built condition can be the start of several rules."""
    calls = on("tools/call")
    narrow = calls.where(name="a").nth(2).then(silence())
    assert calls.then(silence()).on.params == {}
    assert narrow.on.params == {"name": "a"}


def test_conditions_on_metadata_end_up_in_the_rule() -> None:
    """Ours: every way to narrow a rule is plain data."""
    rule = on("x").up_to(2).where_meta({"k": 1}).where_meta_absent("l").then(silence())
    assert (rule.on.meta, rule.on.lacks_meta, rule.on.last) == ({"k": 1}, ("l",), 2)
    with pytest.raises(ScriptError):
        modern("")
