"""What is asked for is measured: names first, then clients, and nothing else."""

import pytest
from lab_at_hand import laboratory

from workbench.comparison.fresh import measured
from workbench.comparison.laboratory import Laboratory
from workbench.core.errors import ConfigError


def test_faults_and_several_peers_by_the_start_of_their_names() -> None:
    """Ours: one word, both tables; how many runs there will be is known before the first."""
    told: list[int] = []

    def new_lab(runs: int) -> Laboratory:
        told.append(runs)
        return laboratory()

    value = measured(["P01", "M07"], ["workbench-legacy", "workbench"], new_lab, "2026-12-01")
    assert [row.name for row in value.rows] == ["P01-valid"]
    assert value.clients == ("workbench", "workbench-legacy")
    assert list(value.together.seen) == ["M07-two-eras"]
    assert (told, value.measured_on) == ([4], "2026-12-01")


@pytest.mark.parametrize(("starts", "clients"), [(["Q"], ["workbench"]), (["P01"], ["nobody"])])
def test_a_wrong_name_is_found_before_anything_is_installed(
    starts: list[str], clients: list[str]
) -> None:
    """Ours: a typing error must not cost a minute."""

    def new_lab(runs: int) -> Laboratory:
        raise AssertionError("nothing is to be run")

    with pytest.raises(ConfigError):
        measured(starts, clients, new_lab, "2026-12-01")
