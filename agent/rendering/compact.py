"""The compact picture for small models: exact size, large type, few ticks, robust limits."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agent.rendering import robust
from agent.rendering.canvas import BLACK, Canvas, Colour, Rect
from agent.rendering.scales import (
    GAP_STEPS,
    Scale,
    draw_info_box,
    flux_scale,
    thinned,
    with_margins,
)
from agent.rendering.style import Style
from agent.rendering.text import Font, stack_lines
from agent.rendering.window import DrawnPixels
from agent.spectra.gaps import gap_starts
from agent.spectra.spectrum import FloatArray

DPI = 72.0  # a point is a pixel
EDGE, GAP = 4.0, 3.0
UPPER_SHARE = 0.55
GREY: Colour = (0.68, 0.68, 0.68, 1.0)
GRID: Colour = (0.0, 0.0, 0.0, 0.15)
TICK, FRAME = 4.0, 1.0
CROWDED = 3.0  # spectrum pixels per column from which their mean is drawn, too
FLUX_MARGIN, WAVELENGTH_MARGIN = 0.04, 0.01
NO_TICKS = replace(flux_scale(0.0, 1.0, 1, minor=False), major=(), labels=(), offset="")


@dataclass(frozen=True)
class Panel:
    """A curve with its flux axis."""

    wavelength: FloatArray
    flux: FloatArray
    y: Scale


def draw(window: DrawnPixels, title: str, style: Style) -> NDArray[np.uint8]:
    """Draw a picture of exactly `style.width` x `style.height`, as (rows, columns, 3) RGB."""
    window = window.without_bad()
    canvas = Canvas(style.width, style.height, DPI)
    tick = Font(style.tick_size, dpi=DPI)
    panels = _panels(window, style)
    area = _area(style, panels, tick, title)
    x, area = _wavelength_axis(window, style, area, tick)
    frames = [area]
    if len(panels) == 2:
        border = area.y1 - (area.height - GAP) * UPPER_SHARE
        frames = [replace(area, y0=border), replace(area, y1=border - GAP)]
    for panel, frame in zip(panels, frames, strict=True):
        _draw_panel(canvas, panel, x, frame, style, tick)
    for label, at in zip(x.labels, x.to_pixels(x.major, area.x0, area.x1).tolist(), strict=True):
        block = stack_lines((label,), tick)
        left = min(max(at - block.width / 2, 1.0), style.width - 1.0 - block.width)
        canvas.text(block, tick, left, area.y0 - GAP - block.height)
    if style.box:
        draw_info_box(canvas, frames[0], window, tick)
    _draw_names(canvas, area, style, tick, title)
    return canvas.rgb()


def _panels(window: DrawnPixels, style: Style) -> list[Panel]:
    def panel(flux: FloatArray, low: float, high: float, ticks: int) -> Panel:
        low, high = with_margins(low, high, FLUX_MARGIN)
        scale = flux_scale(low, high, ticks, minor=False) if ticks else NO_TICKS
        return Panel(window.wavelength, flux, replace(scale, low=low, high=high))

    panels = [panel(window.flux, *robust.limits(window.flux), style.flux_ticks)]
    if style.panels == "flux+normalised":
        flux = robust.normalised(window.wavelength, window.flux)
        panels.append(panel(flux, *robust.normalised_limits(flux), min(style.flux_ticks, 2)))
    return panels


def _area(style: Style, panels: list[Panel], tick: Font, title: str) -> Rect:
    """The area inside the labels, before the width of the wavelength labels is known."""
    labels = [stack_lines((label,), tick).width for panel in panels for label in panel.y.labels]
    left = EDGE + (max(labels) + GAP if labels else 0.0)
    bottom = EDGE + (stack_lines(("0",), tick).height + GAP if style.wavelength_ticks else 0.0)
    top = EDGE + (stack_lines(("0",), tick).height if panels[0].y.offset else 0.0)
    if style.names:
        height = stack_lines(("Å",), Font(style.name_size, bold=True, dpi=DPI)).height
        left, bottom = left + height, bottom + height
    if style.title and title:
        top += stack_lines((title,), Font(style.title_size, bold=True, dpi=DPI)).height
    return Rect(left, bottom, style.width - EDGE, style.height - top)


def _wavelength_axis(
    window: DrawnPixels, style: Style, area: Rect, tick: Font
) -> tuple[Scale, Rect]:
    """The axis with as many labels as fit, and the area narrowed if the last one sticks out."""
    ends = float(window.wavelength[0]), float(window.wavelength[-1])
    low, high = with_margins(*ends, WAVELENGTH_MARGIN)
    for intervals in range(style.wavelength_ticks, 0, -1):
        x = flux_scale(low, high, intervals, minor=False)
        if x.offset:  # write wavelengths in full, never as 2 + 1.083e4
            x = replace(x, labels=tuple(f"{value:.10g}" for value in x.major), offset="")
        widths = [stack_lines((label,), tick).width for label in x.labels]
        positions = x.to_pixels(x.major, area.x0, area.x1).tolist()
        gaps = zip(positions, positions[1:], widths, widths[1:], strict=False)
        if all(b - a > (wa + wb) / 2 + tick.points / 2 for a, b, wa, wb in gaps):
            break
    else:
        return replace(NO_TICKS, low=low, high=high), area
    overhang = positions[-1] + widths[-1] / 2 - (style.width - 1) if positions else 0.0
    return x, replace(area, x1=area.x1 - max(overhang, 0.0))


def _draw_panel(
    canvas: Canvas, panel: Panel, x: Scale, frame: Rect, style: Style, tick: Font
) -> None:
    columns = x.to_pixels(x.major, frame.x0, frame.x1)
    rows = panel.y.to_pixels(panel.y.major, frame.y0, frame.y1)
    if style.grid:
        sides, ends = (frame.y0, frame.y1), (frame.x0, frame.x1)
        canvas.parallel_lines(columns.tolist(), sides, GRID, 1.0, vertical=True, clip=frame)
        canvas.parallel_lines(rows.tolist(), ends, GRID, 1.0, vertical=False, clip=frame)
    _draw_line(canvas, panel, x, frame, style)
    canvas.ticks(columns, frame.y0, TICK, FRAME, vertical=True)
    canvas.ticks(rows, frame.x0, TICK, FRAME, vertical=False)
    canvas.frame(frame, FRAME)
    for label, at in zip(panel.y.labels, rows.tolist(), strict=True):
        block = stack_lines((label,), tick)
        y = at - block.descent - block.ascent / 2
        y = min(max(y, frame.y0 - GAP), frame.y1 + GAP - block.height)
        canvas.text(block, tick, frame.x0 - GAP - block.width, y)
    if panel.y.offset:
        block = stack_lines((panel.y.offset,), tick)
        canvas.text(block, tick, frame.x0, frame.y1)


def _draw_line(canvas: Canvas, panel: Panel, x: Scale, frame: Rect, style: Style) -> None:
    points = np.empty((len(panel.wavelength), 2))
    points[:, 0] = x.to_pixels(panel.wavelength, frame.x0, frame.x1)
    # A spike may reach 1e90 times the height of the picture; Agg needs only its direction.
    heights = panel.y.to_pixels(panel.flux, frame.y0, frame.y1)
    points[:, 1] = np.clip(heights, frame.y0 - 4 * frame.height, frame.y1 + 4 * frame.height)
    crowded = len(points) > CROWDED * frame.width and style.mean_line
    for part in np.split(points, gap_starts(panel.wavelength, GAP_STEPS)):
        if crowded:
            canvas.curve(thinned(part), GREY, 1.0, frame)
            # One point for each pixel column with data: the mean of the points in it.
            columns = np.floor(part[:, 0]).astype(int)
            starts = np.flatnonzero(np.diff(columns, prepend=columns[0] - 1))
            counts = np.diff(starts, append=len(part))
            part = np.add.reduceat(part, starts, axis=0) / counts[:, None]
        canvas.curve(thinned(part), BLACK, style.line_width, frame)


def _draw_names(canvas: Canvas, area: Rect, style: Style, tick: Font, title: str) -> None:
    middle = (area.x0 + area.x1) / 2
    if style.names:
        font = Font(style.name_size, bold=True, dpi=DPI)
        block = stack_lines(("Wavelength (Å)",), font)
        canvas.text(block, font, middle - block.width / 2, EDGE / 2)
        block = stack_lines(("Flux",), font)
        start = (area.y0 + area.y1 - block.width) / 2
        canvas.vertical_text(block, font, EDGE / 2 + block.ascent, start)
    if style.title and title:
        font = Font(style.title_size, bold=True, dpi=DPI)
        block = stack_lines((title,), font)
        left = max(EDGE, middle - block.width / 2)
        canvas.text(block, font, left, style.height - EDGE / 2 - block.height)
