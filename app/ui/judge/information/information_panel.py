"""The information panel: everything the survey and the list say about the current object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QColor, QFont, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from app.core.session.own_fields import own_fields
from app.core.session.records import Change
from app.core.session.session import list_roles
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.information.information import (
    CandidateFacts,
    InformationRow,
    InformationSection,
    sections,
)
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column, keep_current, short_label
from app.ui.widgets.page_parts import OPEN, SHUT, FoldingCard
from app.ui.widgets.pair_table import Index, PairModel, Role, fit_rows, show_as_pairs

UPDATE_DELAY_MS = 30  # delay of updates, so that the spectrum is painted first
WIDEST, ROOM_PX = "designation", 22


class InformationPanel(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._current_theme = context.current, context.current_theme
        self._roles = list_roles(context.bridge.session)
        self._shut = {"header"}
        self._headings: dict[int, str] = {}
        self.card = FoldingCard(self.tr("Information"), self)
        self.model = InformationModel(context.current_theme, self)
        self.view = QTableView(self.card)
        self.empty = short_label(self.tr("No object selected"), "dim")
        self.card.inside.addWidget(self.empty)
        self.card.inside.addWidget(self.view, 1)
        column(self.card, parent=self)
        self._delay = QTimer(self, singleShot=True, interval=UPDATE_DELAY_MS)
        self._set_up_view()
        self._current.candidate_changed.connect(self._start)
        self._current.row_changed.connect(self._schedule)
        self._current.spectrum_changed.connect(self._schedule)
        self._current.blind_mode.changed.connect(self._schedule)
        context.current_theme.changed.connect(self._schedule)
        context.bridge.changed.connect(self._session_changed)
        keep_current(self._show, self._delay.timeout)

    def _set_up_view(self) -> None:
        view = self.view
        view.setModel(self.model)
        show_as_pairs(view, self.tr("Information"))
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.customContextMenuRequested.connect(self._open_menu)
        view.clicked.connect(self._click)
        self.menu = QMenu(self)
        self.menu.triggered.connect(self._copy)
        view.installEventFilter(self)
        self._fit_font()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.view and event.type() == QEvent.Type.FontChange:
            self._fit_font()
        return False

    def _fit_font(self) -> None:
        metrics = self.view.fontMetrics()
        self.view.horizontalHeader().resizeSection(0, metrics.horizontalAdvance(WIDEST) + ROOM_PX)
        fit_rows(self.view)

    def _start(self, _: object) -> None:
        """What belongs to the object before goes in the turn in which another one comes."""
        self._headings = {}
        self.model.show_rows(())
        self._schedule(None)

    def _schedule(self, _: object) -> None:
        # A running timer is not restarted, so that the panel follows while a key is held.
        if not self._delay.isActive():
            self._delay.start()

    def _session_changed(self, change: Change) -> None:
        if change.aspect == "list":
            self._roles = list_roles(self._current.session)

    def _show(self) -> None:
        row = self._current.row
        self.empty.setVisible(row is None)
        self.view.setVisible(row is not None)
        if row is None:
            self.model.show_rows(())
            return
        facts = CandidateFacts(
            candidate=row.candidate,
            spectrum=self._current.spectrum,
            label_column=self._roles.get(row.candidate.list_id, {}).get("label", ""),
            hides=self._current.blind_mode.hides(row),
            opinion=self._current.saved_opinion,
            fields=own_fields(self._current.session),
        )
        self._show_sections(sections(facts))

    def _show_sections(self, parts: list[InformationSection]) -> None:
        rows: list[InformationRow] = []
        self._headings = {}
        for part in parts:
            if part.name != "catalogue":
                self._headings[len(rows)] = part.name
                is_shut = part.name in self._shut
                count = f" ({len(part.rows)})" if is_shut else ""
                heading = f"{SHUT if is_shut else OPEN} {self._title(part.name)}{count}"
                rows.append(InformationRow(heading, is_heading=True))
            if part.name not in self._shut:
                rows.extend(part.rows)
        self.model.show_rows(rows)
        self.view.clearSpans()
        for row in self._headings:
            self.view.setSpan(row, 0, 1, 2)

    def _title(self, name: str) -> str:
        return {
            "opinion": self.tr("Your opinion"),
            "list": self.tr("From your list"),
            "file": self.tr("From the file"),
            "header": self.tr("Other header keywords"),
        }[name]

    def _click(self, index: QModelIndex) -> None:
        if (name := self._headings.get(index.row())) is not None:
            self._shut ^= {name}
            self._show()

    def _open_menu(self, at: QPoint) -> None:
        index = self.view.indexAt(at)
        self.menu.clear()
        if index.isValid() and index.row() not in self._headings:
            self.menu.addAction(self.tr("Copy value")).setData(self.model.value_of(index.row()))
        chosen = [each.row() for each in self.view.selectionModel().selectedRows()]
        if len(chosen) > 1:
            self.menu.addAction(self.tr("Copy selection")).setData(self.model.text_of(chosen))
        every = range(len(self.model.rows))
        self.menu.addAction(self.tr("Copy all")).setData(self.model.text_of(every))
        self.menu.popup(self.view.viewport().mapToGlobal(at))

    def _copy(self, action: QAction) -> None:
        QGuiApplication.clipboard().setText(str(action.data()))
        self._current.message.emit(self.tr("Copied"))


class InformationModel(PairModel):
    rows: Sequence[InformationRow]

    def __init__(self, current_theme: CurrentTheme, parent: QObject | None = None) -> None:
        super().__init__(current_theme, parent)
        self._bold = QFont()
        self._bold.setBold(True)

    def cell(self, row: InformationRow, is_name: bool, role: int) -> Any:
        if role == Role.DisplayRole:
            return row.name if is_name else self._value(row)
        if role == Role.ToolTipRole:
            return None if row.is_heading else f"{row.name}\n{self._value(row)}"
        if role == Role.ForegroundRole:
            theme = self._current_theme.theme
            return QColor(theme.dim if is_name or row.is_hidden else theme.text)
        if role == Role.FontRole and row.is_heading:
            return self._bold
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self.rows[index.row()].is_heading:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def text_of(self, rows: Sequence[int]) -> str:
        """Names and values to copy, separated by tabs."""
        chosen = (self.rows[row] for row in sorted(rows) if 0 <= row < len(self.rows))
        return "\n".join(f"{row.name}\t{self._value(row)}" for row in chosen if not row.is_heading)

    def value_of(self, row: int) -> str:
        return self._value(self.rows[row])

    def _value(self, row: InformationRow) -> str:
        return self.tr("hidden: blind mode") if row.is_hidden else row.value
