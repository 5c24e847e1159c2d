"""Short texts for painting. Each is laid out once, because layout is most of the cost."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QStaticText

MAX_TEXTS = 1000


class TextCache:
    """Laid-out texts in one font; `set_font` clears them."""

    def __init__(self, font: QFont) -> None:
        self.set_font(font)

    def set_font(self, font: QFont) -> None:
        self.font = font
        self._metrics = QFontMetricsF(font)
        self.height = self._metrics.height()
        self._cache: dict[str, tuple[QStaticText, float]] = {}

    def width(self, text: str) -> float:
        return self._laid_out(text)[1]

    def draw(self, painter: QPainter, x: float, y: float, text: str, align: float = 0.0) -> None:
        """Draw at top `y`; `x` is the left side, the middle (`align` 0.5) or the right side (1)."""
        laid_out, width = self._laid_out(text)
        painter.drawStaticText(QPointF(x - align * width, y), laid_out)

    def _laid_out(self, text: str) -> tuple[QStaticText, float]:
        cached = self._cache.get(text)
        if cached is None:
            if len(self._cache) >= MAX_TEXTS:
                self._cache.clear()
            laid_out = QStaticText(text)
            laid_out.setTextFormat(Qt.TextFormat.PlainText)
            laid_out.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            laid_out.prepare(font=self.font)
            cached = self._cache[text] = laid_out, self._metrics.horizontalAdvance(text)
        return cached
