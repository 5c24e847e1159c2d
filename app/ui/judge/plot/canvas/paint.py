"""Pens and colours for painting, sharp at any scale of the screen."""

from functools import lru_cache
from typing import TypeVar

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QStaticText

MAX_TEXTS = 1000
Key = TypeVar("Key")
Value = TypeVar("Value")
MOST_KEPT = 16  # of one thing, such as the axes of the objects that the next keys may show


def keep(kept: dict[Key, Value], key: Key, value: Value) -> Value:
    """Put a value into a small cache, which is emptied when it is full."""
    if len(kept) >= MOST_KEPT:
        kept.clear()
    kept[key] = value
    return value


@lru_cache(maxsize=256)
def blend(colour: str, *below: str) -> QColor:
    """The opaque colour that a translucent one gives on top of the others.

    Painting opaque is forty times faster. The colour is shared: copy it before you change it.
    """
    if not below:
        return QColor(colour)
    top, ground = QColor(colour), blend(*below)
    alpha = top.alphaF()
    channels = zip(top.getRgbF()[:3], ground.getRgbF()[:3], strict=True)  # type: ignore[index]
    return QColor.fromRgbF(*(alpha * a + (1.0 - alpha) * b for a, b in channels))


def dots_per_pixel(painter: QPainter) -> float:
    """Dots of the screen or picture per unit of the painter, where it paints in pixels."""
    return float(painter.combinedTransform().m11())


def hairline(painter: QPainter, colour: str | QColor) -> QPen:
    """A pen one pixel wide, in whole dots of the screen, by far the fastest to draw with."""
    return dot_pen(colour, max(round(dots_per_pixel(painter)), 1))


def dot_pen(colour: str | QColor, dots: float) -> QPen:
    """A pen whose width is in dots of the screen or picture, however the painter is scaled.

    The pen is shared: copy it before you change it.
    """
    return _pen(colour if isinstance(colour, str) else colour.rgba(), dots)


@lru_cache(maxsize=256)
def _pen(colour: str | int, dots: float) -> QPen:
    pen = QPen(QColor(colour) if isinstance(colour, str) else QColor.fromRgba(colour), dots)
    pen.setCosmetic(True)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap if dots > 1.0 else Qt.PenCapStyle.SquareCap)
    return pen


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
