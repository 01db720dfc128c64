"""What was handed in is read by its tags, and what cannot be read says why in one line."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from handed_in import code_cell, of_cells, written

from workbench.exercises.submission import LARGEST, Unusable, read_submission

ANSWER: Final = code_cell("x = 1", "exercise", "ex:refused-version")


def test_an_answer_has_its_cells_and_no_check(tmp_path: Path) -> None:
    """Ours: check and hint cells are the grader's business; the rest may be needed."""
    text = {"cell_type": "markdown", "id": "t", "metadata": {}, "source": ["# T"]}
    path = written(
        tmp_path,
        of_cells(
            text,
            code_cell("a = 1"),
            ANSWER,
            code_cell("check(1, x)", "check"),
            code_cell("print(verdict.hint())", "hint"),
            code_cell("b = 1"),
            code_cell("y = 1", "ex:wrong-revision"),
            code_cell("c = 1"),
        ),
    )
    first, second = read_submission(path).answers
    assert (first.exercise.number, first.cell, first.before) == (1, 3, ((2, "a = 1"),))
    assert (second.exercise.number, second.cell, second.before) == (2, 7, ((6, "b = 1"),))


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"kernelspec": {}},
        {"kernelspec": {"name": "of-somebody-else", "language": "python"}},
        {"language_info": {"name": "ipython"}},
        {"kernelspec": "odd", "language_info": 7},
    ],
)
def test_a_notebook_without_a_kernel_of_ours_is_read(
    metadata: dict[str, Any], tmp_path: Path
) -> None:
    """Ours: the grader brings the kernel, so its name does not matter."""
    assert read_submission(written(tmp_path, of_cells(ANSWER, **metadata))).answers


@pytest.mark.parametrize(
    ("notebook", "words"),
    [
        (of_cells(), "no answer cell"),
        (of_cells(code_cell("x = 1")), "no answer cell"),
        (of_cells(code_cell("x", "ex:refused-versoin")), "Did you mean refused-version"),
        (of_cells(ANSWER, code_cell("2"), ANSWER), "cells 1 and 3 are both tagged"),
        (of_cells(code_cell("x", "ex:refused-version", "ex:wrong-revision")), "one answer, one"),
        (of_cells(ANSWER, kernelspec={"language": "julia"}), "it is for julia"),
        (of_cells({**ANSWER, "source": [1, 2]}), "cell 1 has no source"),
        ({"worksheets": []}, "no notebook of format 4"),
        ({"cells": ["x"]}, "no notebook of format 4"),
        ([], "the JSON is no object"),
        ("x", "the JSON is no object"),
    ],
)
def test_what_cannot_be_graded_says_why(notebook: Any, words: str, tmp_path: Path) -> None:
    """Ours: one line that says what to do, never a traceback."""
    with pytest.raises(Unusable, match=words) as caught:
        read_submission(written(tmp_path, notebook))
    assert "\n" not in str(caught.value)


def test_a_tag_of_somebody_is_shown_safely(tmp_path: Path) -> None:
    """Ours: a tag is text of a stranger."""
    with pytest.raises(Unusable) as caught:
        read_submission(written(tmp_path, of_cells(code_cell("x", "ex:\x1b[31m\nred"))))
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_corrupted_file_says_so(content: bytes, tmp_path: Path) -> None:
    """Ours: half an upload happens."""
    path = tmp_path / "half.ipynb"
    path.write_bytes(content)
    with pytest.raises(Unusable, match="no JSON"):
        read_submission(path)


def test_a_missing_or_huge_file_says_so(tmp_path: Path) -> None:
    """Ours: nothing of unknown size is read into memory."""
    with pytest.raises(Unusable, match="cannot be read: No such file"):
        read_submission(tmp_path / "none.ipynb")
    huge = tmp_path / "huge.ipynb"
    with huge.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(Unusable, match="larger than 20 MiB"):
        read_submission(huge)


def test_source_as_text_and_as_lines_is_the_same(tmp_path: Path) -> None:
    """Spec: nbformat 4 allows both."""
    lines = {**ANSWER, "source": ["x = 1\n", "y = 2"]}
    path = written(tmp_path, json.loads(json.dumps(of_cells(lines))))
    assert read_submission(path).answers[0].source == "x = 1\ny = 2"
