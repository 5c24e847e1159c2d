"""Lines and bands with their names, all in one item."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.ui.plot.layers import Layer, over, thin_pen
from app.ui.plot.marks import Mark, Placed, mark_at, place
from app.ui.plot.shades import fill, merged, rectangles

TOP_PX = 4.0
HOOK_PX = 10.0
"""How far the tick of a band head reaches to the side it fades to."""
STEM_ALPHA, EXTENT_ALPHA = "#6e", "#1a"
NEAR_PX = 6.0


class MarksLayer(Layer):
    depth = 20

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.marks: tuple[Mark, ...] = ()
        self.has_names = True
        self._placed: list[Placed] = []
        self._placed_for: tuple[float, float, float] | None = None

    @property
    def placed(self) -> list[Placed]:
        """Worked out again only where wavelengths or marks are others."""
        scale = self.stage.scale_now
        across = scale.lo, scale.hi, scale.width
        if across != self._placed_for:
            self._placed = place(self.marks, scale, self.texts.width)
            self._placed_for = across
        return self._placed

    def show_marks(self, marks: tuple[Mark, ...]) -> None:
        self.marks = marks
        self._placed_for = None

    def refont(self) -> None:
        self._placed_for = None

    def at(self, x: float) -> Mark | None:
        return mark_at(self.placed, x, NEAR_PX) if self.isVisible() else None

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for is_band, role in ((True, "band"), (False, "line")):
            some = [each for each in self.placed if each.mark.is_band is is_band]
            self._draw(painter, some, getattr(self.theme, role))
        if self.has_names:
            self._name_them(painter)

    def _draw(self, painter: QPainter, placed: list[Placed], colour: str) -> None:
        scale = self.stage.scale_now
        painter.setPen(thin_pen(over(STEM_ALPHA + colour[-6:], self.theme.plot)))
        feet = [(each, self._foot(each)) for each in placed]
        painter.drawLines([QLineF(each.x, foot, each.x, scale.height) for each, foot in feet])
        painter.setPen(thin_pen(colour))
        painter.drawLines([QLineF(each.x, foot, each.x, foot + HOOK_PX) for each, foot in feet])
        hooks = [_hook(each, foot + HOOK_PX) for each, foot in feet if each.mark.line.shaded]
        painter.drawLines(hooks)

    def _foot(self, placed: Placed) -> float:
        """Where the stem begins: under its name."""
        return TOP_PX + (max(placed.row, 0) + 1) * self.texts.height

    def _name_them(self, painter: QPainter) -> None:
        height = self.texts.height
        plot = QColor(self.theme.plot)
        named = [each for each in self.placed if each.row >= 0]
        for each in named:
            top = TOP_PX + each.row * height
            width = self.texts.width(each.mark.line.label)
            painter.fillRect(QRectF(each.label_x - 2.0, top, width + 4.0, height), plot)
        for each in named:
            painter.setPen(QColor(self.theme.band if each.mark.is_band else self.theme.line_text))
            top = TOP_PX + each.row * height
            self.texts.draw(painter, each.label_x, top, each.mark.line.label)


class Extents(Layer):
    """The stretches that bands cover, behind everything."""

    depth = -61

    def __init__(self, *about: Any, marks: MarksLayer) -> None:
        super().__init__(*about)
        self._marks = marks

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self._marks.isVisible():
            found = merged([each.extent for each in self._marks.marks if each.extent is not None])
            scale = self.stage.scale_now
            colour = over(EXTENT_ALPHA + self.theme.band[-6:], self.theme.plot)
            fill(painter, colour, rectangles(found, scale, 0.0, scale.height))


def _hook(placed: Placed, y: float) -> QLineF:
    side = HOOK_PX if placed.mark.line.shaded == "red" else -HOOK_PX
    return QLineF(placed.x, y, placed.x + side, y)
