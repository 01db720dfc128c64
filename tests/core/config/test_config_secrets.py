"""Secret values are known, and a field is shown without them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.config.config_secrets import public_url, public_value, secrets_of, worth_hiding
from workbench.core.text.redact import MARK, Redactor


def test_environment_headers_and_variables_are_secret() -> None:
    """Case X01: redact by known values."""
    found = secrets_of({"A": "aaaa"}, {"H": "Bearer bbbb"}, None, ["cccc"])
    assert found == ("Bearer bbbb", "aaaa", "cccc")


def test_user_info_and_query_values_of_a_url_are_secret_as_written_and_decoded() -> None:
    """Case X01: url userinfo and query."""
    found = secrets_of({}, {}, "https://user:p%40ssw@h.example/path?key=a%2Fb+cd&flagged#frag")
    assert {"user", "p%40ssw", "p@ssw", "a%2Fb+cd", "a/b cd", "a/b+cd", "flagged"} <= set(found)
    assert not {"h.example", "/path", "key"} & set(found)


def test_a_url_that_cannot_be_taken_apart_is_secret_as_a_whole() -> None:
    """Ours: what cannot be read cannot be judged."""
    assert secrets_of({}, {}, "http://[hunter22") == ("http://[hunter22",)


@pytest.mark.parametrize("value", ["", "1", "dev", "true", "False", "null"])
def test_a_value_that_would_mangle_every_text_is_not_collected(value: str) -> None:
    """Ours: hiding each "1" or each "true" hides no secret."""
    assert worth_hiding([value]) == ()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://h.example:8/p", "https://h.example:8/p"),
        ("https://u:pw@h/p", f"https://{MARK}@h/p"),
        ("https://h/p?k=v&x=&raw", f"https://h/p?k={MARK}&x={MARK}&{MARK}"),
        ("https://h/p#token", "https://h/p"),
        ("http://[", MARK),
    ],
)
def test_a_url_is_shown_without_user_info_and_query_values(url: str, shown: str) -> None:
    """Case X01: short values too, which no redaction by value would find."""
    assert public_url(url) == shown


def test_a_field_is_shown_with_its_names() -> None:
    """Ours: a reader needs to see which variables are set."""
    redactor = Redactor(["hunter22"])
    assert public_value("env", {"A": "1"}, redactor) == {"A": MARK}
    assert public_value("args", ("--key=hunter22", "x"), redactor) == (f"--key={MARK}", "x")
    assert public_value("url", "https://h/hunter22?a=1", redactor) == f"https://h/{MARK}?a={MARK}"


@given(st.text())
def test_any_text_can_stand_where_a_url_is_expected(text: str) -> None:
    """Ours: property; showing a wrong configuration must not fail."""
    public_url(text)
    secrets_of({}, {}, text)


@pytest.mark.parametrize(
    ("args", "secrets"),
    [
        (["--api-key", "sk-4711"], ["sk-4711"]),
        (["--github-token=gh-4711"], ["gh-4711"]),
        (["run", "-e", "GITHUB_TOKEN=gh-4711", "image"], ["gh-4711"]),
        (["--header", "Authorization: Bearer tok-1"], ["Bearer tok-1"]),
        (["-H", "X-Api-Key:key-4711"], ["key-4711"]),
        (["--header=Authorization=tok-4711"], ["tok-4711"]),
        (["postgresql://ann:p%40ssw@db/notes?sslmode=require"], ["p%40ssw", "p@ssw"]),
        (["https://h/mcp?api_key=a%2Fb47"], ["a%2Fb47", "a/b47"]),
        (["--password", "--verbose"], []),
        (["--tokens", "4000", "--key", "/etc/tls.pem", "--max-token", "8"], []),
        (["--header", "Accept: text/html", "--root", "/srv", "https://h/mcp?page=last"], []),
        (["http://[", "-x", "a=b", "--api-key"], []),
    ],
)
def test_an_argument_is_secret_when_its_option_says_so(args: list[str], secrets: list[str]) -> None:
    """Field case X01; ours: by the name of the option, never by the look of the value."""
    assert secrets_of({}, {}, None, args=args) == tuple(sorted(secrets))


@given(st.lists(st.text()))
def test_any_arguments_can_be_looked_at(args: list[str]) -> None:
    """Ours: property."""
    secrets_of({}, {}, None, args=args)
