"""Work in which the cycle collector is put off, and runs again afterwards."""

import gc

import pytest

from workbench.drivers.bulk import Bulk


def test_the_collector_is_off_within_and_on_again_after() -> None:
    """Ours: whatever happens within."""
    assert gc.isenabled()
    with Bulk():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), Bulk():
        _ = 1 // 0
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    """Ours: an application may have its reasons."""
    gc.disable()
    try:
        with Bulk(), Bulk():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_one_within_another_ends_with_the_outer_one() -> None:
    """Ours: a page is judged within a list."""
    with Bulk():
        with Bulk():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
