"""Over the plot while objects are shown again: how many there are, and the way out."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.core.statistics.repeats import plan_repeats
from app.ui.session_context import SessionContext


class RepeatLine(QFrame):
    """Answers to who wants some objects shown again."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._current, self._runner = context.current, context.runner
        self._was_on = False
        self.words = QLabel(self)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.enough = QPushButton(self.tr("Enough"), self)
        self.enough.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.enough.setToolTip(self.tr("Back to where you came from"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 8, 4)
        row.setSpacing(12)
        row.addWidget(self.words, 1)
        row.addWidget(self.enough)
        self.enough.clicked.connect(self._stop)
        context.commands.add("show_again", self._start_or_stop)
        self._current.again.changed.connect(self._show)
        self.hide()

    def _start_or_stop(self) -> None:
        if self._current.again.is_on:
            self._stop()
        elif self._current.session.is_read_only:
            self._current.said.emit(self.tr("This session can only be read: nothing can be kept"))
        else:
            plan = partial(plan_repeats, self._current.session)
            self._runner.run(plan, self._begin, self._current.tell, owner=self)

    def _begin(self, plan: tuple[int, ...]) -> None:
        here = self._current.candidate
        chosen = [number for number in plan if here is None or number != here.id]
        if here is None or not chosen:
            told = self.tr(
                "Nothing to show again: one in twenty of your verdicts can be, "
                "once fifty others came after it"
            )
            self._current.said.emit(told)
        elif not self._current.again.is_on:
            self._current.again.begin(chosen, here.id)
            self._current.go_to(chosen[0])

    def _stop(self) -> None:
        home = self._current.again.home
        if home is not None:
            self._current.go_to(home)

    def _show(self) -> None:
        again = self._current.again
        self.setVisible(again.is_on)
        if again.is_on:
            told = self.tr(
                "Shown again, {n} of {count}: judge it as if you had never seen it. "
                "Your first verdict stays."
            )
            told = told.replace("{n}", str(again.at + 1))
            self.words.setText(told.replace("{count}", str(len(again.plan))))
        elif self._was_on:
            told = self.tr("The page of agreement tells how far you agree with yourself")
            self._current.said.emit(told)
        self._was_on = again.is_on
