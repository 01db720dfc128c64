"""A journal as lint sees it: lives, questions, answers."""

from told import DISCOVERED, Told

from workbench.core.journal.journal import Journal
from workbench.core.wire.codec import encode
from workbench.lint.record import lives_of

PING = encode({"jsonrpc": "2.0", "id": 1, "method": "ping"})


def test_each_opening_begins_a_life_and_peers_are_apart() -> None:
    """Ours: ids may be used again on a new transport, and by another peer."""
    journal = Journal()
    for peer in ("a", "b", "a"):
        journal.opened(0.0, peer)
        journal.sent(0.0, peer, PING)
    assert [(life.peer, len(life.frames)) for life in lives_of(journal.entries())] == [
        ("a", 1),
        ("b", 1),
        ("a", 1),
    ]
    assert not journal.lint()
    journal.sent(0.0, "b", PING)
    assert journal.lint().counted() == {"LINT-04": 1}


def test_only_the_first_life_of_a_peer_can_have_lost_its_beginning() -> None:
    """Ours: what was opened is whole."""
    journal = Journal()
    journal.sent(0.0, "a", PING)
    journal.opened(0.0, "a")
    journal.sent(0.0, "a", PING)
    assert [life.whole for life in lives_of(journal.entries(), dropped=3)] == [False, True]
    assert [life.whole for life in lives_of(journal.entries())] == [True, True]


def test_an_answer_is_found_by_type_and_value_and_in_its_exchange() -> None:
    """Spec: basic/index, responses."""
    told = Told()
    told.ask(1, "server/discover")
    told.answer("1", DISCOVERED)
    told.answer(1, DISCOVERED)
    (life,) = lives_of(told.journal.entries())
    (asked,) = life.asked
    assert [frame.number for frame in asked.answers] == [3]
    assert [frame.number for frame in life.strays] == [2]
    assert (life.era, life.is_modern(asked), asked.result) == ("modern", True, DISCOVERED)


def test_an_era_follows_from_what_was_answered_or_only_sent() -> None:
    """Ours: a probe that was refused settles nothing."""
    probed = Told()
    probed.ask(1, "server/discover")
    probed.refuse(1, -32601)
    alone = Told()
    alone.ask(1, "tools/list")
    eras = [lives_of(one.journal.entries())[0].era for one in (probed, alone, Told().legacy())]
    assert eras == ["", "modern", "legacy"]
