"""A path of moments reads like any journal, and says where supposing begins."""

from workbench.core.events import Opened
from workbench.core.negotiate.moment import Origin, begun
from workbench.core.negotiate.snapshot import Terms, begin
from workbench.core.negotiate.what_if import suppose
from workbench.core.stepped.retold import SUPPOSED, retold
from workbench.core.text.redact import Redactor

START = begun(begin(Terms(allow_legacy=True)))
OPENED = START.then(Opened(), 0.0, Origin.PEER)


def supposed(name: str):
    answer = suppose(OPENED.snapshot, name)
    return OPENED.then(answer.event, 0.0, Origin.WHAT_IF, words=answer.words, frame=answer.frame)


def test_what_is_about_to_be_sent_is_no_part_of_the_story_yet() -> None:
    """Ours: a picture of what crossed shows nothing that has not."""
    before = retold([START, OPENED], "peer", done=False)
    after = retold([START, OPENED], "peer", done=True)
    assert [one.kind for one in before.entries()] == ["opened", "decision"]
    assert [one.kind for one in after.entries()] == ["opened", "decision", "sent"]


def test_a_what_if_is_labelled_once_above_its_first_frame() -> None:
    """Ours: a hypothetical branch is plainly labelled."""
    first = supposed("-32601")
    second = first.then(
        suppose(first.snapshot, "close").event, 0.0, Origin.WHAT_IF, words="closed its output"
    )
    story = retold([START, OPENED, first, second], "peer", done=False)
    kinds = [(one.kind, one.what == SUPPOSED) for one in story.entries()]
    assert kinds == [
        ("opened", False), ("decision", False), ("sent", False), ("decision", True),
        ("received", False), ("decision", False), ("sent", False), ("closed", False),
        ("decision", False),
    ]  # fmt: skip
    assert f"{SUPPOSED}" in story.diagram().text


def test_every_kind_of_event_leaves_its_trace() -> None:
    """Ours: nothing on the way is left out."""
    reopened = supposed("close")
    failed = reopened.then(
        suppose(reopened.snapshot, "unreachable").event, 0.0, Origin.WHAT_IF, words="failed"
    )
    said = retold([START, OPENED, reopened, failed], "peer", done=False).to_text()
    assert "closed by us, for a fresh one" in said
    assert "nothing could be started (supposed)" in said
    http = suppose(OPENED.snapshot, "http-404", "http")
    ended = OPENED.then(http.event, 0.0, Origin.WHAT_IF, words=http.words)
    assert "HTTP 404" in retold([START, OPENED, ended], "peer", done=False).to_text()
    stray = retold([START, OPENED, supposed("garbage")], "peer", done=False)
    assert [one.kind for one in stray.entries()][-1] == "stray"


def test_secrets_stay_out() -> None:
    """Design 5: also of a story that was put together by hand."""
    story = retold([START, OPENED], "peer", done=True, redactor=Redactor(["mcp-client-workbench"]))
    assert "mcp-client-workbench" not in story.to_text(frames=True)
