"""A table of candidates: rows are activated by a click, or with Enter."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.ui.widgets.candidate_table import CELL, CandidateTable, Cell
from tests.app.ui.steps import shown_in


class Rows(QAbstractTableModel):
    current = 1

    def rowCount(self, parent=QModelIndex()):  # noqa: B008
        return 0 if parent.isValid() else 4

    def columnCount(self, parent=QModelIndex()):  # noqa: B008
        return 0 if parent.isValid() else 2

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        text = f"{index.row()}.{index.column()}"
        if role == CELL:
            return Cell(text, "#ff0000", is_current=index.row() == self.current)
        return text if role == Qt.ItemDataRole.DisplayRole else None


@pytest.fixture
def table(qtbot, current_theme):
    around = QWidget()
    made = CandidateTable(current_theme, around)
    made.setModel(Rows(made))
    layout = QVBoxLayout(around)
    layout.addWidget(QLineEdit())
    layout.addWidget(made)
    shown_in(qtbot, around, 300, 200)
    yield made


def test_a_click_activates_a_row(qtbot, table):
    position = table.visualRect(table.model().index(2, 1)).center()
    with qtbot.waitSignal(table.row_activated) as activated:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert activated.args == [2]


def test_enter_activates_the_row_chosen_with_the_arrows(qtbot, table):
    table.focused.connect(lambda: table.set_focused_row(1))
    qtbot.waitUntil(table.hasFocus)
    table.clearFocus()
    assert table.focused_row == -1
    table.setFocus()
    assert table.focused_row == 1
    qtbot.keyClick(table, Qt.Key.Key_Down)
    with qtbot.waitSignal(table.row_activated) as activated:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert activated.args == [2]
    qtbot.keyClick(table, "1")  # no search by letters
    assert table.focused_row == 2


def test_the_current_row_is_tinted(table, current_theme):
    def left_edge(row):
        rect = table.visualRect(table.model().index(row, 0))
        return table.viewport().grab().toImage().pixelColor(rect.left() + 1, rect.center().y())

    assert left_edge(1).name() == current_theme.theme.accent
    assert left_edge(2).name() != current_theme.theme.accent
