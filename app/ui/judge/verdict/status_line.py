"""Messages over the lower edge of the page, and recent errors with their details."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from agent.errors import WorkbenchError
from app.core.session.known_answers import has_known_answers, known_answer_of
from app.core.session.records import Change, LogEntry
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.verdict.state_block import OneLineLabel
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import MAX_DETAILS, button, column, cut, keep_current, row
from app.ui.widgets.painted_button import PaintedButton


class ErrorPopup(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.text = QPlainTextEdit(self, readOnly=True)
        self.text.setAccessibleName(self.tr("Error details"))
        self.copy = button(self.tr("Copy"), "", self._copy)
        column(self.text, row(1, self.copy, spacing=None), margins=12, parent=self)

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def show_text(self, text: str) -> None:
        self.text.setPlainText(text)
        self.resize(self.sizeHint())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())


MAX_ERRORS = 20
FADE_MS = 10_000
SIDE_PX = 12


@dataclass(frozen=True)
class ErrorMessage:
    at: str
    message: str
    details: str = ""


class StatusLine(QFrame):
    """Shown while there is something to say; it lies above the strip of verdicts of its page."""

    def __init__(self, context: SessionContext, parent: QWidget, strip: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice")
        self._current_theme = context.current_theme
        self._strips: list[QWidget] = []
        self._plot: Any = None  # a PlotView, which nothing in this folder knows
        self._is_error = False
        self.errors: deque[ErrorMessage] = deque(maxlen=MAX_ERRORS)
        self.message = OneLineLabel(self)
        theme = context.current_theme
        self.details = PaintedButton(theme, attrgetter("warning"), self, height=22)
        self.details.hide()
        self.close_button = PaintedButton(theme, attrgetter("border"), self, mark="×", height=22)
        self.close_button.set_label("", hint=self.tr("Close"))
        self.popup = ErrorPopup(self)
        self._fade = QTimer(self, singleShot=True, interval=FADE_MS)
        self._fade.timeout.connect(self._clear_message)
        row((self.message, 1), self.details, self.close_button, margins=(12, 2, 6, 2), parent=self)
        self.details.clicked.connect(self._open)
        self.close_button.clicked.connect(self.hide)
        context.current.message.connect(self.show_message)
        context.current.failed.connect(self.show_error)
        context.runner.failed.connect(self._show_workbench_error)
        parent.installEventFilter(self)
        self.lie_above(strip)
        keep_current(self._restyle, context.current_theme.changed)
        self.hide()

    def lie_in(self, plot: QWidget) -> None:
        """Lie in this plot while it is seen: around it there are numbers."""
        self._plot = plot

    def lie_above(self, strip: QWidget) -> None:
        """Do not cover this strip either while its page is shown."""
        self._strips.append(strip)
        strip.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        moves = QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide
        if event.type() in moves and self.isVisible():
            self._place()
        return False

    def _place(self) -> None:
        page = self.parentWidget()
        assert page is not None
        shown = [strip for strip in self._strips if strip.isVisible()]
        bottom = min((strip.mapTo(page, QPoint(0, 0)).y() for strip in shown), default=0)
        bottom = bottom or page.height()
        left, room = 0, page.width()
        if self._plot is not None and self._plot.isVisible():
            # In the plot, above its lower line, where the values under the mouse stand.
            stage, corner = self._plot.stage.geometry(), self._plot.mapTo(page, QPoint(0, 0))
            bottom = corner.y() + round(stage.bottom()) - self.fontMetrics().height()
            left, room = corner.x() + round(stage.left()), round(stage.width())
        text = self.fontMetrics().horizontalAdvance(self.message.full_text)
        buttons = self.close_button.sizeHint().width() + 60
        if not self.details.isHidden():
            buttons += self.details.sizeHint().width()
        width = min(room - 2 * SIDE_PX, text + buttons)
        height = self.sizeHint().height()
        self.setGeometry(left + (room - width) // 2, bottom - height - SIDE_PX, width, height)

    def _pop_up(self) -> None:
        self._restyle()
        self.show()
        self._place()
        self.raise_()

    def show_message(self, message: str) -> None:
        self._is_error = False
        self._fade.start()
        self.message.show_text(cut(message))
        self.details.setVisible(bool(self.errors))
        self._pop_up()

    def _clear_message(self) -> None:
        if not self._is_error:
            self.message.show_text("")
            self.hide()

    def show_error(self, message: str, details: str = "") -> None:
        now = datetime.now().astimezone().strftime("%H:%M:%S")
        message, details = cut(message), cut(details, MAX_DETAILS)
        self.errors.append(ErrorMessage(now, message, details))
        self._is_error = True
        self.message.show_text(f"! {message}")
        self.details.set_label(self.tr("Details"), hint=self.tr("Error details to copy"))
        self.details.show()
        self._pop_up()

    def _show_workbench_error(self, error: WorkbenchError) -> None:
        cause = error.__cause__
        details = "" if cause is None else f"{type(cause).__name__}: {cause}"
        self.show_error(translate_message(str(error)), details)

    def _open(self) -> None:
        told = ((f"{each.at}  {each.message}", each.details) for each in reversed(self.errors))
        self.popup.show_text("\n\n".join("\n".join(filter(None, each)) for each in told))
        size = self.popup.sizeHint()
        corner = self.details.mapToGlobal(QPoint(self.details.width(), 0))
        self.popup.move(corner.x() - size.width(), corner.y() - size.height() - 4)
        self.popup.show()

    def _restyle(self) -> None:
        theme = self._current_theme.theme
        colour = theme.warning if self._is_error else theme.text
        self.message.setStyleSheet(f"color: {colour};")


class KnownAnswerNote(QObject):
    """Says nothing before the verdict, nor after one that was undone."""

    def __init__(self, context: SessionContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current, self._session = context.current, context.bridge.session
        self._are_there: bool | None = None
        """Whether anything is hidden here at all; asked once, as a server may be far away."""
        context.current.judged.connect(self._tell)
        context.bridge.changed.connect(self._forget)

    def _tell(self, entry: LogEntry) -> None:
        if entry.action != "set" or entry.opinion.verdict is None:
            return
        if self._current.blind_mode.in_study:  # others, and they themselves, judge it again
            return
        if self._are_there is None:
            self._are_there = has_known_answers(self._session)
        answer = known_answer_of(self._session, entry.candidate_id) if self._are_there else None
        if answer is not None:
            text = self.tr("This was a known {class}")
            if answer.is_simulated:
                text = self.tr("This was a known {class} (simulated)")
            self._current.message.emit(text.replace("{class}", answer.class_name))

    def _forget(self, change: Change) -> None:
        if change.aspect == "list":
            self._are_there = None
