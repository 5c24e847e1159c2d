"""The picture that the published weights were trained on, identical to the pixel.

matplotlib lays a figure out, draws it to find its tight bounding box, and draws it again. Only the
sizes of some twenty texts affect the layout, so it is computed from them here and drawn once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agent.rendering.canvas import Canvas, Colour, Rect
from agent.rendering.layout import DPI, LABEL, POINT, Layout
from agent.rendering.marks import GAP_STEPS, draw_info_box, thinned, tick_points
from agent.rendering.scales import flux_scale, wavelength_scale, with_margins
from agent.rendering.text import Font
from agent.rendering.window import DrawnPixels
from agent.spectra.gaps import gap_starts

BOX = Font(9)
LINE: Colour = (0.0, 0.0, 1.0, 0.8)
GREY = 0xB0 / 255
GRID: Colour = (GREY, GREY, GREY, 0.3)
FINE_GRID: Colour = (GREY, GREY, GREY, 0.1)

LAYOUT_PAD = 1.08 * 10 * POINT  # of tight_layout, in sizes of its font
EDGE_PAD = 0.1 * DPI  # of savefig around a tight box
# Fractions of the figure (left, bottom, right, top) at which the layout starts.
START = (0.125, 0.11, 0.9, 0.88)

WHOLE_SIZES = ((3000.0, 10.0, 6.0), (1000.0, 8.0, 5.0), (200.0, 7.0, 4.5))
SMALLEST_WHOLE = (6.0, 4.0)
ZOOM_SIZES = ((50.0, 6.0, 4.0), (200.0, 7.0, 4.5), (1000.0, 8.0, 5.0))
LARGEST_ZOOM = (9.0, 5.5)


def figure_size(window: DrawnPixels) -> tuple[float, float]:
    """Width and height in inches, before the tight bounding box."""
    span = window.span
    if window.whole:
        sizes = ((w, h) for above, w, h in WHOLE_SIZES if span > above)
        width, height = next(sizes, SMALLEST_WHOLE)
    else:
        sizes = ((w, h) for below, w, h in ZOOM_SIZES if span < below)
        width, height = next(sizes, LARGEST_ZOOM)
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
    x = wavelength_scale(
        *with_margins(window.wavelength[0], window.wavelength[-1]), span=window.span
    )
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
            points = tick_points(positions, across[0], vertical=vertical)
            canvas.ticks(points, length, tick_width, vertical=vertical)
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
