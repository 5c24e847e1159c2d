"""Widths that follow the size of the text, where a layout cannot find them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

USUAL_PT = 10.0


def first_that_fits(texts: Sequence[str], metrics: QFontMetrics, room: int) -> str:
    """The first of several ways to say something that is not too wide, or else the last."""
    fitting = (text for text in texts if metrics.horizontalAdvance(text) <= room)
    return next(fitting, texts[-1] if texts else "")


class TextWidth(QObject):
    """Keeps a widget `px` wide in text of the usual size, and wider in larger text up to `most`."""

    def __init__(self, widget: QWidget, px: int, most: int, *, is_fixed: bool = True) -> None:
        super().__init__(widget)
        self._widget, self._px, self._most, self._is_fixed = widget, px, most, is_fixed
        widget.installEventFilter(self)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FontChange:
            self._fit()
        return False

    def _fit(self) -> None:
        larger = max(self._widget.font().pointSizeF() / USUAL_PT, 1.0)
        width = min(round(self._px * larger), self._most)
        if self._is_fixed:
            self._widget.setFixedWidth(width)
        else:
            self._widget.setMinimumWidth(width)
