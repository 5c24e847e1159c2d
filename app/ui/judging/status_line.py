"""The status line: messages, recent errors with their details, and what the agent is doing."""

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
from app.ui.agent.status_texts import list_run_text, run_text
from app.ui.judging.state_block import OneLineLabel
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import MAX_DETAILS, cut
from app.ui.widgets.painted_button import PaintedButton


class ErrorSheet(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(self.tr("Error details"))
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


MAX_ERRORS = 20
FADE_MS = 10_000
HELP_ACTIONS = ("palette", "keys", "help")
"""Actions with a button here, as they lead to all others."""


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
        self.errors: deque[ErrorMessage] = deque(maxlen=MAX_ERRORS)
        self.message = OneLineLabel(self)
        self.agent_text = QLabel(self)
        self.agent_text.setTextFormat(Qt.TextFormat.PlainText)
        self.agent_text.setProperty("role", "dim")
        self.details = PaintedButton(context.current_theme, attrgetter("warning"), self, height=22)
        self.details.hide()
        self.sheet = ErrorSheet(self)
        self._fade = QTimer(self, singleShot=True, interval=FADE_MS)
        self._fade.timeout.connect(self._clear_message)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 2, 8, 2)
        row.setSpacing(12)
        row.addWidget(self.message, 1)
        row.addWidget(self.details)
        row.addWidget(self.agent_text)
        self._keymap = context.keymap
        self.buttons = {name: self._button(context, name) for name in HELP_ACTIONS}
        for button in self.buttons.values():
            row.addWidget(button)
        self._show_keys()
        context.keymap.changed.connect(self._show_keys)
        self.setFixedHeight(28)
        self.details.clicked.connect(self._open)
        context.current.message.connect(self.show_message)
        context.current.failed.connect(self.show_error)
        context.runner.failed.connect(self._show_workbench_error)
        context.current_theme.changed.connect(self._restyle)
        self._agent.state_changed.connect(self._show_agent)
        self._agent.list_run.changed.connect(self._show_agent)
        self._restyle()

    def _button(self, context: SessionContext, name: str) -> PaintedButton:
        button = PaintedButton(
            context.current_theme, attrgetter("accent"), self, height=22, is_quiet=True
        )
        button.clicked.connect(partial(context.commands.run, name))
        return button

    def _show_keys(self) -> None:
        for name, button in self.buttons.items():
            button.set_label(ACTIONS[name].title, self._keymap.label(name))

    def show_message(self, message: str) -> None:
        self._is_error = False
        self._fade.start()
        self.message.show_text(cut(message))
        self._restyle()

    def _clear_message(self) -> None:
        if not self._is_error:
            self.message.show_text("")

    def show_error(self, message: str, details: str = "") -> None:
        now = datetime.now().astimezone().strftime("%H:%M:%S")
        message, details = cut(message), cut(details, MAX_DETAILS)
        self.errors.append(ErrorMessage(now, message, details))
        self._is_error = True
        self.message.show_text(f"! {message}")
        self.details.set_label(self.tr("Details"), hint=self.tr("Error details to copy"))
        self.details.show()
        self._restyle()

    def _show_agent(self, _: object = None) -> None:
        run, list_run = self._agent.active_run, self._agent.list_run.state
        if run is not None:
            text = run_text(run, is_here=run is self._agent.shown.run)
            self.agent_text.setText(self.tr("Agent: {what}").replace("{what}", text))
        else:
            self.agent_text.setText(list_run_text(list_run) if list_run.is_running else "")

    def _show_workbench_error(self, error: WorkbenchError) -> None:
        cause = error.__cause__
        self.show_error(str(error), "" if cause is None else f"{type(cause).__name__}: {cause}")

    def _open(self) -> None:
        lines = [
            "\n".join(filter(None, (f"{each.at}  {each.message}", each.details)))
            for each in reversed(self.errors)
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
