"""What a kernel for a stranger's cells is given, and what becomes of it."""

from pathlib import Path

import psutil
import pytest
from kernels import eventually

from workbench.exercises.kernel_room import KernelRoom, Trouble, environment


def test_an_environment_has_a_home_of_its_own_and_no_secret(tmp_path: Path) -> None:
    """Ours: whoever grades has tokens in the environment."""
    ours = {"PATH": "/bin", "HOME": "/root", "AWS_SECRET": "x", "PYTHONPATH": "/p", "LANG": "C"}
    made = environment(ours, tmp_path)
    assert (made["PATH"], made["PYTHONPATH"], made["LANG"]) == ("/bin", "/p", "C")
    assert made["HOME"] == str(tmp_path)
    assert "AWS_SECRET" not in made
    assert not any("/root" in value for value in made.values())


def test_a_kernel_and_its_folder_are_gone_afterwards() -> None:
    """Ours: also when the block ends in an error."""
    folder = ""

    def fails() -> None:
        nonlocal folder
        with KernelRoom(20.0, 60.0) as room:
            room.run(1, "x = 1", may_fail=False)
            (kernel,) = set(psutil.Process().children()) - before
            kernels.append(kernel)
            folder = kernel.cwd()
            raise ValueError("an accident")

    before = set(psutil.Process().children())
    kernels: list[psutil.Process] = []
    with pytest.raises(ValueError, match="an accident"):
        fails()
    assert eventually(lambda: not kernels[0].is_running())
    assert folder
    assert not Path(folder).exists()


def test_cells_share_one_namespace_and_trouble_names_the_cell() -> None:
    """Ours: as in the notebook they come from; errors of experiments are nobody's business."""
    with KernelRoom(20.0, 60.0) as room:
        room.run(1, "x = 1", may_fail=False)
        room.run(2, "assert x == 1", may_fail=False)
        room.run(3, "1 / 0", may_fail=True)
        with pytest.raises(Trouble, match="cell 4 ends in ZeroDivisionError: division by zero"):
            room.run(4, "x / 0", may_fail=False)
