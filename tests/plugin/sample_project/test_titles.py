"""The program, tested against servers that behave and servers that do not."""

import pytest
from titles import over_http, over_stdio, titles

from fakes import error, modern, on

IMPATIENT = {"discovery_timeout_ms": 500, "startup_grace_ms": 0}


def test_titles_are_found_over_stdio(fake_server):
    assert titles(over_stdio(fake_server.command), "tea") == 'search: {"q":"tea"}'
    assert fake_server.effects == ["search"]
    assert "tools/call" in fake_server.methods


def test_titles_are_found_over_http(fake_http):
    assert titles(over_http(fake_http.url), "tea") == 'search: {"q":"tea"}'
    assert fake_http.exchanges[0].status == 200


def test_an_error_of_the_server_is_an_error_of_ours(fake_server):
    broken = modern("notes", tools=["search"]).script(
        on("tools/call").then(error(-32000, "out of tea"))
    )
    with pytest.raises(ExceptionGroup) as caught:
        titles(over_stdio(fake_server(broken).command), "tea")
    assert caught.group_contains(Exception, match="out of tea")


@pytest.mark.mcp_fault("P02-error-32601", "P02-error-0")
def test_an_answer_that_proves_nothing_leads_to_one_handshake(fake_server):
    assert titles(over_stdio(fake_server.command), "tea") == 'search: {"q":"tea"}'
    assert fake_server.methods.count("initialize") == 1


@pytest.mark.mcp_fault("P11")
def test_the_strict_client_refuses_silence(mcp_client, fake_server):
    mcp_client.add_server("notes", fake_server.command, **IMPATIENT)
    (row,) = mcp_client.connect_all().peers
    assert row.rule == "ERA-11"
    assert "initialize" not in fake_server.methods


def test_the_strict_client_calls_too(mcp_client, fake_server):
    mcp_client.add_server("notes", fake_server.command)
    assert mcp_client.call("search", {"q": "tea"}).text == 'search: {"q":"tea"}'
