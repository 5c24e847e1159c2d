"""The layer that draws line and band marks with their names."""

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter

from agent.spectra.lines import Line
from app.ui.base.theme.theme import Theme
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.canvas.paint import TextCache, blend, hairline, keep
from app.ui.judge.plot.canvas.plot_box import PlotBox, Scale
from app.ui.judge.plot.marks import Mark, PlacedMark, mark_at, place_marks
from app.ui.judge.plot.shades import fill, merged, rectangles

TOP_PX = 4.0
HOOK_PX = 10.0  # length of the tick at a band head, on the side to which the band fades
STEM_ALPHA, EXTENT_ALPHA = "#6e", "#1a"
NEAR_PX = 6.0


class MarksLayer(Layer):
    depth = 20

    def __init__(self, box: PlotBox, theme: Theme, texts: TextCache) -> None:
        super().__init__(box, theme, texts)
        self.marks: tuple[Mark, ...] = ()
        self.has_names = True
        self._placed: dict[object, list[PlacedMark]] = {}

    @property
    def placed(self) -> list[PlacedMark]:
        return self.placed_for(self.box.scale_now)

    def placed_for(self, scale: Scale) -> list[PlacedMark]:
        """The marks with their positions at a scale, computed once for it."""
        key = scale.lo, scale.hi, scale.width, scale.breaks
        if key not in self._placed:
            keep(self._placed, key, place_marks(self.marks, scale, self.texts.width))
        return self._placed[key]

    def show_marks(self, marks: tuple[Mark, ...]) -> None:
        self.marks = marks
        self.clear_placed()

    def clear_placed(self) -> None:
        self._placed.clear()

    def at(self, x: float) -> Mark | None:
        return mark_at(self.placed, x, NEAR_PX) if self.isVisible() else None

    def line_near(self, wavelength: float) -> Line | None:
        """The marked line nearest to an observed wavelength; None without one on screen."""
        marked = [each.mark for each in self.placed if not each.mark.is_band]
        nearest = min(marked, key=lambda mark: abs(mark.wavelength - wavelength), default=None)
        return None if nearest is None or not self.isVisible() else nearest.line

    def draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for is_band, role in ((True, "band"), (False, "line")):
            placed = [each for each in self.placed if each.mark.is_band is is_band]
            self._draw(painter, placed, getattr(self.theme, role))
        if self.has_names:
            self._draw_names(painter)

    def _draw(self, painter: QPainter, placed: list[PlacedMark], colour: str) -> None:
        scale = self.box.scale_now
        painter.setPen(hairline(painter, blend(STEM_ALPHA + colour[-6:], self.theme.plot)))
        # Where the stem begins, just below the name.
        stems = [(each, (TOP_PX + (max(each.row, 0) + 1) * self.texts.height)) for each in placed]
        painter.drawLines([QLineF(each.x, top, each.x, scale.height) for each, top in stems])
        painter.setPen(hairline(painter, colour))
        painter.drawLines([QLineF(each.x, top, each.x, top + HOOK_PX) for each, top in stems])
        for each, top in stems:
            if each.mark.line.shaded:
                side = HOOK_PX if each.mark.line.shaded == "red" else -HOOK_PX
                y = top + HOOK_PX
                painter.drawLine(QLineF(each.x, y, each.x + side, y))

    def _draw_names(self, painter: QPainter) -> None:
        height = self.texts.height
        plot = QColor(self.theme.plot)
        named = [(each, TOP_PX + each.row * height) for each in self.placed if each.row >= 0]
        for each, top in named:
            width = self.texts.width(each.mark.line.label)
            painter.fillRect(QRectF(each.label_x - 2.0, top, width + 4.0, height), plot)
        for each, top in named:
            painter.setPen(QColor(self.theme.band if each.mark.is_band else self.theme.line_text))
            self.texts.draw(painter, each.label_x, top, each.mark.line.label)


class Extents(Layer):
    """The wavelength ranges that bands cover, shaded behind everything else."""

    depth = -61

    def __init__(self, box: PlotBox, theme: Theme, texts: TextCache, marks: MarksLayer) -> None:
        super().__init__(box, theme, texts)
        self._marks = marks

    def draw(self, painter: QPainter) -> None:
        if self._marks.isVisible():
            extents = merged([each.extent for each in self._marks.marks if each.extent is not None])
            scale = self.box.scale_now
            colour = blend(EXTENT_ALPHA + self.theme.band[-6:], self.theme.plot)
            fill(painter, colour, rectangles(extents, scale, 0.0, scale.height))
