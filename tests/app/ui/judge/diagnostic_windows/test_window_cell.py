"""What a diagnostic window says below its plot: whole numbers, in as many words as fit."""

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from agent.tasks.catalogue import find_task, load_tasks
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import load_table
from app.ui.judge.diagnostic_windows.windows_row import WindowCell, short_names
from app.ui.widgets.plot_cell import PAD
from tests.app.ui.steps import shown_in

TEXTS = (
    "S/N 68.7 · He I 5876 −5.38 ± 0.12 Å",
    "He I 5876 −5.38 ± 0.12 Å",
    "−5.38 ± 0.12 Å",
    "S/N 68.7",
)


@pytest.fixture
def cell(qtbot):
    page = shown_in(qtbot, QWidget(), 600, 120)
    made = WindowCell(find_task("CV").windows[0], CurrentTheme(), page)
    made.page = page
    made.show_numbers(TEXTS)
    made.show()
    return made


def wide(cell, text):
    return QFontMetrics(cell.text_font).horizontalAdvance(text) + 2 * PAD


def test_as_many_words_as_fit_down_to_the_narrowest_cell(cell):
    for number in range(len(TEXTS)):
        cell.resize(wide(cell, TEXTS[number]), 100)
        assert cell.number == TEXTS[number]
        if number + 1 < len(TEXTS):
            cell.resize(cell.width() - 1, 100)
            assert cell.number == TEXTS[number + 1]
    cell.resize(WindowCell.min_width_px, 100)
    assert cell.number in TEXTS and wide(cell, cell.number) <= WindowCell.min_width_px
    cell.resize(300, 100)
    before = cell.grab().toImage()
    cell.show_numbers(())
    assert cell.number == "" and cell.grab().toImage() != before


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


SHORTER = {
    "He II 4686, Hβ, [O III]": ("He II 4686, Hβ", "He II 4686", "He II"),
    "Hα and He I 6678": ("Hα",), "Balmer series": ("Balmer",),
    "Ca II triplet and Paschen": ("Ca II triplet", "Ca II"),
    "Ca II K and Hε": ("Ca II K", "Ca II"),
    "TiO of the companion, Na I 8190": ("TiO of the companion", "TiO"),
    "High Balmer lines and Ca II K": ("High Balmer lines", "High Balmer", "Balmer"),
    "M dwarf companion, Paschen": ("M dwarf companion", "M dwarf"),
    "G band, CN 4216, Ca I 4227": ("G band, CN 4216", "G band"),
    "ZrO 6474 excluded": ("ZrO 6474", "ZrO"), "Na D": (), "[O III]": (), "巴耳末线系": ("巴耳末",),
    "Ca II 三重线与帕邢线": ("Ca II 三重线", "Ca II"), "排除 He II 4686": ("He II 4686", "He II"),
    "高次巴耳末线与 Ca II K": ("高次巴耳末线", "高次巴耳末", "巴耳末"),
    "伴星的 TiO、Na I 8190": ("伴星的 TiO", "TiO"), "": (),
}  # fmt: skip


def test_ever_shorter_names_down_to_the_narrowest_cell():
    for label in SHORTER:
        assert short_names(label) == (label, *SHORTER[label])
    labels = {window.label for task in load_tasks() for window in task.windows}
    assert len(labels) > 30
    assert max(len(short_names(label)[-1]) for label in labels) <= len("M dwarf")
    chinese = load_table("tasks", "zh")
    assert max(len(short_names(chinese[label])[-1]) for label in labels) <= len("He II")


def test_texts_keep_off_the_frame(cell):
    """Nothing but the ground stands within five pixels of the edge."""
    cell.key, clear = "F2", 3  # and two of the frame
    cell.resize(300, 100)
    cell.curves = {}
    picture = cell.grab().toImage()
    ground = picture.pixelColor(150, 50)
    inner = cell.rect().adjusted(2, 2, -2, -2)
    edges = [
        inner.adjusted(0, 0, 0, clear - inner.height()),
        inner.adjusted(0, inner.height() - clear, 0, 0),
        inner.adjusted(0, 8, clear - inner.width(), -8),
        inner.adjusted(inner.width() - clear, 8, 0, -8),
    ]
    for edge in edges:
        for x in range(max(edge.left(), 8), min(edge.right(), inner.right() - 8) + 1):
            for y in range(edge.top(), edge.bottom() + 1):
                assert picture.pixelColor(x, y) == ground, (x, y)
