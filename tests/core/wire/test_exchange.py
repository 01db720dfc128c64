"""The end of an exchange, in words."""

from workbench.core.wire.exchange import ExchangeEnd, Trouble


def test_what_was_seen_names_status_media_type_and_body() -> None:
    """Case H10: status, media type, and how the body begins."""
    end = ExchangeEnd(
        request_id=1, trouble=Trouble.STATUS, status=404, media_type="text/html", sample="<html>"
    )
    assert end.seen == "ended the exchange with HTTP 404 text/html: <html>"


def test_without_a_response_only_the_reason_is_seen() -> None:
    """Ours: nothing is said about a status that was never received."""
    end = ExchangeEnd(request_id=1, trouble=Trouble.UNREACHABLE, how="could not be reached")
    assert end.seen == "could not be reached"


def test_a_hostile_media_type_stays_on_one_line() -> None:
    """Design 7.10: server text is data."""
    end = ExchangeEnd(request_id=1, trouble=Trouble.STATUS, status=400, media_type="a\r\n\x1b[31m")
    assert end.seen.isprintable()
