"""A thin layer over matplotlib's Agg renderer: lines, ticks, boxes and text, without artists.

Coordinates are pixels from the lower left corner, line widths are points. A canvas may be used by
one thread only.
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
from agent.spectra.spectrum import FloatArray

Colour = tuple[float, float, float, float]
BLACK: Colour = (0.0, 0.0, 0.0, 1.0)
VERTICAL_TICK = Path([(0.0, 0.0), (0.0, 1.0)])
HORIZONTAL_TICK = Path([(0.0, 0.0), (1.0, 0.0)])
IDENTITY = IdentityTransform()


@dataclass(frozen=True)
class Rect:
    """A rectangle in pixels, with y upwards."""

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
    low = min(box.x0 for box in boxes), min(box.y0 for box in boxes)
    return Rect(*low, max(box.x1 for box in boxes), max(box.y1 for box in boxes))


class Canvas:
    """A white image of `width` x `height` pixels."""

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

    def curve(self, points: FloatArray, colour: Colour, width: float, clip: Rect) -> None:
        """Draw a polyline through (n, 2) points; details below 1/9 pixel are simplified."""
        path = Path(points)
        # As matplotlib does with its own settings.
        path.should_simplify = len(points) >= 128
        path.simplify_threshold = 1 / 9
        self._agg.draw_path(self._pen(colour, width, clip=clip), path, IDENTITY)

    def parallel_lines(
        self,
        positions: Sequence[float],
        ends: tuple[float, float],
        colour: Colour,
        width: float,
        *,
        vertical: bool,
        clip: Rect,
    ) -> None:
        """Draw lines between both `ends` at each of the positions."""
        if not positions:
            return
        # One path for all lines: they never cross, so transparency adds up the same.
        vertices = np.empty((2 * len(positions), 2))
        along, across = (1, 0) if vertical else (0, 1)
        vertices[:, across] = np.repeat(positions, 2)
        vertices[0::2, along], vertices[1::2, along] = ends
        codes = np.tile(np.array([Path.MOVETO, Path.LINETO], dtype=Path.code_type), len(positions))
        self._agg.draw_path(self._pen(colour, width, clip=clip), Path(vertices, codes), IDENTITY)

    def ticks(
        self, positions: FloatArray, base: float, length: float, width: float, *, vertical: bool
    ) -> None:
        """Draw a tick upwards (or to the right) at each position, from `base` on the other axis."""
        if not len(positions):
            return
        points = np.full((len(positions), 2), base)
        points[:, 0 if vertical else 1] = positions
        pen = self._pen(BLACK, width, cap="butt")
        pen.set_snap(True)
        mark = VERTICAL_TICK if vertical else HORIZONTAL_TICK
        size = Affine2D().scale(self._agg.points_to_pixels(length))
        self._agg.draw_markers(pen, mark, size, Path(points), IDENTITY, None)

    def frame(self, box: Rect, width: float) -> None:
        """Draw the four sides of a box."""
        pen = self._pen(BLACK, width, join="miter")
        # Separate strokes overlap in the corners, as matplotlib's spines do.
        left, right, low, high = box.x0, box.x1, box.y0, box.y1
        for side in (
            [(left, low), (left, high)],
            [(right, low), (right, high)],
            [(left, low), (right, low)],
            [(left, high), (right, high)],
        ):
            self._agg.draw_path(pen, Path(side), IDENTITY)

    def rounded_box(self, box: Rect, radius: float, alpha: float) -> None:
        """Draw a white box with a black edge and rounded corners."""
        x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
        vertices = [
            *((x0 + radius, y0), (x1 - radius, y0), (x1, y0), (x1, y0 + radius)),
            *((x1, y1 - radius), (x1, y1), (x1 - radius, y1), (x0 + radius, y1)),
            *((x0, y1), (x0, y1 - radius), (x0, y0 + radius), (x0, y0)),
            *((x0 + radius, y0), (x0 + radius, y0)),
        ]
        side = [Path.LINETO, Path.CURVE3, Path.CURVE3]
        path = Path(vertices, [Path.MOVETO, *side, *side, *side, *side, Path.CLOSEPOLY])
        pen = self._pen((0.0, 0.0, 0.0, alpha), 1.0, cap="butt", join="miter")
        self._agg.draw_path(pen, path, IDENTITY, (1.0, 1.0, 1.0, alpha))

    def text(self, block: Block, font: Font, x: float, y: float) -> None:
        """Draw a block with its lower left corner at (x, y)."""
        for run, (dx, dy) in zip(block.runs, block.offsets, strict=True):
            self._line(run, font, x + dx, y + dy, vertical=False)

    def vertical_text(self, block: Block, font: Font, x: float, y: float) -> None:
        """Draw one line that reads upwards, with its baseline starting at (x, y)."""
        self._line(block.runs[0], font, x, y, vertical=True)

    def _line(self, run: TextRun, font: Font, x: float, y: float, *, vertical: bool) -> None:
        ink = self._pen(BLACK)
        if not text.HAS_GLYPH_CALLS:
            angle = 90.0 if vertical else 0.0
            self._agg.draw_text(ink, x, self._agg.height - y, run.text, font.properties, angle)
            return
        blit = self._agg._renderer.draw_text_image
        for glyph, pen in run.glyphs:
            # FreeType positions glyphs in 1/64 pixel; whole pixels only shift the bitmap.
            column, x64 = divmod(round(64 * (x if vertical else x + pen)), 64)
            row, y64 = divmod(round(64 * (y + pen if vertical else y)), 64)
            bitmap = glyph_bitmap(font, glyph, x64, y64, vertical)
            blit(bitmap.coverage, column + bitmap.left, self._rows - row - bitmap.bottom, 0, ink)

    def rgb(self) -> NDArray[np.uint8]:
        """A copy of the image, (rows, columns, 3), from the top."""
        picture = np.empty((*self._pixels.shape[:2], 3), dtype=np.uint8)
        for channel in range(3):  # six times faster than one strided copy
            picture[:, :, channel] = self._pixels[:, :, channel]
        return picture
