"""The table of the overview, in which several rows can be selected."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QItemSelectionRange, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QWidget

from app.ui.queue.queue_blocks import Span
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.candidate_table import CandidateTable


class OverviewTable(CandidateTable):
    """A click selects; Enter or a double click activates."""

    selection_changed = Signal()
    tints_current = False  # that is how selected rows look

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(current_theme, parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.clicked.disconnect(self._activate)
        self.doubleClicked.connect(self._activate)

    def selected_spans(self) -> list[Span]:
        """The selected rows, as spans in their order without overlaps."""
        parts = self.selectionModel().selection().toList()
        pairs = sorted({(part.top(), part.bottom()) for part in parts})
        spans: list[Span] = []
        after = 0  # parts may overlap where columns came or went
        for top, bottom in pairs:
            first = max(top, after)
            if bottom >= first:
                spans.append(Span(first, bottom + 1 - first))
            after = max(after, bottom + 1)
        return spans

    def select_spans(self, spans: Sequence[Span]) -> None:
        """Select these rows in place of what is selected, and show the first of them."""
        model, chosen = self.model(), QItemSelection()
        last_column = max(model.columnCount() - 1, 0)
        for span in spans:
            last = min(span.first + span.count, model.rowCount()) - 1
            if span.first <= last:
                ends = model.index(span.first, 0), model.index(last, last_column)
                chosen.append(QItemSelectionRange(*ends))
        self.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if spans:
            self.scrollTo(model.index(spans[0].first, 0), self.ScrollHint.PositionAtCenter)

    @property
    def selected_count(self) -> int:
        return sum(span.count for span in self.selected_spans())

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self.selection_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.SelectAll):
            self.selectAll()
        else:
            super().keyPressEvent(event)
