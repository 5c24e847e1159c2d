"""The task without a class is a task file like the others, and is no class to choose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.spectra.lines import builtin_lines
from agent.tasks.catalogue import find_task, load_tasks, task_source
from agent.tasks.look import FILE, has_class, look_task
from agent.tasks.task_file import parse_task


def test_it_is_not_among_the_classes() -> None:
    assert not has_class(look_task())
    assert all(has_class(task) for task in load_tasks())
    with pytest.raises(ResourceError, match="no task"):
        find_task("look")


def test_its_source_is_stored_and_read_again_as_it_is() -> None:
    again = parse_task(task_source(look_task()).encode(), "a session")
    assert not has_class(again)
    assert again.windows == look_task().windows and again.evidence == ()


def test_its_line_sets_and_wavelengths_are_known() -> None:
    lists = builtin_lines()
    assert set(look_task().lines) <= {each.name for each in lists.sets}
    known = [line.wavelength for line in lists.sorted_lines]
    for window in look_task().windows:
        for number in map(float, re.findall(r"(?<![\d.])\d{4}\.\d", window.look)):
            nearest = min(known, key=lambda value: abs(value - number))
            assert abs(nearest - number) < 0.11, number
            assert window.range[0] <= number <= window.range[1]


def test_a_task_file_cannot_take_its_id(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(ResourceError, match="means that there is no class"):
        load_tasks([tmp_path])
