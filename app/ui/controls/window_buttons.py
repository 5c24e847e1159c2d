"""A button with its key for each diagnostic window of the task."""

from __future__ import annotations

import re
from functools import partial
from html import escape

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QSizePolicy, QWidget

from agent.tasks.task import DiagnosticWindow
from app.ui.actions.actions import ACTIONS
from app.ui.keys.keymap import Keymap
from app.ui.session_context import SessionContext
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.data_texts import task_text
from app.ui.widgets.tooltips import RICH

COLUMNS, SPACING = 2, 4
HEIGHT = 28
RADIUS = 6.0
PAD = 8
FONT_STEP_PT = 1.0
SPACE_IN_NAME = re.compile(r" (?=(?:[IVX]+|[A-Z]|\d+)\b)")
"""A space inside the name of a line such as He II 4686, where it must not be wrapped."""
WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class WindowButton(QAbstractButton):
    """Button for one window, with a bar at its left while that window is on screen."""

    def __init__(
        self, window: DiagnosticWindow, current_theme: CurrentTheme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.window_of_task = window
        self.key = ""
        self.is_current = False
        self.is_covered = True
        self.setProperty(RICH, True)
        self._current_theme = current_theme
        self.setText(task_text(window.label))
        font = self.font()
        font.setPointSizeF(font.pointSizeF() - FONT_STEP_PT)
        self.setFont(font)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        current_theme.changed.connect(self._restyle)

    def mark(self, *, current: bool, covered: bool) -> None:
        self.is_current, self.is_covered = current, covered
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        width = metrics.horizontalAdvance(self.text() + self.key) + 4 * PAD
        return QSize(width, max(HEIGHT, metrics.height() + 10))

    def minimumSizeHint(self) -> QSize:
        return QSize(8 * PAD, self.sizeHint().height())

    def height_for(self, width: int) -> int:
        """The height needed for the label, wrapped at this width."""
        metrics = QFontMetrics(self.font())
        room = QRect(0, 0, self._room(width, metrics), 1000)
        return max(HEIGHT, metrics.boundingRect(room, WRAP, self._label).height() + PAD)

    @property
    def _label(self) -> str:
        return SPACE_IN_NAME.sub("\N{NO-BREAK SPACE}", self.text())

    def _room(self, width: int, metrics: QFontMetrics) -> int:
        """Pixels for the label beside the key."""
        key = metrics.horizontalAdvance(self.key) + PAD if self.key else 0
        return width - 2 * PAD - 1 - key

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_lit = self.is_current or self.underMouse()
        painter.setPen(QColor(theme.accent if is_lit else theme.border))
        painter.setBrush(QColor(theme.border if self.isDown() else theme.window))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        if self.is_current:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent))
            painter.drawRoundedRect(QRectF(2.5, 5, 3, self.height() - 10), 1.5, 1.5)
        room = self.rect().adjusted(PAD + 1, 0, -PAD, 0)
        painter.setPen(QColor(theme.dim))
        painter.drawText(room, _side(Qt.AlignmentFlag.AlignRight), self.key)
        if self.is_covered:
            painter.setPen(QColor(theme.text))
        room.setWidth(self._room(self.width(), painter.fontMetrics()))
        painter.drawText(room, WRAP, self._label)

    def _restyle(self) -> None:
        self.update()


