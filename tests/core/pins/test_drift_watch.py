"""What has changed since it was accepted, who may accept it, and what is refused meanwhile."""

from typing import Any

import pytest

from workbench.core.errors import Failure, Kind, ToolChanged
from workbench.core.pins.drift import pin_tool
from workbench.core.pins.drift_watch import MOST_KEPT, DriftWatch
from workbench.core.text.redact import Redactor
from workbench.core.tool import Listing, Tool


def tool(name: str = "send", **members: Any) -> Tool:
    return Tool(name=name, definition={"name": name, "inputSchema": {"type": "object"}, **members})


def listing(*tools: Tool, peer: str = "post", **more: Any) -> Listing:
    return Listing(peer=peer, tools=tools, **more)


def states(watch: DriftWatch) -> list[tuple[str, str]]:
    return [(note.drift.name, note.state) for note in watch.notes(Redactor())]


BEFORE, AFTER = tool(description="Sends."), tool(description="Steals.")


def test_first_sight_is_accepted_and_a_change_is_told_once() -> None:
    """Fault matrix C13; rule DRIFT-01."""
    watch = DriftWatch()
    assert watch.see(listing(BEFORE), 1.0) == ()
    (drift,) = watch.see(listing(AFTER), 2.0)
    assert drift.changed == ("description",)
    assert drift.line() == (
        "the tool send changed since it was accepted: description "
        '(description was "Sends.", is "Steals.")'
    )
    assert watch.see(listing(AFTER), 3.0) == ()
    assert watch.pending("post") == (drift,)
    assert watch.pending("nobody") == ()
    assert [note.at for note in watch.notes(Redactor())] == [2.0]


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        (tool(description="Sends.", annotations={"readOnlyHint": True}), ("annotations",)),
        (tool(description="Sends.", inputSchema={"type": "object", "x": 1}), ("schema",)),
        (tool(description="Sends.", _meta={}), ("other",)),
        (tool(inputSchema={"type": "object", "x": 1}), ("description", "schema")),
    ],
)
def test_each_part_is_named(after: Tool, changed: tuple[str, ...]) -> None:
    """Fault matrix C13: description, schema, annotations."""
    watch = DriftWatch()
    watch.see(listing(BEFORE), 0.0)
    assert [drift.changed for drift in watch.see(listing(after), 0.0)] == [changed]


def test_tools_that_come_and_go_are_drift_too() -> None:
    """Fault matrix C13: a cut list tells of nothing that is gone."""
    watch = DriftWatch()
    watch.see(listing(tool("a"), tool("b")), 0.0)
    assert watch.see(listing(tool("a"), complete=False), 0.0) == ()
    found = watch.see(listing(tool("b"), tool("c")), 0.0)
    assert [(drift.name, drift.changed) for drift in found] == [
        ("a", ("removed",)),
        ("c", ("added",)),
    ]


def test_a_failed_listing_tells_nothing() -> None:
    """Ours: a peer in trouble has not withdrawn its tools."""
    watch = DriftWatch()
    watch.see(listing(BEFORE), 0.0)
    failure = Failure(kind=Kind.TOOK_TOO_LONG, detail="late")
    assert watch.see(listing(failure=failure), 0.0) == ()
    assert watch.pending("post") == ()


def test_a_change_that_is_taken_back_is_no_drift_any_more() -> None:
    """Ours: what is there now is what was accepted; the record says what happened."""
    watch = DriftWatch("pin")
    for tools in (BEFORE, AFTER, BEFORE):
        watch.see(listing(tools), 0.0)
    assert watch.refusal("post", "send") is None
    assert states(watch) == [("send", "reverted")]


def test_pin_refuses_a_changed_tool_until_it_is_accepted() -> None:
    """Fault matrix C13; rule DRIFT-02."""
    watch = DriftWatch("pin")
    watch.see(listing(BEFORE, tool("read")), 0.0)
    assert watch.refusal("post", "send") is None
    watch.see(listing(AFTER, tool("read")), 0.0)
    refused = watch.refusal("post", "send")
    assert refused is not None and refused.rule == "DRIFT-02"
    assert isinstance(refused.as_error(), ToolChanged)
    assert "Steals." in refused.detail and "accept" in refused.hint
    assert watch.refusal("post", "read") is None
    assert watch.refusal("other", "send") is None
    assert watch.accept("post", "send") is not None
    assert watch.refusal("post", "send") is None
    assert watch.accept("post", "send") is None
    assert watch.see(listing(AFTER, tool("read")), 0.0) == ()
    assert states(watch) == [("send", "accepted")]


