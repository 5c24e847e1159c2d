"""A line edit for a number: accepted on Return or on leaving it, discarded on Escape."""

import math

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics
from PySide6.QtWidgets import QLineEdit, QWidget

USER_LEFT = (
    Qt.FocusReason.MouseFocusReason,
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
)
"""Reasons of a focus change by the user; Escape clears the focus for another reason."""
MAX_LENGTH = 24
MIN_WIDTH_PX = 56


class NumberBox(QLineEdit):
    """Shows `value` with fixed decimals. Typed text that is no number is discarded, and a number
    outside the limits is clamped."""

    entered = Signal(float)

    def __init__(
        self, name: str, *, low: float, high: float, decimals: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._low, self._high, self._decimals = low, high, decimals
        self.value: float | None = None
        self.setProperty("role", "number")
        self.setMaxLength(MAX_LENGTH)
        self.setMinimumWidth(MIN_WIDTH_PX)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(name)
        self.returnPressed.connect(self._accept)

    def show_value(self, value: float | None) -> None:
        """Show a value without emitting `entered`; None leaves the box empty."""
        self.value = value
        if not self.hasFocus() or not self.isModified():
            self._restore()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance("0" * (6 + self._decimals)) + 16
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH_PX, super().minimumSizeHint().height())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.isModified():
            if event.reason() in USER_LEFT:
                self._accept()
            elif event.reason() != Qt.FocusReason.ActiveWindowFocusReason:
                self._restore()

    def _accept(self) -> None:
        value = parse_number(self.text())
        if value is None:
            self._restore()
            return
        value = min(max(value, self._low), self._high)
        self.value = value
        self._restore()
        self.entered.emit(value)

    def _restore(self) -> None:
        self.setText("" if self.value is None else f"{self.value + 0.0:.{self._decimals}f}")
        self.setModified(False)


def parse_number(text: str) -> float | None:
    """A number written in the system's locale or with a decimal point; None for other text."""
    text = text.strip().replace("\N{MINUS SIGN}", "-")
    value, is_number = QLocale.system().toDouble(text)
    try:
        value = float(text)
    except ValueError:
        if not is_number:
            return None
    return value if math.isfinite(value) else None
