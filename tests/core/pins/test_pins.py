"""What is pinned, what counts as a difference, and how a difference reads."""

from typing import Any

import pytest
from msgspec.structs import replace

from workbench.core.config.config import PeerConfig
from workbench.core.errors import CouldNotStart
from workbench.core.pins.drift import pin_tools
from workbench.core.pins.pins import (
    FilePin,
    Hidden,
    Lock,
    PeerPin,
    by_name_only,
    declared,
    differences,
    refusal,
    retargeted,
    unused,
)
from workbench.core.text.redact import Redactor
from workbench.core.tool import Listing, Tool

PIN = PeerPin(
    kind="stdio",
    allow_legacy=False,
    command="/bin/x",
    args=("a", "b"),
    files={"executable": FilePin(path="/usr/bin/x", sha256="ab12" * 16)},
    env=("A",),
    tools={},
)


def now(**changes: Any) -> PeerPin:
    """Return the facts, as pinned but for some changes."""
    return replace(PIN, tools=None, **changes)


def test_nothing_changed_is_no_difference() -> None:
    """Ours: tools are compared elsewhere."""
    assert differences(PIN, now()) == ()
    assert refusal(Lock({"p": PIN}), "p", now(), "pin it") is None


@pytest.mark.parametrize(
    ("changes", "line", "elsewhere"),
    [
        ({"command": "/bin/y"}, 'command was "/bin/x", is "/bin/y"', True),
        ({"cwd": "/tmp"}, 'cwd was not set, is "/tmp"', True),
        ({"args": ("a", "c")}, 'args[1] was "b", is "c"', True),
        ({"args": ("a",)}, 'args was ["a", "b"], is ["a"]', True),
        ({"env": ("B", "A")}, "env names changed: +B", False),
        ({"env": ()}, "env names changed: -A", False),
        ({"allow_legacy": True}, "allow_legacy was false, is true", False),
        ({"files": {}}, 'executable was "/usr/bin/x", is missing', True),
        (
            {"files": {"executable": FilePin(path="/usr/bin/x", sha256="cd34" * 16)}},
            'executable "/usr/bin/x": sha256 was ab12ab12ab12…, is cd34cd34cd34…',
            True,
        ),
        (
            {"files": {"executable": FilePin(path="/usr/bin/x")}},
            'executable "/usr/bin/x": sha256 was ab12ab12ab12…, cannot be read',
            True,
        ),
        (
            {"files": {"executable": FilePin(path="/opt/x", sha256="ab12" * 16)}},
            'executable was "/usr/bin/x", is "/opt/x"',
            True,
        ),
    ],
)
def test_each_difference_reads_aloud(changes: dict[str, Any], line: str, elsewhere: bool) -> None:
    """Design section 5: a readable difference; the permission is bound to the target."""
    facts = now(**changes)
    assert differences(PIN, facts) == (line,)
    assert retargeted(PIN, facts) is elsewhere


def test_a_refusal_names_all_differences_and_the_way_to_accept_them() -> None:
    """Design section 9: what was seen, which rule, what to do."""
    facts = now(command="/bin/y", allow_legacy=True)
    failure = refusal(Lock({"p": PIN}), "p", facts, "pin it")
    assert failure is not None
    assert failure.detail == (
        'differs from the lock: command was "/bin/x", is "/bin/y"; allow_legacy was false, is true'
    )
    assert (failure.rule, failure.peer) == ("PIN-02", "p")
    assert failure.hint.endswith("accept it with: pin it")
    assert isinstance(failure.as_error(), CouldNotStart)


def test_a_peer_without_a_pin_is_refused() -> None:
    """Ours: fail closed."""
    failure = refusal(Lock({"p": PIN}), "q", now(), "pin it")
    assert failure is not None and failure.rule == "PIN-03"
    assert unused(Lock({"p": PIN, "a": PIN}), ["p"]) == ("a",)


