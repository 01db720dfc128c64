import msgspec
import pytest

from fakes.eras.everything.sealed import EXPIRY_S, digest, seal, unseal
from fakes.eras.session import Scene

SCENE = Scene(principal="Bearer alice", now=100.0, secret=b"s" * 32)
ASKED = digest("tools/call", {"name": "t", "arguments": {"a": 1}})


def test_a_state_comes_back_as_it_was() -> None:
    """Seed card: the server verifies HMAC, principal, arguments digest, expiry."""
    assert unseal(SCENE, ASKED, seal(SCENE, ASKED, 2)) == 2


@pytest.mark.parametrize(
    "changes", [{"principal": "Bearer bob"}, {"secret": b"t" * 32}, {"now": 100.1 + EXPIRY_S}]
)
def test_another_principal_secret_or_time_is_refused(changes: dict[str, object]) -> None:
    """Spec: mrtr, server requirements; 300 s as in the seed."""
    state = seal(SCENE, ASKED, 0)
    assert unseal(msgspec.structs.replace(SCENE, **changes), ASKED, state) is None
    assert unseal(msgspec.structs.replace(SCENE, now=100.0 + EXPIRY_S), ASKED, state) == 0


def test_every_changed_character_is_noticed() -> None:
    """Spec: servers must reject state that fails verification."""
    state = seal(SCENE, ASKED, 1)
    for index, old in enumerate(state):
        other = "A" if old != "A" else "B"
        assert unseal(SCENE, ASKED, state[:index] + other + state[index + 1 :]) is None
    for wrong in ("", ".", state + "x", state[:-1], "é" + state, None, 7, [state], {"s": state}):
        assert unseal(SCENE, ASKED, wrong) is None


@pytest.mark.parametrize(
    "params",
    [{"name": "u", "arguments": {"a": 1}}, {"name": "t", "arguments": {"a": 2}}, {"name": "t"}],
)
def test_a_state_belongs_to_one_request(params: dict[str, object]) -> None:
    """Spec: a digest of the salient parameters; the order of members does not matter."""
    state = seal(SCENE, ASKED, 1)
    assert unseal(SCENE, digest("tools/call", params), state) is None
    assert unseal(SCENE, digest("prompts/get", {"name": "t", "arguments": {"a": 1}}), state) is None
    one = digest("m", {"arguments": {"a": 1, "b": 2}, "requestState": "x", "_meta": {}})
    assert one == digest("m", {"arguments": {"b": 2, "a": 1}})


def test_a_state_does_not_carry_the_principal() -> None:
    """Ours: a token must not leave in a text that is no secret."""
    assert b"alice" not in msgspec.json.encode(seal(SCENE, ASKED, 1))
    from base64 import urlsafe_b64decode

    assert b"alice" not in urlsafe_b64decode(seal(SCENE, ASKED, 1).partition(".")[0])
