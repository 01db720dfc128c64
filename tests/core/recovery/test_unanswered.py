"""What a call ends in when its HTTP exchange brought no answer."""

from typing import Any

import pytest

from workbench.core.errors import AuthNeeded, Failure, HttpStatusError, Kind, OutcomeUnknown
from workbench.core.recovery.unanswered import outcome_of
from workbench.core.wire.exchange import ExchangeEnd, Trouble
from workbench.core.wire.message import ErrorReply

ERROR = b'{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"boom"}}'


def end(trouble: Trouble, **facts: Any) -> ExchangeEnd:
    return ExchangeEnd(request_id=7, trouble=trouble, **facts)


@pytest.mark.parametrize(
    ("trouble", "status", "kind"),
    [
        (Trouble.AUTH, 401, Kind.AUTH_NEEDED),
        (Trouble.AUTH, 403, Kind.AUTH_NEEDED),
        (Trouble.SERVER, 500, Kind.OUTCOME_UNKNOWN),
        (Trouble.SERVER, 502, Kind.OUTCOME_UNKNOWN),
        (Trouble.SERVER, 504, Kind.OUTCOME_UNKNOWN),
        (Trouble.SERVER, 503, Kind.HTTP_STATUS),
        (Trouble.SERVER, 429, Kind.HTTP_STATUS),
        (Trouble.REDIRECT, 302, Kind.HTTP_STATUS),
        (Trouble.STATUS, 404, Kind.HTTP_STATUS),
        (Trouble.NO_ANSWER, 200, Kind.OUTCOME_UNKNOWN),
        (Trouble.BROKEN, None, Kind.OUTCOME_UNKNOWN),
        (Trouble.UNREACHABLE, None, Kind.PIPE_CLOSED),
        (Trouble.OLD_TRANSPORT, None, Kind.HTTP_STATUS),
    ],
)
def test_a_call_ends_in_what_is_known_and_no_more(
    trouble: Trouble, status: int | None, kind: Kind
) -> None:
    """Design 7.7; case H06: what may have run is not reported as failed."""
    failure = outcome_of(end(trouble, status=status, how="said so"), "p")
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.peer) == (kind, "p")
    assert failure.hint and failure.rule and "said so" in failure.detail


@pytest.mark.parametrize("carried", [b"7", b"null"])
def test_an_error_status_may_carry_the_peers_own_error(carried: bytes) -> None:
    """Spec: a JSON-RPC error is the answer, whatever status it came with."""
    answer = outcome_of(end(Trouble.SERVER, status=500, answer=ERROR % carried), "p")
    assert answer == ErrorReply(7, -32603, "boom")


@pytest.mark.parametrize("body", [ERROR % b'"7"', ERROR % b"8", b"<html>", b"{}", b""])
def test_what_is_not_this_requests_error_is_no_answer(body: bytes) -> None:
    """Fault matrix C03: an answer with another id is never matched."""
    failure = outcome_of(end(Trouble.SERVER, status=500, answer=body), "p")
    assert isinstance(failure, Failure) and failure.kind is Kind.OUTCOME_UNKNOWN


def test_each_kind_is_an_exception_of_its_own() -> None:
    """Design 9: one tree of exceptions at the edge."""
    for trouble, status, error in (
        (Trouble.AUTH, 401, AuthNeeded),
        (Trouble.STATUS, 404, HttpStatusError),
        (Trouble.NO_ANSWER, 200, OutcomeUnknown),
    ):
        failure = outcome_of(end(trouble, status=status), "p")
        assert isinstance(failure, Failure) and isinstance(failure.as_error(), error)
