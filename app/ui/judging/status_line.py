"""Messages that need no answer. Errors stay at hand, with what is behind them, to be copied."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from agent.errors import WorkbenchError
from app.ui.actions.actions import ACTIONS
from app.ui.agent.words import batch_words, run_words
from app.ui.judging.state_block import OneLineLabel
from app.ui.session_context import SessionContext
from app.ui.widgets.painted_button import PaintedButton


class ErrorSheet(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(self.tr("What went wrong"))
        self.copy = QPushButton(self.tr("Copy"), self)
        self.copy.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.copy)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(12, 12, 12, 12)
        whole.setSpacing(8)
        whole.addWidget(self.text)
        whole.addLayout(foot)
        self.copy.clicked.connect(self._copy)

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def show_text(self, text: str) -> None:
        self.text.setPlainText(text)
        self.resize(self.sizeHint())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())


KEPT = 20
FADE_MS = 10_000
DOORS = ("palette", "keys", "help")
"""Actions that lead to all others: they are always in sight."""


@dataclass(frozen=True)
class ErrorMessage:
    at: str
    message: str
    details: str = ""


class StatusLine(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme, self._agent = context.current_theme, context.agent
        self._is_error = False
        self.troubles: deque[ErrorMessage] = deque(maxlen=KEPT)
        self.message = OneLineLabel(self)
        self.agent_words = QLabel(self)
        self.agent_words.setTextFormat(Qt.TextFormat.PlainText)
        self.agent_words.setProperty("role", "dim")
        self.details = PaintedButton(context.current_theme, attrgetter("warning"), self, height=22)
        self.details.hide()
        self.sheet = ErrorSheet(self)
        self._fade = QTimer(self, singleShot=True, interval=FADE_MS)
        self._fade.timeout.connect(self._forget)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 2, 8, 2)
        row.setSpacing(12)
        row.addWidget(self.message, 1)
        row.addWidget(self.details)
        row.addWidget(self.agent_words)
        self._keymap = context.keymap
        self.doors = {name: self._door(context, name) for name in DOORS}
        for button in self.doors.values():
            row.addWidget(button)
        self._show_keys()
        context.keymap.changed.connect(self._show_keys)
        self.setFixedHeight(28)
        self.details.clicked.connect(self._open)
        context.current.said.connect(self.say)
        context.current.failed.connect(self.say_trouble)
        context.runner.failed.connect(self._say_error)
        context.current_theme.changed.connect(self._restyle)
        self._agent.state_changed.connect(self._follow_agent)
        self._agent.batch_changed.connect(self._follow_agent)
        self._restyle()

    def _door(self, context: SessionContext, name: str) -> PaintedButton:
        button = PaintedButton(
            context.current_theme, attrgetter("accent"), self, height=22, is_quiet=True
        )
        button.clicked.connect(partial(context.commands.run, name))
        return button

    def _show_keys(self) -> None:
        for name, button in self.doors.items():
            button.say(ACTIONS[name].words, self._keymap.label(name))

    def say(self, message: str) -> None:
        self._is_error = False
        self._fade.start()
        self.message.say(message)
        self._restyle()

    def _forget(self) -> None:
        """What was said a while ago is no news any more; what went wrong stays."""
        if not self._is_error:
            self.message.say("")

    def say_trouble(self, message: str, details: str = "") -> None:
        now = datetime.now().astimezone().strftime("%H:%M:%S")
        self.troubles.append(ErrorMessage(now, message, details))
        self._is_error = True
        self.message.say(f"! {message}")
        self.details.say(self.tr("Details"), hint=self.tr("What went wrong, to be copied"))
        self.details.show()
        self._restyle()

    def _follow_agent(self, _: object = None) -> None:
        """What it is doing, on whichever page one is; nothing while it rests."""
        run, batch = self._agent.steered, self._agent.batch
        if run is not None:
            words = self.tr("Agent: {what}")
            self.agent_words.setText(
                words.replace("{what}", run_words(run, is_here=run is self._agent.run))
            )
        else:
            self.agent_words.setText(batch_words(batch) if batch.is_running else "")

    def _say_error(self, error: WorkbenchError) -> None:
        cause = error.__cause__
        self.say_trouble(str(error), "" if cause is None else f"{type(cause).__name__}: {cause}")

    def _open(self) -> None:
        lines = [
            "\n".join(filter(None, (f"{each.at}  {each.message}", each.details)))
            for each in reversed(self.troubles)
        ]
        self.sheet.show_text("\n\n".join(lines))
        size = self.sheet.sizeHint()
        corner = self.details.mapToGlobal(QPoint(self.details.width(), 0))
        self.sheet.move(corner.x() - size.width(), corner.y() - size.height() - 4)
        self.sheet.show()

    def _restyle(self) -> None:
        theme = self._current_theme.theme
        colour = theme.warning if self._is_error else theme.text
        self.message.setStyleSheet(f"color: {colour};")
