"""A table of candidates: rows are activated by a click, or with Enter."""

import pytest
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.ui.base.theme.theme import tones
from app.ui.widgets.candidate_table import CELL, CandidateTable, Cell
from tests.app.ui.steps import heard, shown_in


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


def test_rows_are_activated_by_click_or_enter(qtbot, table, current_theme):
    position = table.visualRect(table.model().index(2, 1)).center()
    with qtbot.waitSignal(table.row_activated) as activated:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert activated.args == [2]

    def left_edge(row):
        rect = table.visualRect(table.model().index(row, 0))
        return table.viewport().grab().toImage().pixelColor(rect.left() + 1, rect.center().y())

    assert left_edge(1).name() == current_theme.theme.accent
    assert left_edge(2).name() != current_theme.theme.accent
    table.focused.connect(lambda: table.set_focused_row(1))
    qtbot.waitUntil(table.hasFocus)
    table.clearFocus()
    assert table.focused_row == -1
    table.setFocus()
    assert table.focused_row == 1
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert heard(qtbot, table.row_activated, lambda: qtbot.keyClick(table, Qt.Key.Key_Return)) == 2
    qtbot.keyClick(table, "1")  # no search by letters
    assert table.focused_row == 2


def test_the_mouse_lights_a_whole_row(qtbot, table, current_theme):
    def colours(row):
        image = table.viewport().grab().toImage()
        cells = [table.visualRect(table.model().index(row, column)) for column in (0, 1)]
        return [image.pixelColor(cell.right() - 2, cell.top() + 1).name() for cell in cells]

    plain = colours(2)
    for column in (0, 1):
        over = table.visualRect(table.model().index(2, column)).center()
        qtbot.mouseMove(table.viewport(), over)
        qtbot.waitUntil(lambda: table.hovered_row == 2)
        assert colours(2) == [tones(current_theme.theme).hover] * 2
    table.setSelectionMode(CandidateTable.SelectionMode.SingleSelection)
    table.setSelectionBehavior(CandidateTable.SelectionBehavior.SelectRows)
    table.selectRow(2)
    assert tones(current_theme.theme).hover not in colours(2)
    table.clearSelection()
    qtbot.mouseMove(table.parentWidget(), QPoint(5, 5))
    qtbot.waitUntil(lambda: colours(2) == plain)
