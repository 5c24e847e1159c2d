"""The sessions of late: one click opens one again."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.ui.background.runner import Runner
from app.ui.settings.reviewer import reviewer_name
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.start.recent import RecentSession, forget, glance
from app.ui.start.recent_row import PAD, RecentRow
from app.ui.theme.theme import CurrentTheme


class RecentList(QFrame):
    """What is known of each is read in the background, after the names are there."""

    chosen = Signal(str)
    """Its place."""

    def __init__(
        self,
        settings: SettingsKeeper,
        current_theme: CurrentTheme,
        runner: Runner,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings, self._current_theme, self._runner = settings, current_theme, runner
        self._asked: list[Future[Any]] = []
        self.rows: dict[str, RecentRow] = {}
        self.setProperty("role", "card")
        title = QLabel(self.tr("Recent sessions"))
        title.setProperty("role", "title")
        title.setIndent(PAD)
        self.empty = QLabel(
            self.tr("None yet. Sessions you work with are listed here, with how far you came.")
        )
        self.empty.setProperty("role", "dim")
        self.empty.setWordWrap(True)
        self.empty.setIndent(PAD)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._body = QWidget()
        self._body.setObjectName("recent_rows")
        self._column = QVBoxLayout(self._body)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._column.addWidget(self.empty)
        self._column.addStretch(1)
        self._area = area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._body)
        area.viewport().setAutoFillBackground(False)
        self._body.setAutoFillBackground(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 14, 6, 8)
        layout.setSpacing(8)
        layout.addWidget(title)
        layout.addWidget(area, 1)
        settings.changed.connect(self._follow)
        self.refresh()

    def refresh(self) -> None:
        """Look at all of them again."""
        for each in self._asked:
            each.cancel()
        for row in self.rows.values():
            self._column.removeWidget(row)
            row.hide()  # a row that lost its parent would come back as a window
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
        look = (partial(glance, location, reviewer) for location in self.rows)
        self._area.updateGeometry()  # as high as there are rows, if there is room
        self._asked = [self._runner.run(each, self._show, owner=self) for each in look]

    def _show(self, found: RecentSession) -> None:
        if found.location in self.rows:
            self.rows[found.location].show_session(found)

    def _forget(self, location: str) -> None:
        self._settings.change(recent=forget(self._settings.settings.recent, location))

    def _follow(self, _: object) -> None:
        if tuple(self.rows) != self._settings.settings.recent:
            self.refresh()
