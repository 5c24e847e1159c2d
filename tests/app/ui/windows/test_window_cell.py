"""What a diagnostic window says below its plot: whole numbers, in as many words as fit."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from agent.tasks.catalogue import find_task
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.plot_cell import PAD
from app.ui.windows.window_cell import WindowCell

TEXTS = (
    "S/N 68.7 · He I 5876 −5.38 ± 0.12 Å",
    "S/N 68.7 · He I 5876 −5.38",
    "He I 5876 −5.38",
    "−5.38",
)


@pytest.fixture
def cell(qtbot):
    page = QWidget()
    qtbot.addWidget(page)
    made = WindowCell(find_task("CV").windows[0], CurrentTheme(), page)
    made.page = page
    page.resize(600, 120)
    made.show_numbers(TEXTS)
    page.show()
    return made


def wide(cell, text):
    return QFontMetrics(cell.text_font).horizontalAdvance(text) + 2 * PAD


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_as_many_words_as_fit(cell, number):
    cell.resize(wide(cell, TEXTS[number]), 100)
    assert cell.number == TEXTS[number]
    if number + 1 < len(TEXTS):
        cell.resize(cell.width() - 1, 100)
        assert cell.number == TEXTS[number + 1]


def test_the_narrowest_cell_has_room_for_a_number(cell):
    cell.resize(WindowCell.min_width_px, 100)
    assert cell.number in TEXTS
    assert wide(cell, cell.number) <= WindowCell.min_width_px


def test_what_is_measured_is_painted(cell):
    cell.resize(300, 100)
    before = cell.grab().toImage()
    cell.show_numbers(())
    assert cell.number == ""
    assert cell.grab().toImage() != before


def test_the_name_is_as_short_as_need_be_and_the_key_goes_before_it_is_cut(cell):
    cell.key = "F2"
    titles = []
    for width in range(300, WindowCell.min_width_px // 2, -1):
        cell.resize(width, 100)
        titles.append(cell.title)
        assert wide(cell, " ".join(cell.title).strip()) <= width + PAD
    assert list(dict.fromkeys(titles)) == [("Hα and He I 6678", "F2"), ("Hα", "F2")]
    cell.resize(wide(cell, "Hα") + 2, 100)
    assert cell.title == ("Hα", "")
