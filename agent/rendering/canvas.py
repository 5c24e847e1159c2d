"""A thin layer over matplotlib's Agg renderer: lines, ticks, boxes and text, no artists.

Coordinates are pixels from the lower left corner. Widths are points. Nothing here is shared
between threads; a canvas belongs to the one that made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Bbox, IdentityTransform
from numpy.typing import NDArray

from agent.rendering import text
from agent.rendering.text import Block, Font, TextRun, glyph_bitmap

Colour = tuple[float, float, float, float]
Points = NDArray[np.float64]
BLACK: Colour = (0.0, 0.0, 0.0, 1.0)
UPRIGHT_MARK = Path([(0.0, 0.0), (0.0, 1.0)])
LEVEL_MARK = Path([(0.0, 0.0), (1.0, 0.0)])
NOWHERE = IdentityTransform()


@dataclass(frozen=True)
class Rect:
    """A rectangle in pixels, y upwards."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def moved(self, dx: float, dy: float) -> Rect:
        return Rect(self.x0 + dx, self.y0 + dy, self.x1 + dx, self.y1 + dy)

    def grown(self, by: float) -> Rect:
        return Rect(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)


def union(boxes: Sequence[Rect]) -> Rect:
    return Rect(
        min(b.x0 for b in boxes),
        min(b.y0 for b in boxes),
        max(b.x1 for b in boxes),
        max(b.y1 for b in boxes),
    )


class Canvas:
    """White paper of a size in pixels."""

    def __init__(self, width: float, height: float, dpi: float) -> None:
        self._agg = RendererAgg(width, height, dpi)
        self._rows = int(height)
        self._pixels = np.asarray(self._agg.buffer_rgba())
        self._pixels[:] = 255

    def _pen(
        self,
        colour: Colour,
        width: float = 0.0,
        *,
        cap: str = "projecting",
        join: str = "round",
        clip: Rect | None = None,
    ) -> Any:
        pen = self._agg.new_gc()
        pen.set_foreground(colour, isRGBA=True)
        pen.set_linewidth(width)
        pen.set_capstyle(cap)
        pen.set_joinstyle(join)
        if clip is not None:
            pen.set_clip_rectangle(Bbox.from_extents(clip.x0, clip.y0, clip.x1, clip.y1))
        return pen

    def curve(self, points: Points, colour: Colour, width: float, clip: Rect) -> None:
        """A polyline, simplified below a ninth of a pixel as matplotlib does by default."""
        path = Path(points)
        path.should_simplify = len(points) >= 128
        path.simplify_threshold = 1 / 9
        self._agg.draw_path(self._pen(colour, width, clip=clip), path, NOWHERE)

    def parallels(
        self,
        at: Sequence[float],
        ends: tuple[float, float],
        colour: Colour,
        width: float,
        *,
        upright: bool,
        clip: Rect,
    ) -> None:
        """Straight lines side by side in one path: they never cross, so alpha adds up the same."""
        if not at:
            return
        vertices = np.empty((2 * len(at), 2))
        along, across = (1, 0) if upright else (0, 1)
        vertices[:, across] = np.repeat(at, 2)
        vertices[0::2, along], vertices[1::2, along] = ends
        codes = np.tile(np.array([Path.MOVETO, Path.LINETO], dtype=Path.code_type), len(at))
        self._agg.draw_path(self._pen(colour, width, clip=clip), Path(vertices, codes), NOWHERE)

    def ticks(self, at: Points, length: float, width: float, *, upright: bool) -> None:
        """Short marks growing up (or right) from each point; lengths in points."""
        if not len(at):
            return
        pen = self._pen(BLACK, width, cap="butt")
        pen.set_snap(True)
        mark = UPRIGHT_MARK if upright else LEVEL_MARK
        size = Affine2D().scale(self._agg.points_to_pixels(length))
        self._agg.draw_markers(pen, mark, size, Path(at), NOWHERE, None)

    def frame(self, box: Rect, width: float) -> None:
        """The four sides, each its own stroke, so that corners darken as separate spines do."""
        pen = self._pen(BLACK, width, join="miter")
        left, right, low, high = box.x0, box.x1, box.y0, box.y1
        for side in (
            [(left, low), (left, high)],
            [(right, low), (right, high)],
            [(left, low), (right, low)],
            [(left, high), (right, high)],
        ):
            self._agg.draw_path(pen, Path(side), NOWHERE)

    def rounded_box(self, box: Rect, radius: float, alpha: float, width: float = 1.0) -> None:
        """A white box with a black edge and corners rounded by quadratic curves."""
        x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
        vertices = [
            *((x0 + radius, y0), (x1 - radius, y0), (x1, y0), (x1, y0 + radius)),
            *((x1, y1 - radius), (x1, y1), (x1 - radius, y1), (x0 + radius, y1)),
            *((x0, y1), (x0, y1 - radius), (x0, y0 + radius), (x0, y0)),
            *((x0 + radius, y0), (x0 + radius, y0)),
        ]
        side = [Path.LINETO, Path.CURVE3, Path.CURVE3]
        path = Path(vertices, [Path.MOVETO, *side, *side, *side, *side, Path.CLOSEPOLY])
        pen = self._pen((0.0, 0.0, 0.0, alpha), width, cap="butt", join="miter")
        self._agg.draw_path(pen, path, NOWHERE, (1.0, 1.0, 1.0, alpha))

    def text(self, block: Block, font: Font, x: float, y: float) -> None:
        """A block whose lower left corner stands at (x, y)."""
        for run, (dx, dy) in zip(block.runs, block.offsets, strict=True):
            self._line(run, font, x + dx, y + dy, upwards=False)

    def text_upwards(self, block: Block, font: Font, x: float, y: float) -> None:
        """One line turned to read upwards; its baseline starts at (x, y)."""
        self._line(block.runs[0], font, x, y, upwards=True)

    def _line(self, run: TextRun, font: Font, x: float, y: float, *, upwards: bool) -> None:
        ink = self._pen(BLACK)
        if not text.HAS_GLYPH_CALLS:
            turn = 90.0 if upwards else 0.0
            self._agg.draw_text(ink, x, self._agg.height - y, run.text, font.properties, turn)
            return
        blit = self._agg._renderer.draw_text_image
        for glyph, pen in run.glyphs:
            # FreeType places glyphs on a 1/64 pixel grid; the whole pixels only move the bitmap.
            column, x64 = divmod(round(64 * (x if upwards else x + pen)), 64)
            row, y64 = divmod(round(64 * (y + pen if upwards else y)), 64)
            bitmap = glyph_bitmap(font, glyph, x64, y64, upwards)
            blit(bitmap.coverage, column + bitmap.left, self._rows - row - bitmap.bottom, 0, ink)

    def rgb(self) -> NDArray[np.uint8]:
        """What was drawn, (rows, columns, 3), a copy of its own."""
        picture = np.empty((*self._pixels.shape[:2], 3), dtype=np.uint8)
        for channel in range(3):  # six times as fast as one strided copy
            picture[:, :, channel] = self._pixels[:, :, channel]
        return picture
