"""One tree of exceptions, one value inside."""

import pytest

from workbench.core import errors
from workbench.core.errors import Blame, Failure, Kind, WorkbenchError


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_of_failure_has_one_exception_that_carries_it(kind: Kind) -> None:
    """Design section 9."""
    failure = Failure(kind=kind, detail="seen", peer="p", rule="ERA-10", hint="Do this.")
    error = failure.as_error()
    assert isinstance(error, WorkbenchError)
    assert (error.failure, error.kind) == (failure, kind)
    assert str(error) == "p: seen [ERA-10] Do this."


def test_whose_move_it_is_follows_from_the_kind() -> None:
    """Design section 9: blame is in the failure."""
    blames = {kind: Failure(kind=kind, detail="").blame for kind in Kind}
    assert blames[Kind.CONFIG] is Blame.CALLER
    assert blames[Kind.REFUSED] is Blame.PEER
    assert blames[Kind.OUTCOME_UNKNOWN] is Blame.PIPE
    assert blames[Kind.INTERNAL] is Blame.OURS


def test_a_timeout_can_be_caught_as_one() -> None:
    """Ours: code that knows only the standard library still works."""
    with pytest.raises(TimeoutError):
        raise Failure(kind=Kind.TOOK_TOO_LONG, detail="late").as_error()


def test_every_exception_is_below_the_root() -> None:
    """Ours: `except WorkbenchError` catches all of ours."""
    found = [thing for thing in vars(errors).values() if isinstance(thing, type)]
    ours = [thing for thing in found if issubclass(thing, Exception)]
    assert len(ours) > 15
    assert all(issubclass(thing, WorkbenchError) for thing in ours)
