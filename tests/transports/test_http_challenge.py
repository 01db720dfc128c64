"""A challenge is shown as far as it helps, and no further."""

import pytest

from workbench.transports.http_challenge import challenge_text


@pytest.mark.parametrize(
    ("headers", "shown"),
    [
        ([], "no challenge"),
        (["Bearer"], "Bearer"),
        (
            ['Bearer error="invalid_token", scope="a b", realm=x'],
            "Bearer error=invalid_token scope=a b realm=x",
        ),
        (
            ['Bearer resource_metadata="https://u:p@h/x?key=hidden"'],
            "Bearer resource_metadata=https://‹redacted›@h/x?key=‹redacted›",
        ),
        (['Digest nonce="hidden", realm="r", opaque="hidden"'], "Digest realm=r"),
        (["Basic realm=a", "Bearer scope=b"], "Basic realm=a; Bearer scope=b"),
        (['"'], "an unreadable challenge"),
        (["Bearer realm=one, realm=two"], "Bearer realm=one"),
    ],
)
def test_only_what_tells_a_reader_what_to_do_is_shown(headers: list[str], shown: str) -> None:
    """Fault matrix H12: names the challenge, without secrets."""
    assert challenge_text(headers) == shown


def test_a_hostile_challenge_stays_short_and_visible() -> None:
    """Design 7.10: server text is data."""
    text = challenge_text(['Bearer realm="' + "\x1b[31m\u202e" * 5_000 + '"'])
    assert text.isprintable() and len(text) < 1_000
