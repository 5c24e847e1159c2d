"""Which spectral lines and bands are marked, which of their names are drawn, and how."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter

from agent.spectra.lines import Line, LineLists
from agent.spectra.spectrum import Window
from agent.tasks.task import RANKS, Task
from app.ui.base.theme.theme import Theme
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.canvas.paint import TextCache, blend, hairline, keep
from app.ui.judge.plot.canvas.plot_box import PlotBox, Scale
from app.ui.judge.plot.shades import fill, merged, rectangles

MEASURED, OTHER = len(RANKS), len(RANKS) + 1
"""Ranks after those of the task's evidence: lines we measure in a window, and all others."""
GAP_PX = (*(6.0 for _ in RANKS), 28.0, 48.0)
"""Gap between names by rank, so that less important lines get a name only when zoomed in."""
ROWS = 2
EDGE = "_edge"  # suffix of the index that measures a band head, after the line id


@dataclass(frozen=True)
class Mark:
    """`wavelength` and `extent` are in the observed frame."""

    line: Line
    wavelength: float
    rank: int
    extent: Window | None = None

    @property
    def is_band(self) -> bool:
        return self.line.kind in ("band", "band_head")


class PlacedMark(NamedTuple):  # dozens are made for each object: a dataclass takes three times
    """A mark at a pixel position. `row` is -1 where there is no room for its name."""

    mark: Mark
    x: float
    label_x: float = 0.0
    row: int = -1


NUMBER = re.compile(r"\d{4,5}\.\d")


def task_ranks(task: Task, lists: LineLists) -> dict[str, int]:
    """Ranks of the lines and band heads of a task, by id: its evidence, of which 0 is primary.

    Lines named by their wavelengths in the text of a window come after them.
    """
    named = {number for window in task.windows for number in NUMBER.findall(window.look)}
    lines = (line for group in lists.sets for line in group.lines)
    ranks = {line.id: len(RANKS) - 1 for line in lines if f"{line.wavelength:.1f}" in named}
    for evidence in task.evidence:
        for name in evidence.target:
            line_id, rank = name.removesuffix(EDGE), RANKS.index(evidence.rank)
            ranks[line_id] = min(rank, ranks.get(line_id, rank))
    return ranks


def marks(
    lists: LineLists,
    sets: Collection[str],
    ranks: Mapping[str, int],
    z: float,
    own: Collection[str] = (),
) -> tuple[Mark, ...]:
    """Marks of the lines in these sets and of a task's own, the most important first.

    Terrestrial lines are left out: they are shaded instead.
    """
    lines = {
        line.id: line
        for group in lists.sets
        for line in group.lines
        if group.name in sets or (line.id in own and line.kind == "line")
    }
    found = [_mark(line, ranks, 1.0 + z) for line in lines.values() if line.moves_with_star]
    return tuple(sorted(found, key=lambda mark: (mark.rank, mark.wavelength)))


def _mark(line: Line, ranks: Mapping[str, int], shift: float) -> Mark:
    rank = ranks.get(line.id, MEASURED if line.window else OTHER)
    extent = line.extent and (line.extent[0] * shift, line.extent[1] * shift)
    return Mark(line, line.wavelength * shift, rank, extent)


def place_marks(
    marks: Sequence[Mark], scale: Scale, width_of: Callable[[str], float]
) -> list[PlacedMark]:
    """The marks drawn at this scale: the task's own, and all whose names fit.

    Names never overlap: the more important mark wins, then the one nearer to the centre.
    """
    middle = 0.5 * (scale.lo + scale.hi)
    inside = [mark for mark in marks if scale.lo <= mark.wavelength <= scale.hi]
    inside = [mark for mark in inside if not scale.is_hidden(mark.wavelength)]
    inside.sort(key=lambda mark: (mark.rank, abs(mark.wavelength - middle)))
    occupied: list[list[Window]] = [[] for _ in range(ROWS)]
    placed = []
    for mark in inside:
        x = scale.x(mark.wavelength)
        width = width_of(mark.line.label)
        left = max(min(x - 0.5 * width, scale.width - width - 2.0), 2.0)
        row = _free_row(occupied, left, left + width, GAP_PX[mark.rank])
        if row >= 0:
            occupied[row].append((left, left + width))
        if row >= 0 or mark.rank < MEASURED:
            placed.append(PlacedMark(mark, x, left, row))
    return placed


def _free_row(rows: Sequence[Iterable[Window]], left: float, right: float, gap: float) -> int:
    # A plain loop: this runs for every line at every new range.
    for number, row in enumerate(rows):
        for start, end in row:
            if start < right + gap and left < end + gap:
                break
        else:
            return number
    return -1


def mark_at(placed: Sequence[PlacedMark], x: float, within: float) -> Mark | None:
    """The mark nearest to `x`, if it is within this many pixels."""
    nearest = min(placed, key=lambda each: abs(each.x - x), default=None)
    return nearest.mark if nearest is not None and abs(nearest.x - x) <= within else None


# The layer that draws line and band marks with their names.
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
