"""The rules of single values, for files and for code alike."""

import math

import pytest

from workbench.core.config.peer_rules import (
    check_distinct,
    check_headers,
    check_name,
    check_preview,
    check_process,
    check_revisions,
    check_url,
    check_variable,
    check_wait,
    in_order,
)
from workbench.core.config.place import Place
from workbench.core.errors import ConfigError
from workbench.core.wire.versions import LEGACY_REVISIONS

PLACE = Place().key("here")


@pytest.mark.parametrize("name", ["notes", "a" * 64, "zwei Wörter", "日本", "a.b-c_d:e", "*"])
def test_an_ordinary_name_is_accepted(name: str) -> None:
    """Fault M06: non-ASCII and spaced names are names."""
    check_name(name, PLACE)


@pytest.mark.parametrize(
    "name", ["", "a/b", " a", "a ", "a\u3000", "a\nb", "a\x00", "a\x1b[0m", "\u202ea", "a" * 65]
)
def test_a_name_that_cannot_stand_in_a_report_is_refused(name: str) -> None:
    """Ours: "/" separates peer and tool; invisible characters deceive the reader."""
    with pytest.raises(ConfigError):
        check_name(name, PLACE)


@pytest.mark.parametrize(
    ("first", "second"), [("Git", "git"), ("caf\u00e9", "cafe\u0301"), ("STRASSE", "straße")]
)
def test_names_that_look_the_same_are_refused_and_both_named(first: str, second: str) -> None:
    """Case N06: reject at load time, after normalisation, naming both."""
    with pytest.raises(ConfigError) as caught:
        check_distinct(["other", first, second], PLACE)
    assert repr(first) in str(caught.value)
    assert repr(second) in str(caught.value)


def test_different_names_are_distinct() -> None:
    """Ours: no false alarm."""
    check_distinct(["a", "b", "ä", "a-b", "a_b"], PLACE)


@pytest.mark.parametrize("value", [0, -1, -0.5, math.nan, math.inf, -math.inf, 101, 1e300])
def test_a_wait_that_is_not_positive_and_bounded_is_refused(value: float) -> None:
    """Source: design section 5, both timeouts must be positive."""
    with pytest.raises(ConfigError, match=r"^\$\.here: expected more than 0 and at most 100, got"):
        check_wait(value, 100, PLACE)


def test_a_wait_too_long_to_write_down_is_refused_all_the_same() -> None:
    """Ours: a number of five thousand digits cannot be put into a message."""
    with pytest.raises(ConfigError, match="far from that"):
        check_wait(10**5000, 100, PLACE)


@pytest.mark.parametrize("value", [1, 0.001, 100])
def test_a_positive_wait_is_accepted(value: float) -> None:
    """Ours: no false alarm; the limit itself is allowed."""
    check_wait(value, 100, PLACE)


def test_a_grace_of_nothing_is_accepted_where_it_means_none() -> None:
    """Ours: no grace is a setting, a timeout of nothing is a mistake."""
    check_wait(0, 100, PLACE, zero=True)
    with pytest.raises(ConfigError):
        check_wait(-1, 100, PLACE, zero=True)


@pytest.mark.parametrize("chosen", [(), ("c",), ("a", "c"), ("b", "a"), ("a", "a")])
def test_revisions_outside_the_table_or_its_order_are_refused(chosen: tuple[str, ...]) -> None:
    """Ours: the position in the tuple decides which revision is newest."""
    with pytest.raises(ConfigError):
        check_revisions(chosen, ("a", "b"), PLACE)


def test_revisions_are_put_in_the_order_of_the_table() -> None:
    """Ours: a file may list them in any order."""
    assert in_order(["b", "x", "a", "b"], ("a", "b")) == ("a", "b", "x")
    check_revisions(("b",), ("a", "b"), PLACE)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com/mcp",
        "ftp://h/hunter22",
        "file:///hunter22",
        "https://",
        "https://h:99999/hunter22",
        "https://h:x/hunter22",
        "http://[hunter22",
        "https://h/hunter22\n",
        "https://h/ hunter22",
        " https://h/hunter22",
    ],
)
def test_what_is_no_web_address_is_refused_without_being_shown(url: str) -> None:
    """Case X01: a url may carry a key."""
    with pytest.raises(ConfigError) as caught:
        check_url(url, PLACE)
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://localhost:8000/mcp", "https://u:p@h/?q=1", "HTTP://[::1]"])
def test_a_web_address_is_accepted(url: str) -> None:
    """Ours: no false alarm."""
    check_url(url, PLACE)


@pytest.mark.parametrize(
    ("headers", "path"),
    [
        ({"A b": "x"}, '["A b"]'),
        ({"X": "hunter22\r\nY: z"}, ".X"),
        ({"Authorization: Bearer hunter22": ""}, ".Authorization"),
        ({"x-key": "a", "X-Key": "b"}, ""),
    ],
)
def test_a_header_that_could_become_another_one_is_refused(
    headers: dict[str, str], path: str
) -> None:
    """Case X01: the place is named, the value is not."""
    with pytest.raises(ConfigError) as caught:
        check_headers(headers, PLACE)
    assert str(caught.value).startswith(f"$.here{path}: ")
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "*", "A=B", "AWS_*", "A\nB"])
def test_a_wildcard_is_no_name_of_a_variable(name: str) -> None:
    """Seed: skill item 1, an environment allowlist, one name at a time."""
    with pytest.raises(ConfigError):
        check_variable(name, PLACE)


@pytest.mark.parametrize(
    ("command", "args", "cwd", "env", "path"),
    [
        (" ", (), None, {}, ".command"),
        ("a\0b", (), None, {}, ".command"),
        ("a", ("x", "\0"), None, {}, ".args[1]"),
        ("a", (), "\0", {}, ".cwd"),
        ("a", (), None, {"K": "hunter22\0"}, ".env.K"),
        ("a", (), None, {"K=hunter22": ""}, ".env.K"),
    ],
)
def test_what_no_process_can_be_started_with_is_refused(
    command: str, args: tuple[str, ...], cwd: str | None, env: dict[str, str], path: str
) -> None:
    """Ours: the fault is shown where it is written, not where the start fails."""
    with pytest.raises(ConfigError) as caught:
        check_process(command, args, cwd, env, PLACE)
    assert str(caught.value).startswith(f"$.here{path}: ")
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize(
    "chosen",
    [(), ("2025-11-25",), ("2026-07-28", "2026-07-28"), ("",), ("2026\x00",), ("x" * 65,)],
)
def test_modern_revisions_in_code_may_be_new_but_not_wrong(chosen: tuple[str, ...]) -> None:
    """Fault matrix P07: a coming revision can be tried out."""
    place = Place(path="$.modern_revisions")
    check_preview(("2026-07-28", "2099-12-31"), LEGACY_REVISIONS, place)
    with pytest.raises(ConfigError):
        check_preview(chosen, LEGACY_REVISIONS, place)
