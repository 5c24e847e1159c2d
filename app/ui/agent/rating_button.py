"""Rates the inspection on screen with one key, or from a menu with the rubric's words."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from agent.errors import WorkbenchError
from agent.ratings.rubric import HIGHEST, LOWEST, MEANINGS
from agent.trajectory.trajectory import Trajectory
from app.core.inspections.ratings import rate, rating_of
from app.ui.session_context import SessionContext
from app.ui.translation.data_texts import rubric_words
from app.ui.widgets.labels import escape_mnemonics
from app.ui.widgets.menu_actions import add_action


class RatingButton(QPushButton):
    """Shows this reviewer's rating of the shown record; hidden where there is nothing to rate."""

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._current, self._shown = context.current, context.agent.shown
        self._session, self._keymap = context.bridge.session, context.keymap
        self.setProperty("role", "quiet")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.clicked.connect(self._open_menu)
        for score in range(LOWEST, HIGHEST + 1):
            context.commands.add(f"rate_{score}", partial(self.rate, score))
        self.refresh()

    @property
    def record(self) -> Trajectory | None:
        """The finished record on screen."""
        shown = self._shown
        if shown.is_hidden or shown.run is not None or self._current.candidate is None:
            return None
        return shown.trajectory

    def refresh(self) -> None:
        record, candidate = self.record, self._current.candidate
        can_rate = record is not None and candidate is not None and not self._session.is_read_only
        self.setVisible(can_rate)
        if not can_rate or record is None or candidate is None or not self._session.reviewer:
            return
        found = rating_of(self._session, candidate.id, record)
        text, about = self.tr("Rate"), self.tr("Rate this inspection")
        if found is not None and found.overall is not None:
            text = self.tr("Rated {n}").replace("{n}", str(found.overall))
            about = rubric_words(MEANINGS["overall"][found.overall])
        keys = f"{self._keymap.label('rate_0')} … {self._keymap.label('rate_5')}"
        self.setText(text)
        self.setAccessibleName(text)
        self.setToolTip(f"{about} ({keys})")

    def rate(self, score: int) -> None:
        """Store the rating; the same once more takes it back."""
        record, candidate = self.record, self._current.candidate
        if record is None or candidate is None:
            self._current.message.emit(self.tr("There is no finished inspection to rate here"))
            return
        try:
            given = rate(self._session, candidate.id, record, score)
        except WorkbenchError as error:
            self._current.report_error(error)
            return
        text = self.tr("Rating taken back")
        if given is not None:
            text = self.tr("Rated {n}: {what}").replace("{n}", str(score))
            text = text.replace("{what}", rubric_words(MEANINGS["overall"][score]))
        self._current.message.emit(text)
        self.refresh()

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for score in range(HIGHEST, LOWEST - 1, -1):
            words = rubric_words(MEANINGS["overall"][score])
            key = self._keymap.label(f"rate_{score}")
            text = escape_mnemonics(f"{score}: {words}")
            add_action(menu, f"{text}\t{key}" if key else text, partial(self.rate, score))
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))
