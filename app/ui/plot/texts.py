"""Short texts for painting, laid out once: most of what drawing a text costs."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QStaticText

MOST = 1000


class Texts:
    """In one font. `use` starts afresh."""

    def __init__(self, font: QFont) -> None:
        self.use(font)

    def use(self, font: QFont) -> None:
        self.font = font
        self._metrics = QFontMetricsF(font)
        self.height = self._metrics.height()
        self._known: dict[str, tuple[QStaticText, float]] = {}

    def width(self, text: str) -> float:
        return self._laid_out(text)[1]

    def draw(self, painter: QPainter, x: float, y: float, text: str, align: float = 0.0) -> None:
        """`y` is its top; `x` its left side, or with `align` 0.5 its middle, with 1 its right."""
        laid_out, width = self._laid_out(text)
        painter.drawStaticText(QPointF(x - align * width, y), laid_out)

    def _laid_out(self, text: str) -> tuple[QStaticText, float]:
        found = self._known.get(text)
        if found is None:
            if len(self._known) >= MOST:
                self._known.clear()
            laid_out = QStaticText(text)
            laid_out.setTextFormat(Qt.TextFormat.PlainText)
            laid_out.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            laid_out.prepare(font=self.font)
            found = self._known[text] = laid_out, self._metrics.horizontalAdvance(text)
        return found
