"""Tests that fail, to show what their reader sees; collected only when named."""

import pytest
from titles import over_http, over_stdio, titles


@pytest.mark.mcp_fault("P04-header-mismatch")
def test_a_recognized_modern_error_never_leads_to_a_handshake(fake_server):
    with pytest.raises(BaseException):  # noqa: B017
        titles(over_stdio(fake_server.command), "tea")
    assert "initialize" not in fake_server.methods


def test_the_wrong_answer_is_expected(fake_http):
    assert titles(over_http(fake_http.url), "tea") == "coffee"


def test_the_strict_client_fails_readably(mcp_client, fake_server):
    silent = fake_server("silent").command
    mcp_client.add_server("notes", silent, discovery_timeout_ms=2_000, startup_grace_ms=0)
    mcp_client.connect_all()
    assert mcp_client.report().all_ready
