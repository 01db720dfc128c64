"""Where a peer is, who we say we are, and through which proxy."""

import base64
from typing import Any

import pytest

from workbench.transports.http_address import address_of, is_loopback, origin_of, proxy_for

PROXY = {"http_proxy": "http://p:1", "https_proxy": "q:2"}


def test_user_info_becomes_an_authorization_header() -> None:
    """RFC 7617; ours: a password does not stay in a url."""
    address = address_of("https://us%40er:p%3Aw@h.example/mcp?k=v#part", {}, {})
    expected = "Basic " + base64.b64encode(b"us@er:p:w").decode()
    assert address.url == "https://h.example/mcp?k=v"
    assert address.headers == {"Authorization": expected}


def test_a_configured_authorization_wins_over_user_info() -> None:
    """Ours: the explicit word counts."""
    address = address_of("http://u:p@h/", {"AUTHORIZATION": "Bearer x"}, {})
    assert address.headers == {"AUTHORIZATION": "Bearer x"}


@pytest.mark.parametrize(
    "name",
    ["Accept", "content-type", "Host", "MCP-Protocol-Version", "mcp-method", "Mcp-Name"]
    + ["Mcp-Session-Id", "last-event-id", "Content-Length", "MCP-PARAM-Region"],
)
def test_headers_the_protocol_fills_cannot_be_configured(name: str) -> None:
    """Spec: they mirror the body; ours: a configuration cannot make them lie."""
    assert address_of("http://h/", {name: "x", "X-Mine": "y"}, {}).headers == {"X-Mine": "y"}


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://Host.Example/x", ("http", "host.example", 80)),
        ("https://h", ("https", "h", 443)),
        ("https://h:8443/", ("https", "h", 8443)),
        ("http://[::1]:9/", ("http", "::1", 9)),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: Any) -> None:
    """RFC 6454: a default port is a port."""
    assert origin_of(url) == origin


@pytest.mark.parametrize("url", ["ftp://h/", "/path", "http://", "http://h:99999/", ""])
def test_what_has_no_origin_is_refused(url: str) -> None:
    """Ours: a redirect may name anything."""
    with pytest.raises(ValueError):
        origin_of(url)


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.0.0.1", True),
        ("127.9.8.7", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", False),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
        ("0.0.0.0", False),
    ],
)
def test_loopback_is_127_8_and_1_and_localhost(host: str, is_ours: bool) -> None:
    """Case H13."""
    assert is_loopback(host) is is_ours


@pytest.mark.parametrize(
    ("url", "more", "proxy"),
    [
        ("http://h.example/", {}, "http://p:1"),
        ("https://h.example/", {}, "http://q:2"),
        ("https://h.example/", {"https_proxy": "", "all_proxy": "r:3"}, "http://r:3"),
        ("http://h.example/", {"http_proxy": "", "HTTP_PROXY": "s:4"}, "http://s:4"),
        (
            "http://h.example/",
            {"http_proxy": "", "HTTP_PROXY": "s:4", "REQUEST_METHOD": "GET"},
            None,
        ),
        ("http://127.0.0.1:8/", {}, None),
        ("http://[::1]:8/", {}, None),
        ("https://localhost/", {}, None),
        ("http://h.example/", {"no_proxy": "*"}, None),
        ("http://h.example/", {"no_proxy": "other, .example"}, None),
        ("http://h.example/", {"NO_PROXY": "h.example:80"}, None),
        ("http://h.example/", {"NO_PROXY": "h.example:81"}, "http://p:1"),
        ("http://h.example/", {"no_proxy": "ample"}, "http://p:1"),
        ("http://h.example/", {"no_proxy": "*.example"}, None),
    ],
)
def test_the_usual_variables_choose_the_proxy(
    url: str, more: dict[str, str], proxy: str | None
) -> None:
    """Case H13; the variables every command line tool reads."""
    assert proxy_for(url, {**PROXY, **more}) == proxy
