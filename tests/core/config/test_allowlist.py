"""What may be started."""

from workbench.core.config.allowlist import refuse_command


def test_a_command_outside_the_allowlist_is_refused() -> None:
    """Seed skill, refusal rules."""
    failure = refuse_command("p", ("/bin/evil", "x"), ["/bin/good", ("/bin/evil", "y")])
    assert failure is not None
    assert (failure.rule, "/bin/evil x" in failure.detail) == ("PIN-01", True)


def test_an_executable_entry_permits_any_arguments() -> None:
    """Design section 5."""
    assert refuse_command("p", ("/bin/good", "-x"), ["/bin/good"]) is None


def test_a_command_line_entry_permits_exactly_that_line() -> None:
    """Design section 5."""
    allowed = [("/bin/good", "-x")]
    assert refuse_command("p", ("/bin/good", "-x"), allowed) is None
    assert refuse_command("p", ("/bin/good", "-x", "-y"), allowed) is not None


def test_an_empty_allowlist_permits_nothing() -> None:
    """Ours: fail closed."""
    assert refuse_command("p", ("/bin/good",), []) is not None
