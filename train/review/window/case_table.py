"""The drafts of a pool as a table, filtered by state."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHeaderView, QTableView, QWidget

from app.ui.widgets.labels import column, one_line
from app.ui.widgets.pair_table import show_rows
from train.review.review_rules import Case
from train.review.window.stage_words import STATES, people_text, state_of, state_text

MINE, ALL = "mine", "all"
Index = QModelIndex


class CaseModel(QAbstractTableModel):
    """Shows cases; the last column is who works on it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.cases: list[Case] = []

    def show_cases(self, cases: list[Case]) -> None:
        self.beginResetModel()
        self.cases = cases
        self.endResetModel()

    def rowCount(self, parent: Any = Index()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.cases)

    def columnCount(self, parent: Any = Index()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 4

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        case = self.cases[index.row()]
        about = case.trajectory.spectrum
        name = one_line(about.object_id or about.path or case.id)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{name}\n{case.id}"
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        verdict = case.trajectory.verdict or "-"
        texts = name, f"{case.trajectory.task} {verdict}", state_text(state_of(case))
        return (*texts, one_line(people_text(case)))[index.column()]

    def headerData(
        self, section: int, orientation: Any, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return (self.tr("Object"), self.tr("Answer"), self.tr("State"), self.tr("Who"))[section]


class CaseTable(QWidget):
    chosen = Signal(str)  # the id of the draft that a person wants to see

    def __init__(self, by: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by = by
        self._every: list[Case] = []
        self.current = ""  # the id of the draft that is shown
        self.states = QComboBox(self)
        self.states.setAccessibleName(self.tr("Which drafts"))
        self.states.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.model = CaseModel(self)
        self.table = QTableView(self)
        self.table.setModel(self.model)
        show_rows(self.table, self.tr("Drafts"))
        self.table.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.table.setTabKeyNavigation(False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        column(self.states, (self.table, 1), spacing=None, parent=self)
        self._fill_states(Counter(), 0)
        self.states.currentIndexChanged.connect(self._filter)
        self.table.selectionModel().currentRowChanged.connect(self._choose)

    def show_cases(self, cases: Sequence[Case]) -> None:
        """Show these in the chosen state; the current draft stays, in whatever state it is."""
        self._every = list(cases)
        counts = Counter(map(state_of, cases))
        self._fill_states(counts, sum(map(self.is_mine, cases)))
        self._filter()

    def is_mine(self, case: Case) -> bool:
        """Whether this person can review it now."""
        return case.role_for(self._by) is not None

    def go_on(self, after: str = "") -> None:
        """Choose the next draft that waits for this person, after this one or from the top."""
        places = {case.id: place for place, case in enumerate(self._every)}
        start = places.get(after, -1) + 1
        order = (*self._every[start:], *self._every[:start])
        found = next((case for case in order if case.id != after and self.is_mine(case)), None)
        if found is None and after in places:
            found = self._every[places[after]]
        if found is not None:
            self.choose(found.id)

    def step(self, count: int) -> None:
        """Choose the draft that many rows further down."""
        if rows := len(self.model.cases):
            row = self.table.currentIndex().row() + count
            self.table.selectRow(min(max(row, 0), rows - 1))

    def choose(self, number: str) -> None:
        rows = [row for row, case in enumerate(self.model.cases) if case.id == number]
        if rows:
            self.table.selectRow(rows[0])
        else:
            self._take(number)

    def _take(self, number: str) -> None:
        if number != self.current:
            self.current = number
            self.chosen.emit(number)

    def _fill_states(self, counts: Counter[str], mine: int) -> None:
        chosen = self.states.currentData() or ALL
        self.states.blockSignals(True)
        self.states.clear()
        every, own = self.tr("All drafts"), self.tr("Waiting for me")
        self.states.addItem(f"{every} ({counts.total()})", ALL)
        self.states.addItem(f"{own} ({mine})", MINE)
        for state in STATES:
            self.states.addItem(f"{state_text(state)} ({counts[state]})", state)
        self.states.setCurrentIndex(self.states.findData(chosen))
        self.states.blockSignals(False)

    def _filter(self) -> None:
        state = self.states.currentData()
        shown = [
            case
            for case in self._every
            if state == ALL
            or case.id == self.current
            or (self.is_mine(case) if state == MINE else state_of(case) == state)
        ]
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        self.model.show_cases(shown)
        rows = [row for row, case in enumerate(shown) if case.id == self.current]
        if rows:
            self.table.selectRow(rows[0])
        selection.blockSignals(False)
        self.table.viewport().update()

    def _choose(self, now: QModelIndex, before: QModelIndex) -> None:
        if now.isValid():
            self._take(self.model.cases[now.row()].id)
