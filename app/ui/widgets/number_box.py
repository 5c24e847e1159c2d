"""A number that is typed: taken on Return or when the box is left, given up on Escape."""

from __future__ import annotations

import math

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics
from PySide6.QtWidgets import QLineEdit, QWidget

LEAVING = (
    Qt.FocusReason.MouseFocusReason,
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
)
"""By the person; Escape takes the focus away for other reasons."""
LONGEST = 24
NARROWEST = 56
"""Pixels: a column may be narrow."""


class NumberBox(QLineEdit):
    """Shows `value` with so many decimals; what is no number or out of bounds is put back."""

    entered = Signal(float)

    def __init__(
        self,
        name: str,
        *,
        low: float,
        high: float,
        decimals: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._low, self._high, self._decimals = low, high, decimals
        self._value: float | None = None
        self.setProperty("role", "number")
        self.setMaxLength(LONGEST)
        self.setMinimumWidth(NARROWEST)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(name)
        self.returnPressed.connect(self._take)

    @property
    def value(self) -> float | None:
        return self._value

    def show_value(self, value: float | None) -> None:
        """Without telling anybody; None: empty."""
        self._value = value
        if not self.hasFocus() or not self.isModified():
            self._put_back()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance("0" * (6 + self._decimals)) + 16
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(NARROWEST, super().minimumSizeHint().height())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.isModified():
            if event.reason() in LEAVING:
                self._take()
            elif event.reason() != Qt.FocusReason.ActiveWindowFocusReason:
                self._put_back()

    def _take(self) -> None:
        value = number(self.text())
        if value is None:
            self._put_back()
            return
        value = min(max(value, self._low), self._high)
        self._value = value
        self._put_back()
        self.entered.emit(value)

    def _put_back(self) -> None:
        self.setText("" if self._value is None else f"{self._value + 0.0:.{self._decimals}f}")
        self.setModified(False)


def number(text: str) -> float | None:
    """As people write it, in their own language or with a point; None for anything else."""
    text = text.strip().replace("\N{MINUS SIGN}", "-")
    value, is_one = QLocale.system().toDouble(text)
    try:
        value = float(text)
    except ValueError:
        if not is_one:
            return None
    return value if math.isfinite(value) else None
