"""Resources, prompts and suggestions of several peers."""

from typing import Any

import pytest
from shelf import shelf

from fakes import Fake, answer_default, close, error, modern, on, reply
from workbench import MultiServerClient
from workbench.core.errors import (
    AmbiguousOwner,
    MisuseError,
    PeerAway,
    ProtocolViolation,
    Refused,
    UnknownName,
)


def client_of(**peers: Fake) -> MultiServerClient:
    client = MultiServerClient()
    for name, fake in peers.items():
        client.add_server(name, fake)
    return client


def last(fake: Fake) -> dict[str, Any]:
    params = dict(fake.received[-1]["params"])
    del params["_meta"]
    return params


def test_a_read_brings_the_peers_up_by_itself() -> None:
    """Ours: a script of three lines works."""
    with client_of(shelf=shelf()) as client:
        read = client.read_resource("doc://a")
        assert (read.peer, read.uri, read.text) == ("shelf", "doc://a", "text of shelf")


def test_a_resource_belongs_to_the_one_peer_that_lists_it() -> None:
    """Ours: a URI is looked up, never guessed."""
    one, two = shelf("one", uris=("doc://a",)), shelf("two", uris=("doc://b",))
    with client_of(one=one, two=two) as client:
        assert client.read_resource("doc://b").peer == "two"
        assert "resources/read" not in one.methods()


def test_a_resource_two_peers_list_needs_the_peer() -> None:
    """Seed skill: refuse to route when the owner is ambiguous."""
    with client_of(one=shelf("one"), two=shelf("two"), away=modern("away")) as client:
        with pytest.raises(AmbiguousOwner, match="one, two"):
            client.read_resource("doc://a")
        assert client.read_resource("doc://a", "two").text == "text of two"


def test_a_resource_nobody_lists_goes_to_the_only_peer_with_resources() -> None:
    """Spec: server/resources: what a template makes is listed by nobody."""
    one = shelf("one")
    with client_of(one=one, plain=modern("plain")) as client:
        assert client.read_resource("doc://made").peer == "one"
        assert last(one) == {"uri": "doc://made"}
    with (
        client_of(one=shelf("one"), two=shelf("two")) as client,
        pytest.raises(UnknownName, match="peer="),
    ):
        client.read_resource("doc://made")


@pytest.mark.parametrize("name", ["greet", "shelf/greet"])
def test_a_prompt_is_found_by_its_name_alone_or_with_its_peer(name: str) -> None:
    """Ours: canonical `<peer>/<name>`, or the name when it is unique."""
    peer = shelf()
    with client_of(shelf=peer) as client:
        prompt = client.get_prompt(name, {"who": "me"})
        assert (prompt.peer, prompt.name, prompt.text) == ("shelf", "greet", "Hello from shelf")
        assert last(peer) == {"name": "greet", "arguments": {"who": "me"}}
        client.get_prompt("greet", peer="shelf")
        assert last(peer) == {"name": "greet"}


def test_a_prompt_two_peers_offer_needs_the_peer() -> None:
    """Seed skill: refuse to route when the owner is ambiguous."""
    with client_of(one=shelf("one"), two=shelf("two")) as client:
        with pytest.raises(AmbiguousOwner):
            client.get_prompt("greet")
        assert client.get_prompt("two/greet").peer == "two"
        assert client.get_prompt("greet", peer="one").peer == "one"
        with pytest.raises(UnknownName):
            client.get_prompt("gree")


def test_suggestions_for_a_prompt_and_for_a_template() -> None:
    """Spec: server/utilities/completion."""
    peer = shelf()
    with client_of(shelf=peer) as client:
        found = client.complete("who", "py", prompt="greet", context={"other": "x"})
        assert (found.values, found.total, found.has_more) == (("python", "pytorch"), 10, True)
        assert last(peer) == {
            "ref": {"type": "ref/prompt", "name": "greet"},
            "argument": {"name": "who", "value": "py"},
            "context": {"arguments": {"other": "x"}},
        }
        client.complete("id", "", template="doc://{id}")
        assert last(peer) == {
            "ref": {"type": "ref/resource", "uri": "doc://{id}"},
            "argument": {"name": "id", "value": ""},
        }


@pytest.mark.parametrize("which", [{}, {"prompt": "greet", "template": "doc://{id}"}])
def test_suggestions_need_one_thing_to_be_about(which: dict[str, str]) -> None:
    """Ours: bad input gets one clear line."""
    with client_of(shelf=shelf()) as client, pytest.raises(MisuseError):
        client.complete("who", "", **which)


@pytest.mark.parametrize("arguments", [{"who": 7}, {7: "x"}, {"who": None}])
def test_prompt_arguments_are_texts(arguments: Any) -> None:
    """Spec: schema GetPromptRequest: arguments are strings by name."""
    peer = shelf()
    with client_of(shelf=peer) as client, pytest.raises(MisuseError):
        client.get_prompt("greet", arguments)
    assert "prompts/get" not in peer.methods()


def test_an_unknown_peer_and_one_that_is_away_are_named() -> None:
    """Ours: bad input gets one clear line."""
    with client_of(shelf=shelf(), gone=modern("gone")) as client:
        client.connect_all()
        with pytest.raises(UnknownName, match="gone, shelf"):
            client.read_resource("doc://a", "shelv")
    with client_of(shelf=shelf(), rude=modern("rude").script(on("*").then(close()))) as client:
        with pytest.raises(PeerAway):
            client.read_resource("doc://a", "rude")


def test_a_read_is_repeated_once_when_its_transport_breaks() -> None:
    """Rule RETRY-02: reads have no side effect."""
    dying = on("resources/read").in_lifetime(1).then(close())
    peer = modern("peer").script(dying, *shelf().program.rules)
    with client_of(peer=peer) as client:
        assert client.read_resource("doc://a").text == "text of shelf"
        assert (peer.lifetimes, peer.methods().count("resources/read")) == (2, 2)
        assert [(str(one.ended), one.sent) for one in client.outcomes] == [("result", 2)]
        assert "RETRY-02" in client.journal.to_text()


def test_errors_and_violations_of_reads_are_outcomes() -> None:
    """Design section 7.7."""
    peer = modern("peer").script(
        on("resources/read").then(error(-32602, "no such resource", {"uri": "doc://a"})),
        on("prompts/get").then(answer_default()),
        on("completion/complete").then(reply({"resultType": "complete", "completion": 7})),
        *shelf().program.rules[:4],
    )
    with client_of(peer=peer) as client:
        with pytest.raises(Refused) as caught:
            client.read_resource("doc://a")
        assert caught.value.failure.data == {"uri": "doc://a"}
        with pytest.raises(Refused):
            client.get_prompt("greet")
        with pytest.raises(ProtocolViolation):
            client.complete("who", "", prompt="greet")
        shown = [(one.method, str(one.ended)) for one in client.outcomes]
        assert shown == [
            ("resources/read", "protocol error"),
            ("prompts/get", "protocol error"),
            ("completion/complete", "protocol error"),
        ]
