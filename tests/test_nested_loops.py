"""Which patch of an event loop is safe, and that none is applied unasked."""

from typing import Any

import pytest

from workbench import nested_loops
from workbench.core.errors import MisuseError
from workbench.nested_loops import Surroundings, allow_nested_loops, choose_patch

SEVEN = (7, 4, 0)
SIX = (6, 31, 0)


def here(**changes: Any) -> Surroundings:
    """Return a modern kernel with both packages, changed."""
    usual: dict[str, Any] = {
        "kernel": SEVEN,
        "python": (3, 11, 7),
        "original": (1, 6, 0),
        "fork": (1, 7, 4),
    }
    return Surroundings(**{**usual, **changes})


def test_outside_a_kernel_nothing_is_patched(capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: a script has no running loop in its way."""
    import asyncio

    run = asyncio.run
    allow_nested_loops()
    assert asyncio.run is run
    assert capsys.readouterr().out.startswith("Nothing patched: ")


@pytest.mark.parametrize(
    ("surroundings", "module", "says"),
    [
        (here(), "nest_asyncio2", "nest-asyncio2 1.7.4 applied, because nest-asyncio loses"),
        (here(fork=(1, 7, 3)), "nest_asyncio2", "ipykernel 7.4.0"),
        (here(original=None), "nest_asyncio2", "applied"),
        (here(kernel=SIX), "nest_asyncio", "nest-asyncio 1.6.0 applied: it is safe"),
        (here(kernel=SIX, python=(3, 12, 1)), "nest_asyncio2", "asyncio.run"),
        (here(kernel=SIX, original=None), "nest_asyncio2", "nest-asyncio is not installed"),
        (here(kernel=None), None, "outside a notebook kernel"),
        (here(patched_by="nest_asyncio2"), None, "safe here"),
        (here(kernel=SIX, patched_by="nest_asyncio"), None, "safe here"),
    ],
)
def test_the_safe_package_is_chosen_and_named(
    surroundings: Surroundings, module: str | None, says: str
) -> None:
    """Case J04: which package is safe depends on the kernel."""
    choice = choose_patch(surroundings)
    assert (choice.module, choice.refused) == (module, False)
    assert says in choice.why


@pytest.mark.parametrize(
    ("surroundings", "says"),
    [
        (here(fork=None), "nest-asyncio2 >= 1.7.3 is needed, and it is not installed"),
        (here(fork=(1, 7, 2)), "1.7.2 is installed"),
        (here(patched_by="nest_asyncio"), "nest_asyncio has patched this kernel"),
        (here(patched_by="nest_asyncio2", fork=(1, 7, 0)), "before 1.7.3"),
        (here(loop="uvloop"), "a loop of type uvloop cannot be patched"),
        (here(kernel=SIX, python=(3, 13, 0), patched_by="nest_asyncio"), "Python 3.13"),
    ],
)
def test_where_no_package_is_safe_it_refuses(surroundings: Surroundings, says: str) -> None:
    """Case J04: a lost cell is worse than a refusal."""
    choice = choose_patch(surroundings)
    assert choice.refused and choice.module is None
    assert says in choice.why


def test_a_refusal_is_one_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Case J04."""
    monkeypatch.setattr(nested_loops, "_surroundings", lambda: here(fork=None))
    with pytest.raises(MisuseError) as refused:
        allow_nested_loops()
    assert "\n" not in str(refused.value)
    assert "Install nest-asyncio2>=1.7.3" in str(refused.value)
