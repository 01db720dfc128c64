"""Which recorded answer a message gets."""

from fakes.steps import Exit, Reply
from fakes.tape import Life, Take, Tape, key_of


def take(method: str, params: dict[str, object], *results: object) -> Take:
    return Take(method=method, params=params, steps=tuple(Reply(result=one) for one in results))


CALL = {"name": "search", "arguments": {"q": "tea"}}
TAPE = Tape(
    lives=(
        Life(takes=(take("tools/call", CALL, 1), take("tools/call", CALL, 2))),
        Life(takes=(Take(method="tools/list", steps=(Exit(3),)), take("prompts/list", {}, 3))),
    )
)


def result(life: int, before: int, method: str = "tools/call", params: object = CALL) -> object:
    assert isinstance(params, dict)
    found = TAPE.find(method, params, life, before)
    step = found.steps[0] if found else None
    return step.result if isinstance(step, Reply) else step


def test_equal_messages_get_their_answers_in_order_and_then_the_last() -> None:
    """Ours: a menu that is read again after the recording has ended is the same menu."""
    assert [result(1, before) for before in range(4)] == [1, 2, 2, 2]


def test_metadata_and_order_of_members_do_not_count_but_types_do() -> None:
    """Ours: `_meta` belongs to one sending; 1 is not true and not "1"."""
    assert key_of("m", {"a": 1, "b": 2, "_meta": {"x": 1}}) == key_of("m", {"b": 2, "a": 1})
    assert len({key_of("m", {"a": value}) for value in (1, "1", True, 1.5, None)}) == 5


def test_a_greeting_and_a_notification_are_known_by_their_method() -> None:
    """Ours: their params name the sender, who is another one at a replay."""
    assert key_of("initialize", {"clientInfo": {"name": "a"}}) == key_of("initialize", {})
    assert key_of("notifications/cancelled", {"requestId": 1}) == "notifications/cancelled"


def test_a_life_borrows_answers_from_the_others_but_never_their_end() -> None:
    """Ours: a replay asks in an order of its own."""
    assert (result(2, 0), result(1, 0, "prompts/list", {})) == (1, 3)
    assert isinstance(result(2, 0, "tools/list", {}), Exit)
    assert TAPE.find("tools/list", {}, 1, 0) is None


def test_the_last_life_is_lived_again_and_nothing_else_is_made_up() -> None:
    """Ours: what was not recorded has no answer."""
    assert TAPE.life(9) == TAPE.lives[1] and Tape().life(1) == Life()
    assert TAPE.find("tools/call", {"name": "other"}, 1, 0) is None
    assert TAPE.knows("tools/call") and not TAPE.knows("resources/list")
