"""The list of recent sessions; a click opens one."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.ui.background.runner import Runner
from app.ui.settings.settings import reviewer_name
from app.ui.settings.settings_store import SettingsStore
from app.ui.start.recent import RecentSession, describe_session, forget
from app.ui.start.recent_row import PAD, RecentRow
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.labels import column, short_label, wrapped_label


class RecentList(QFrame):
    """Shows the names at once and reads the summaries in the background."""

    chosen = Signal(str)
    """Path or URL of the session."""

    def __init__(
        self, settings: SettingsStore, current_theme: CurrentTheme, runner: Runner
    ) -> None:
        super().__init__()
        self._settings, self._current_theme, self._runner = settings, current_theme, runner
        self._pending: list[Future[Any]] = []
        self.rows: dict[str, RecentRow] = {}
        self.setProperty("role", "card")
        title = short_label(self.tr("Recent sessions"), "title")
        title.setIndent(PAD)
        self.empty = wrapped_label(
            self.tr("No sessions yet. Sessions you open are listed here with your progress."), "dim"
        )
        self.empty.setIndent(PAD)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._body = QWidget()
        self._body.setObjectName("recent_rows")
        self._column = column(self.empty, 1, spacing=2, parent=self._body)
        self._area = area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._body)
        area.viewport().setAutoFillBackground(False)
        self._body.setAutoFillBackground(False)
        column(title, (area, 1), margins=(6, 14, 6, 8), parent=self)
        settings.changed.connect(self._follow)
        self.refresh()

    def refresh(self) -> None:
        for future in self._pending:
            future.cancel()
        for row in self.rows.values():
            self._column.removeWidget(row)
            row.hide()  # without a parent, a visible row would become a window of its own
            row.deleteLater()
        self.rows = {}
        recent = self._settings.settings.recent
        reviewer = reviewer_name(self._settings.settings)
        for number, location in enumerate(recent):
            row = RecentRow(RecentSession(location=location), self._current_theme)
            row.opened.connect(self.chosen)
            row.removed.connect(self._forget)
            self._column.insertWidget(number, row)
            self.rows[location] = row
        self.empty.setVisible(not recent)
        self._area.updateGeometry()  # grow with the number of rows, if there is room
        self._pending = [
            self._runner.run(partial(describe_session, each, reviewer), self._show, owner=self)
            for each in self.rows
        ]

    def _show(self, session: RecentSession) -> None:
        if session.location in self.rows:
            self.rows[session.location].show_session(session)

    def _forget(self, location: str) -> None:
        self._settings.change(recent=forget(self._settings.settings.recent, location))

    def _follow(self, _: object) -> None:
        if tuple(self.rows) != self._settings.settings.recent:
            self.refresh()