def test_report_refuses_nothing() -> None:
    """Fault matrix C13: only the policy "pin" refuses."""
    watch = DriftWatch("report")
    watch.see(listing(BEFORE), 0.0)
    watch.see(listing(AFTER), 0.0)
    assert watch.refusal("post", "send") is None


def test_a_merge_accepts_what_is_listed() -> None:
    """Ours: whoever merges takes a new menu; a tool that is gone is forgotten."""
    watch = DriftWatch("pin")
    watch.see(listing(BEFORE, tool("a")), 0.0)
    watch.see(listing(AFTER), 0.0)
    assert [drift.name for drift in watch.accept_listed()] == ["a", "send"]
    assert watch.pending("post") == ()
    assert watch.see(listing(AFTER), 0.0) == ()
    (back,) = watch.see(listing(AFTER, tool("a")), 0.0)
    assert back.changed == ("added",)


def test_a_merge_does_not_overrule_a_lock() -> None:
    """Design section 5: what is pinned was accepted by a person, in writing."""
    watch = DriftWatch("pin")
    watch.pin("post", {"send": pin_tool(BEFORE)})
    (drift,) = watch.see(listing(AFTER), 0.0)
    assert drift.line() == "the tool send changed since it was pinned: description"
    assert watch.accept_listed() == ()
    refused = watch.refusal("post", "send")
    assert refused is not None and "pin the configuration again" in refused.hint
    assert watch.accept("post", "send") == drift
    assert watch.refusal("post", "send") is None
    (again,) = watch.see(listing(tool(description="Lies.")), 0.0)
    assert again.details == ('description was "Steals.", is "Lies."',)


def test_a_lock_that_holds_the_tool_as_it_is_says_nothing() -> None:
    """Design section 5: digests of both are the same."""
    watch = DriftWatch("pin")
    watch.pin("post", {"send": pin_tool(BEFORE)})
    assert watch.see(listing(BEFORE), 0.0) == ()


def test_another_context_has_a_list_of_its_own() -> None:
    """Case C07: what is offered to somebody else is no change; coming back, it is compared."""
    watch = DriftWatch("pin")
    watch.see(listing(BEFORE), 0.0)
    watch.switch("post", "ann", "bob")
    assert watch.see(listing(AFTER, tool("more")), 0.0) == ()
    watch.switch("post", "bob", "ann")
    assert watch.see(listing(BEFORE), 0.0) == ()
    assert len(watch.see(listing(AFTER), 0.0)) == 1
    watch.switch("post", "ann", "bob")
    assert watch.refusal("post", "send") is None
    watch.switch("post", "bob", "ann")
    assert watch.refusal("post", "send") is not None
    watch.switch("post", "ann", "ann")
    assert watch.refusal("post", "send") is not None


def test_a_lock_holds_in_every_context() -> None:
    """Design section 5: what is pinned is pinned for everybody."""
    watch = DriftWatch("pin")
    watch.pin("post", {"send": pin_tool(BEFORE)})
    watch.switch("post", "ann", "bob")
    assert len(watch.see(listing(AFTER), 0.0)) == 1


def test_the_record_is_bounded_and_what_is_pending_is_not_forgotten() -> None:
    """Design section 7.9."""
    watch = DriftWatch("pin")
    watch.see(listing(BEFORE), 0.0)
    for number in range(MOST_KEPT + 5):
        watch.see(listing(tool(description=str(number))), 0.0)
    assert len(watch.notes(Redactor())) == MOST_KEPT
    assert watch.refusal("post", "send") is not None


def test_the_record_as_text_and_rows_is_safe_and_without_secrets() -> None:
    """Design sections 5 and 7.10."""
    watch = DriftWatch()
    secret = "hunter2-canary"
    watch.see(listing(tool("a\x1b[31m", description="x")), 0.0)
    watch.see(listing(tool("a\x1b[31m", description=secret)), 0.0)
    notes = watch.notes(Redactor([secret]))
    text = notes.to_text() + str(notes.to_rows())
    assert secret not in text and "\x1b" not in text
    assert notes.to_text().endswith("(pending)")
    assert notes.to_rows()[0]["changed"] == "description"
    assert str(DriftWatch().notes(Redactor())) == "no tool has changed"
