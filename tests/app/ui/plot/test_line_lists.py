"""Which known line an observed wavelength is named after."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject

from app.ui.plot.line_lists import PlotLineLists


@pytest.fixture
def lists(context):
    parent = QObject()
    made = PlotLineLists(context, parent)
    yield made
    parent.deleteLater()


def test_lines_of_the_task_come_before_nearer_ones(lists):
    nearest = lists.lists.nearest(6562.9, 30.0)[0]
    assert nearest.label == "He II 6560"  # in vacuum 6561.9, and Hα at 6564.6
    assert lists.name_near(6562.9, 0.0) == "Hα"
    assert lists.name_near(6562.9 * 1.01, 0.01) == "Hα"


def test_other_lines_keep_their_names_and_unknown_places_their_wavelength(lists):
    assert lists.name_near(8183.0 + 2.3, 0.0).startswith("Na I")
    assert lists.name_near(9999.0 * 3.0, 0.0) == "29997"
