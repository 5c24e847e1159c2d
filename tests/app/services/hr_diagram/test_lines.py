"""The background is made of the relations beside it, and each bundled class has its region."""

from __future__ import annotations

import numpy as np

from agent.tasks.catalogue import load_tasks
from app.services.hr_diagram.lines import (
    BACKGROUND,
    COLOURS,
    COLUMNS,
    MAGNITUDES,
    ROWS,
    background,
    background_text,
    region_of,
    sequences,
)


def at(bp_rp: float, m_g: float) -> float:
    row = int((m_g - MAGNITUDES[0]) / (MAGNITUDES[1] - MAGNITUDES[0]) * ROWS)
    column = int((bp_rp - COLOURS[0]) / (COLOURS[1] - COLOURS[0]) * COLUMNS)
    return float(background()[row, column])


def test_the_file_is_what_the_script_makes_and_names_its_sources():
    lines = sequences()
    assert BACKGROUND.read_text(encoding="utf-8") == background_text(lines)
    head = BACKGROUND.read_text(encoding="utf-8").splitlines()[:12]
    assert all(any(each.source in line for line in head) for each in lines)


def test_the_sun_a_white_dwarf_and_the_red_clump_lie_where_stars_are():
    assert at(0.82, 4.67) > 0.5
    assert at(0.13, 12.2) > 0.15
    assert at(1.2, 0.5) > 0.2
    assert at(3.5, 5.0) == 0.0 and at(-0.5, 3.0) == 0.0


def test_faint_is_below():
    assert np.all(background()[0] == 0.0)
    assert background().shape == (ROWS, COLUMNS)


def test_each_bundled_class_has_a_region_and_others_have_none():
    for task in load_tasks():
        region = region_of(task.id)
        if task.id == "LOOK":
            assert region is None
            continue
        assert region is not None and len(region.bp_rp) == len(region.m_g) >= 4 and region.source
    assert region_of("MY_CLASS") is None