def test_a_file_that_appears_matters_unless_the_peer_was_ready_without_it() -> None:
    """Ours: a server makes its database on the first start; a script was there before."""
    facts = now(
        files={**PIN.files, "args[1]": FilePin(path="/data/b", sha256="00" * 32)},
    )
    assert differences(PIN, facts) == ()
    assert differences(replace(PIN, tools=None), facts) == ('args[1] was no file, is "/data/b"',)
    launched = now(files={**PIN.files, "interpreter": FilePin(path="/bin/sh", sha256="00" * 32)})
    assert differences(PIN, launched) == ('interpreter was no file, is "/bin/sh"',)


def test_data_is_pinned_by_name_only() -> None:
    """Ours: the content of a database changes, its path does not."""
    facts = now(files={"executable": FilePin(path="/usr/bin/x", sha256="cd34" * 16)})
    assert differences(by_name_only(PIN, ["executable", "args[9]"]), facts) == ()
    moved = now(files={"executable": FilePin(path="/opt/x", sha256="cd34" * 16)})
    assert len(differences(by_name_only(PIN, ["executable"]), moved)) == 1


def test_what_is_declared_holds_names_and_no_values() -> None:
    """Design section 5: environment names."""
    config = PeerConfig(
        name="p",
        command="/bin/x",
        args=("-v", "--key=secret-value"),
        env={"KEY": "secret-value", "A": "1"},
        env_allowlist=("Z", "B", "B"),
        allow_legacy=True,
    )
    pin = declared(config)
    assert (pin.kind, pin.allow_legacy, pin.env, pin.env_allowlist) == (
        "stdio",
        True,
        ("A", "KEY"),
        ("B", "Z"),
    )
    assert pin.args[0] == "-v"
    assert isinstance(pin.args[1], Hidden) and pin.args[1].shown == "--key=‹redacted›"
    assert "secret-value" not in repr(pin)


def test_a_hidden_text_changes_with_its_secret_and_its_place() -> None:
    """Ours: a change is noticed, equal secrets in two places are not seen to be equal."""

    def hidden(secret: str, name: str = "p") -> Hidden:
        config = PeerConfig(name=name, command="x", args=(secret, secret), env={"K": secret})
        first, second = declared(config).args
        assert isinstance(first, Hidden) and isinstance(second, Hidden)
        assert first.digest != second.digest
        return first

    assert hidden("one-secret") == hidden("one-secret")
    assert hidden("one-secret") != hidden("two-secret")
    assert hidden("one-secret") != hidden("one-secret", "q")


def test_a_hidden_text_is_never_equal_to_a_text_that_looks_like_it() -> None:
    """Ours: what is shown of a secret is no substitute for it."""
    secret = declared(PeerConfig(name="p", command="x", args=("secret",), env={"K": "secret"}))
    forged = declared(PeerConfig(name="p", command="x", args=("‹redacted›",), env={"K": "secret"}))
    assert differences(secret, forged) == ('args[0] was "‹redacted›", is "‹redacted›"',)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://h/mcp", "https://h/mcp"),
        ("https://u:p@h/mcp?k=v#f", "https://‹redacted›@h/mcp?k=‹redacted›"),
    ],
)
def test_an_endpoint_is_shown_without_its_secrets(url: str, shown: str) -> None:
    """Design section 5: endpoint URL without secrets."""
    pin = declared(PeerConfig(name="p", url=url, headers={"B": "x", "A": "y"}))
    text = pin.endpoint.shown if isinstance(pin.endpoint, Hidden) else pin.endpoint
    assert (text, pin.headers, pin.command) == (shown, ("A", "B"), None)


def test_hostile_names_are_shown_as_text() -> None:
    """Design section 7.10: escape sequences in an argument do nothing."""
    assert "\x1b" not in differences(PIN, now(args=("a", "\x1b[31m")))[0]


def test_a_lock_gives_the_pinned_tools_of_each_peer() -> None:
    """Fault matrix C13: what a listing is compared with."""
    schema = {"type": "object"}
    listing = Listing(
        peer="p", tools=(Tool(name="t", definition={"name": "t", "inputSchema": schema}),)
    )
    lock = Lock({"p": replace(PIN, tools=pin_tools(listing, Redactor()))})
    assert lock.tools == {"p": lock.peers["p"].tools}