class WindowButtons(QWidget):
    """The windows are defined in the rest frame, and shown shifted by the redshift."""

    def __init__(
        self, context: SessionContext, keymap: Keymap, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._view, self._current = context.view, context.current
        self._keymap = keymap
        self.windows = context.current.session.task.windows
        self.buttons = [
            WindowButton(window, context.current_theme, self) for window in self.windows
        ]
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING)
        for number, button in enumerate(self.buttons):
            layout.addWidget(button, number // COLUMNS, number % COLUMNS)
            button.clicked.connect(partial(self.show_window, number))
            if (name := _action(number)) in ACTIONS:
                context.commands.add(name, partial(self.show_window, number))
        for column in range(COLUMNS):
            layout.setColumnStretch(column, 1)
        context.commands.add("next_window", self.next_window)
        context.commands.add("previous_window", self.previous_window)
        context.view.window_changed.connect(self._mark)
        context.view.changed.connect(self._mark)
        context.current.spectrum_changed.connect(self._mark)
        keymap.changed.connect(self._show_keys)
        self._show_keys()
        self._mark()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give the buttons of a row the same height."""
        width = (self.width() - SPACING * (COLUMNS - 1)) // COLUMNS
        for first in range(0, len(self.buttons), COLUMNS):
            row = self.buttons[first : first + COLUMNS]
            height = max(each.height_for(width) for each in row)
            for each in row:
                each.setFixedHeight(height)

    def show_window(self, number: int, *_: object) -> None:
        window = self.windows[number]
        if self._is_covered(window):
            self._view.set_window(self._view.observed(window.range), window.label)
        else:
            message = self.tr("This spectrum does not cover “{window}”")
            self._current.message.emit(message.replace("{window}", task_text(window.label)))

    def next_window(self) -> None:
        self._step(1)

    def previous_window(self) -> None:
        self._step(-1)

    @property
    def current(self) -> int | None:
        """Index of the window on screen."""
        labels = [window.label for window in self.windows]
        name = self._view.window_name
        return labels.index(name) if self._view.window is not None and name in labels else None

    def _step(self, by: int) -> None:
        """Go to the next window that the spectrum covers, starting over after the last."""
        current = self.current
        at = current if current is not None else (-1 if by > 0 else 0)
        order = [(at + by * step) % len(self.windows) for step in range(1, len(self.windows) + 1)]
        covered = [number for number in order if self._is_covered(self.windows[number])]
        if covered:
            self.show_window(covered[0])
        else:
            self._current.message.emit(
                self.tr("This spectrum covers none of the diagnostic windows")
            )

    def _is_covered(self, window: DiagnosticWindow) -> bool:
        spectrum = self._current.spectrum
        if spectrum is None:
            return True
        low, high = self._view.observed(window.range)
        return low < spectrum.range[1] and high > spectrum.range[0]

    def _mark(self, *_: object) -> None:
        current = self.current
        for number, button in enumerate(self.buttons):
            is_covered = self._is_covered(button.window_of_task)
            button.mark(current=number == current, covered=is_covered)
            button.setAccessibleDescription(self._state(number == current, is_covered))
            button.setToolTip(self._tip(button.window_of_task, is_covered))

    def _state(self, is_current: bool, is_covered: bool) -> str:
        if not is_covered:
            return self.tr("outside this spectrum")
        return self.tr("on screen") if is_current else ""

    def _tip(self, window: DiagnosticWindow, is_covered: bool) -> str:
        low, high = window.range
        label, look = escape(task_text(window.label)), escape(task_text(window.look))
        parts = [f"<b>{label}</b> · {low:.0f}–{high:.0f} Å", look]
        if window.mimics:
            title = self.tr("Look-alikes")
            parts.append(f"<i>{escape(title)}</i>: {escape(task_text(window.mimics))}")
        if not is_covered:
            parts.append(escape(self.tr("Not covered by this spectrum.")))
        return "".join(f"<p>{part}</p>" for part in parts)

    def _show_keys(self) -> None:
        for number, button in enumerate(self.buttons):
            name = _action(number)
            button.key = self._keymap.label(name) if name in ACTIONS else ""
            button.setAccessibleName(" ".join((button.text(), button.key)).strip())
            button.update()
        self._fit()


def _action(number: int) -> str:
    return f"window_{number + 1}"


def _side(side: Qt.AlignmentFlag) -> Qt.AlignmentFlag:
    return side | Qt.AlignmentFlag.AlignVCenter
