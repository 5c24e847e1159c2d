"""The picture that the published weights were trained on, identical to the pixel.

matplotlib lays a figure out, draws it to find its tight bounding box, and draws it again. Only the
sizes of some twenty texts affect the layout, so it is computed from them here and drawn once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agent.rendering.canvas import Canvas, Colour, Rect, union
from agent.rendering.scales import (
    GAP_STEPS,
    Scale,
    draw_info_box,
    flux_scale,
    thinned,
    wavelength_scale,
    with_margins,
)
from agent.rendering.text import Block, Font, stack_lines
from agent.rendering.window import DrawnPixels
from agent.spectra.gaps import gap_starts

DPI = 80.0
POINT = DPI / 72
LABEL, TITLE = Font(12, bold=True), Font(14, bold=True)
TICK = Font(10)

TICK_GAP = 3.5 * POINT
# Minor ticks have empty labels, which still push the axis names away by this much.
MINOR_GAP = 3.4 * POINT
LABEL_GAP = 4.0 * POINT
OFFSET_GAP = 3.0 * POINT
TITLE_GAP = 20.0 * POINT

BOX = Font(9)
LINE: Colour = (0.0, 0.0, 1.0, 0.8)
GREY = 0xB0 / 255
GRID: Colour = (GREY, GREY, GREY, 0.3)
FINE_GRID: Colour = (GREY, GREY, GREY, 0.1)

LAYOUT_PAD = 1.08 * 10 * POINT  # of tight_layout, in sizes of its font
EDGE_PAD = 0.1 * DPI  # of savefig around a tight box
# Fractions of the figure (left, bottom, right, top) at which the layout starts.
START = (0.125, 0.11, 0.9, 0.88)

# Angstrom above or below which a picture has this width and height.
WHOLE_SIZES = ((3000.0, 10.0, 6.0), (1000.0, 8.0, 5.0), (200.0, 7.0, 4.5), (-1.0, 6.0, 4.0))
ZOOM_SIZES = ((50.0, 6.0, 4.0), (200.0, 7.0, 4.5), (1000.0, 8.0, 5.0), (np.inf, 9.0, 5.5))


def figure_size(window: DrawnPixels) -> tuple[float, float]:
    """Width and height in inches, before the tight bounding box."""
    span = window.span
    if window.whole:
        width, height = next((w, h) for above, w, h in WHOLE_SIZES if span > above)
    else:
        width, height = next((w, h) for below, w, h in ZOOM_SIZES if span < below)
    if len(window) > 10_000:
        width *= 1.05
    elif len(window) < 50:
        width *= 0.95
    return width, height


def _flux_intervals(frame: Rect) -> int:
    """The number of ticks that leaves each label twice its height, at most nine."""
    return int(min(max(frame.height / POINT // 20, 1), 9))


def draw(window: DrawnPixels, title: str) -> NDArray[np.uint8]:
    """Draw the picture as (rows, columns, 3) RGB."""
    inches = figure_size(window)
    width, height = inches[0] * DPI, inches[1] * DPI
    ends = window.wavelength[0], window.wavelength[-1]
    x = wavelength_scale(*with_margins(*ends), span=window.span)
    limits = with_margins(window.flux.min(), window.flux.max())

    initial = Rect(START[0] * width, START[1] * height, START[2] * width, START[3] * height)
    layout = Layout(x, flux_scale(*limits, _flux_intervals(initial)), title, initial)
    around = layout.extent(names_count=False)
    frame = _frame(around, width, height)
    y = flux_scale(*limits, _flux_intervals(frame))
    paper = Layout(x, y, title, frame).extent(names_count=True).grown(EDGE_PAD)
    moved = Layout(x, y, title, frame.moved(-paper.x0, -paper.y0))
    # Float sums may end just below a whole number of pixels.
    canvas = Canvas(round(paper.width, 6), round(paper.height, 6), DPI)
    _draw_axes(canvas, moved)
    _draw_data(canvas, moved, window)
    _draw_names(canvas, moved, window)
    return canvas.rgb()


def _frame(around: Rect, width: float, height: float) -> Rect:
    """The frame that leaves room for everything outside it, with padding.

    The order of operations is matplotlib's: the last bit decides how a side half way between two
    pixels snaps.
    """
    share_x, share_y = 1 / width, 1 / height
    across, up = LAYOUT_PAD / width, LAYOUT_PAD / height
    left = max(START[0] - around.x0 * share_x, 0) + across
    low = max(START[1] - around.y0 * share_y, 0) + up
    wide = 1 - (max(around.x1 * share_x - START[2], 0) + across) - left
    tall = 1 - (max(around.y1 * share_y - START[3], 0) + up) - low
    return Rect(left * width, low * height, (left + wide) * width, (low + tall) * height)


def _draw_axes(canvas: Canvas, layout: Layout) -> None:
    """Draw grid, ticks and labels of the wavelength axis, then of the flux axis."""
    frame = layout.frame
    for scale, labels, vertical in (
        (layout.x, layout.x_labels, True),
        (layout.y, layout.y_labels, False),
    ):
        start, end = (frame.x0, frame.x1) if vertical else (frame.y0, frame.y1)
        across = (frame.y0, frame.y1) if vertical else (frame.x0, frame.x1)
        for marks, colour, grid_width, length, tick_width in (
            (scale.major, GRID, 0.5, 3.5, 0.8),
            (scale.minor, FINE_GRID, 0.3, 2.0, 0.6),
        ):
            positions = scale.to_pixels(marks, start, end)
            canvas.parallel_lines(
                positions.tolist(), across, colour, grid_width, vertical=vertical, clip=frame
            )
            canvas.ticks(positions, across[0], length, tick_width, vertical=vertical)
        for label in labels:
            canvas.text(label.block, label.font, label.x, label.y)
    for offset in layout.offsets:
        canvas.text(offset.block, offset.font, offset.x, offset.y)


def _draw_data(canvas: Canvas, layout: Layout, window: DrawnPixels) -> None:
    frame = layout.frame
    points = np.empty((len(window), 2))
    points[:, 0] = layout.x.to_pixels(window.wavelength, frame.x0, frame.x1)
    points[:, 1] = layout.y.to_pixels(window.flux, frame.y0, frame.y1)
    for part in np.split(points, gap_starts(window.wavelength, GAP_STEPS)):
        canvas.curve(thinned(part), LINE, 1.0, frame)
    canvas.frame(frame, 0.8)


def _draw_names(canvas: Canvas, layout: Layout, window: DrawnPixels) -> None:
    x_name, (y_name, y_box), title = layout.x_name, layout.y_name, layout.title
    draw_info_box(canvas, layout.frame, window, BOX)
    canvas.text(x_name.block, x_name.font, x_name.x, x_name.y)
    canvas.vertical_text(y_name, LABEL, y_box.x1 - y_name.descent, y_box.y0)
    canvas.text(title.block, title.font, title.x, title.y)


# Positions of the texts around the frame of the published picture.
@dataclass(frozen=True)
class PlacedText:
    """A text with the lower left corner of its block."""

    block: Block
    font: Font
    x: float
    y: float

    @property
    def extent(self) -> Rect:
        return Rect(self.x, self.y, self.x + self.block.width, self.y + self.block.height)


class Layout:
    """Positions of everything outside a frame."""

    def __init__(self, x: Scale, y: Scale, title: str, frame: Rect) -> None:
        self.x, self.y, self.title_text, self.frame = x, y, title, frame

    @cached_property
    def x_labels(self) -> list[PlacedText]:
        positions = self.x.to_pixels(self.x.major, self.frame.x0, self.frame.x1)
        blocks = [stack_lines((label,), TICK) for label in self.x.labels]
        top = self.frame.y0 - TICK_GAP
        return [
            PlacedText(block, TICK, at - block.width / 2, top - block.height)
            for block, at in zip(blocks, positions.tolist(), strict=True)
        ]

    @cached_property
    def y_labels(self) -> list[PlacedText]:
        positions = self.y.to_pixels(self.y.major, self.frame.y0, self.frame.y1)
        blocks = [stack_lines((label,), TICK) for label in self.y.labels]
        right = self.frame.x0 - TICK_GAP
        return [
            PlacedText(block, TICK, right - block.width, at - block.descent - block.ascent / 2)
            for block, at in zip(blocks, positions.tolist(), strict=True)
        ]

    @cached_property
    def title(self) -> PlacedText:
        block = stack_lines((self.title_text,), TITLE)
        baseline = self.frame.y1 + TITLE_GAP
        x = (self.frame.x0 + self.frame.x1) / 2 - block.width / 2
        return PlacedText(block, TITLE, x, baseline - block.descent)

    @cached_property
    def below_labels(self) -> float:
        gap = MINOR_GAP if self.x.minor else 0.0
        return min([self.frame.y0 - gap, *(p.y for p in self.x_labels)])

    @cached_property
    def x_name(self) -> PlacedText:
        block = stack_lines(("Wavelength (Å)",), LABEL)
        x = (self.frame.x0 + self.frame.x1) / 2 - block.width / 2
        return PlacedText(block, LABEL, x, self.below_labels - LABEL_GAP - block.height)

    @cached_property
    def y_name(self) -> tuple[Block, Rect]:
        """The vertical label and its box."""
        block = stack_lines(("Flux",), LABEL)
        gap = MINOR_GAP if self.y.minor else 0.0
        right = min([self.frame.x0 - gap, *(p.x for p in self.y_labels)]) - LABEL_GAP
        y = (self.frame.y0 + self.frame.y1) / 2 - block.width / 2
        return block, Rect(right - block.height, y, right, y + block.width)

    @cached_property
    def offsets(self) -> list[PlacedText]:
        """The factors left out of the tick labels, above the flux axis and below the other one."""
        placed = []
        if self.y.offset:
            block = stack_lines((self.y.offset,), TICK)
            y = self.frame.y1 + OFFSET_GAP - block.descent
            placed.append(PlacedText(block, TICK, self.frame.x0, y))
        if self.x.offset:
            block = stack_lines((self.x.offset,), TICK)
            y = self.below_labels - OFFSET_GAP - block.height
            placed.append(PlacedText(block, TICK, self.frame.x1 - block.width, y))
        return placed

    def extent(self, *, names_count: bool) -> Rect:
        """The box around everything; without `names_count`, names and title have no length."""
        boxes = [self.frame, *(p.extent for p in [*self.x_labels, *self.y_labels, *self.offsets])]
        title, x_name, y_name = self.title.extent, self.x_name.extent, self.y_name[1]
        if not names_count:
            title, x_name = _narrow(title), _narrow(x_name)
            middle = (y_name.y0 + y_name.y1) / 2 - 0.5
            y_name = Rect(y_name.x0, middle, y_name.x1, middle + 1)
        return union([*boxes, title, x_name, y_name])


def _narrow(box: Rect) -> Rect:
    middle = (box.x0 + box.x1) / 2 - 0.5
    return Rect(middle, box.y0, middle + 1, box.y1)
