"""The line above the plot during a round of repeats: progress and a stop button."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.core.statistics.repeats import plan_repeats
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import row, wrapped_label


class RepeatLine(QFrame):
    """Also handles the command "show_again"."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._current, self._runner = context.current, context.runner
        self._was_on = False
        self.text = wrapped_label("", parent=self)
        self.stop = QPushButton(self.tr("Stop"), self)
        self.stop.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.stop.setToolTip(self.tr("Back to the candidate you came from"))
        row((self.text, 1), self.stop, spacing=12, margins=(12, 4, 8, 4), parent=self)
        self.stop.clicked.connect(self._stop)
        context.commands.add("show_again", self._start_or_stop)
        self._current.repeat_round.changed.connect(self._show)
        self.hide()

    def _start_or_stop(self) -> None:
        if self._current.repeat_round.is_on:
            self._stop()
        elif self._current.session.is_read_only:
            text = self.tr("This session is read-only: verdicts cannot be saved")
            self._current.message.emit(text)
        else:
            plan = partial(plan_repeats, self._current.session)
            self._runner.run(plan, self._begin, self._current.report_error, owner=self)

    def _begin(self, plan: tuple[int, ...]) -> None:
        here = self._current.candidate
        chosen = [number for number in plan if here is None or number != here.id]
        if here is None or not chosen:
            text = self.tr(
                "Nothing to repeat yet: one in twenty of your verdicts is repeated, "
                "after at least fifty others"
            )
            self._current.message.emit(text)
        elif not self._current.repeat_round.is_on:
            self._current.repeat_round.begin(chosen, here.id)
            self._current.go_to(chosen[0])

    def _stop(self) -> None:
        if (home := self._current.repeat_round.home) is not None:
            self._current.go_to(home)

    def _show(self) -> None:
        repeats = self._current.repeat_round
        self.setVisible(repeats.is_on)
        if repeats.is_on:
            text = self.tr(
                "Repeat {n} of {count}: judge it as if you had never seen it. "
                "Your first verdict stays."
            )
            text = text.replace("{n}", str(repeats.index + 1))
            self.text.setText(text.replace("{count}", str(len(repeats.plan))))
        elif self._was_on:
            about = self.tr("The agreement page shows how consistent your verdicts are")
            self._current.message.emit(about)
        self._was_on = repeats.is_on
