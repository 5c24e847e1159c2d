"""A slider with two handles: drag either, or what lies between them.

superqt has one, too, but importing it takes 0.3 s of the window's start.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.theme.theme import CurrentTheme

HANDLE = 14.0
GROOVE = 4.0
HEIGHT = 22
LOW, HIGH, BOTH = "low", "high", "both"


class RangeSlider(QWidget):
    """Knows its values from `show_values` alone: a drag only says what is wanted."""

    wanted = Signal(float, float)

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._bounds = (0.0, 1.0)
        self._values = (0.0, 1.0)
        self._held = ""
        self._grip = (0.0, 0.0)
        """How far the two values lie from the mouse."""
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        current_theme.changed.connect(self._restyle)

    @property
    def values(self) -> tuple[float, float]:
        return self._values

    @property
    def bounds(self) -> tuple[float, float]:
        return self._bounds

    def show_values(self, bounds: tuple[float, float], values: tuple[float, float]) -> None:
        """`bounds` grow where a value lies beyond them."""
        self._values = values
        self._bounds = min(bounds[0], values[0]), max(bounds[1], values[1])
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, HEIGHT)

    def position(self, value: float) -> float:
        """Pixels from the left."""
        low, high = self._bounds
        share = (value - low) / (high - low) if high > low else 0.0
        return HANDLE / 2 + share * (self.width() - HANDLE)

    def value_at(self, pixel: float) -> float:
        low, high = self._bounds
        share = (pixel - HANDLE / 2) / max(self.width() - HANDLE, 1.0)
        return low + share * (high - low)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position().x()
        self._held = self._what_is_at(at)
        here = self.value_at(at)
        self._grip = self._values[0] - here, self._values[1] - here
        if self._held != BOTH and abs(self.position(self._held_value()) - at) > HANDLE:
            self._grip = 0.0, 0.0
            self._drag(here)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held:
            self._drag(self.value_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = ""
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle = self.height() / 2
        first, last = (self.position(value) for value in self._values)
        top, round_ = middle - GROOVE / 2, GROOVE / 2
        for left, right, colour in (
            (0.0, float(self.width()), theme.border),
            (first, last, theme.accent),
        ):
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(QRectF(left, top, right - left, GROOVE), round_, round_)
        painter.setPen(QPen(QColor(theme.accent), 2.0))
        painter.setBrush(QColor(theme.panel))
        for place in (first, last):
            painter.drawEllipse(QPointF(place, middle), HANDLE / 2 - 1, HANDLE / 2 - 1)

    def _what_is_at(self, at: float) -> str:
        """The nearer handle where one is near, what is between them, else the nearer again."""
        first, last = (self.position(value) for value in self._values)
        is_near = min(abs(at - first), abs(at - last)) <= HANDLE
        if first < at < last and not is_near:
            return BOTH
        if first == last:
            return LOW if at < first else HIGH
        return LOW if abs(at - first) <= abs(at - last) else HIGH

    def _held_value(self) -> float:
        return self._values[0] if self._held == LOW else self._values[1]

    def _drag(self, here: float) -> None:
        low, high = self._values
        first, last = self._bounds
        if self._held == BOTH:
            width = high - low
            low = min(max(here + self._grip[0], first), last - width)
            high = low + width
        elif self._held == LOW:
            low = min(max(here + self._grip[0], first), high)
        else:
            high = max(min(here + self._grip[1], last), low)
        self.wanted.emit(low, high)

    def _restyle(self) -> None:
        self.update()
