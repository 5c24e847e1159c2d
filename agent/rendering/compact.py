"""The compact picture: an exact size, large type, few marks, a black line that fills the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agent.rendering import robust
from agent.rendering.canvas import BLACK, Canvas, Colour, Points, Rect
from agent.rendering.marks import draw_box, thinned
from agent.rendering.scales import Scale, flux_scale, with_margins
from agent.rendering.style import Style
from agent.rendering.text import Font, stack
from agent.rendering.window import DrawnPixels
from agent.spectra.spectrum import FloatArray

DPI = 72.0
"""A point is a pixel."""
EDGE, GAP = 4.0, 3.0
UPPER_SHARE = 0.55
GREY: Colour = (0.68, 0.68, 0.68, 1.0)
GRID: Colour = (0.0, 0.0, 0.0, 0.15)
TICK, FRAME = 4.0, 1.0
GAP_STEPS = 20.0
"""A step so many times the usual one is a gap between arms; no line crosses it."""
CROWDED = 3.0
"""More pixels than this to a column are shown with their mean."""
FLUX_MARGIN, WAVELENGTH_MARGIN = 0.04, 0.01
NO_MARKS = replace(flux_scale(0.0, 1.0, 1, minor=False), major=(), labels=(), offset="")


@dataclass(frozen=True)
class Panel:
    """One curve and its axis."""

    flux: FloatArray
    y: Scale


def draw(window: DrawnPixels, title: str, style: Style) -> NDArray[np.uint8]:
    """The picture as RGB, rows from the top, exactly `style.width` x `style.height`."""
    window = window.without_bad()
    canvas = Canvas(style.width, style.height, DPI)
    tick = Font(style.tick_size, dpi=DPI)
    panels = _panels(window, style)
    area = _area(style, panels, tick, title)
    x, area = _wavelength_axis(window, style, area, tick)
    frames = _frames(area, len(panels))
    for panel, frame in zip(panels, frames, strict=True):
        _draw_panel(canvas, panel, x, frame, window.wavelength, style, tick)
    _draw_wavelengths(canvas, x, area, tick, style.width)
    if style.box:
        draw_box(canvas, frames[0], window, tick)
    _draw_names(canvas, area, style, tick, title)
    return canvas.rgb()


def _panels(window: DrawnPixels, style: Style) -> list[Panel]:
    def panel(flux: FloatArray, low: float, high: float, ticks: int) -> Panel:
        low, high = with_margins(low, high, FLUX_MARGIN)
        scale = flux_scale(low, high, ticks, minor=False) if ticks else NO_MARKS
        return Panel(flux, replace(scale, low=low, high=high))

    panels = [panel(window.flux, *robust.limits(window.flux), style.flux_ticks)]
    if style.panels == "flux+normalised":
        flux = robust.normalised(window.wavelength, window.flux)
        panels.append(panel(flux, *robust.normalised_limits(flux), min(style.flux_ticks, 2)))
    return panels


def _area(style: Style, panels: list[Panel], tick: Font, title: str) -> Rect:
    """The paper left inside the labels, before the wavelength labels are known."""
    labels = [stack((label,), tick).width for panel in panels for label in panel.y.labels]
    left = EDGE + (max(labels) + GAP if labels else 0.0)
    bottom = EDGE + (stack(("0",), tick).height + GAP if style.wavelength_ticks else 0.0)
    top = EDGE + (stack(("0",), tick).height if panels[0].y.offset else 0.0)
    if style.names:
        height = stack(("Å",), Font(style.name_size, bold=True, dpi=DPI)).height
        left, bottom = left + height, bottom + height
    if style.title and title:
        top += stack((title,), Font(style.title_size, bold=True, dpi=DPI)).height
    return Rect(left, bottom, style.width - EDGE, style.height - top)


def _wavelength_axis(
    window: DrawnPixels, style: Style, area: Rect, tick: Font
) -> tuple[Scale, Rect]:
    """As many labels as fit beside each other; the area gives way to the last one's overhang."""
    ends = float(window.wavelength[0]), float(window.wavelength[-1])
    low, high = with_margins(*ends, WAVELENGTH_MARGIN)
    for intervals in range(style.wavelength_ticks, 0, -1):
        x = flux_scale(low, high, intervals, minor=False)
        if x.offset:  # wavelengths are read whole, never as 1.083e4 + 2
            x = replace(x, labels=tuple(f"{value:.10g}" for value in x.major), offset="")
        widths = [stack((label,), tick).width for label in x.labels]
        places = x.place(x.major, area.x0, area.x1).tolist()
        gaps = zip(places, places[1:], widths, widths[1:], strict=False)
        if all(b - a > (wa + wb) / 2 + tick.points / 2 for a, b, wa, wb in gaps):
            break
    else:
        return replace(NO_MARKS, low=low, high=high), area
    over = places[-1] + widths[-1] / 2 - (style.width - 1) if places else 0.0
    return x, replace(area, x1=area.x1 - max(over, 0.0))


def _frames(area: Rect, count: int) -> list[Rect]:
    if count == 1:
        return [area]
    border = area.y1 - (area.height - GAP) * UPPER_SHARE
    return [replace(area, y0=border), replace(area, y1=border - GAP)]


def _draw_panel(
    canvas: Canvas,
    panel: Panel,
    x: Scale,
    frame: Rect,
    wavelength: FloatArray,
    style: Style,
    tick: Font,
) -> None:
    columns = x.place(x.major, frame.x0, frame.x1)
    rows = panel.y.place(panel.y.major, frame.y0, frame.y1)
    if style.grid:
        for at, ends, upright in (
            (columns, (frame.y0, frame.y1), True),
            (rows, (frame.x0, frame.x1), False),
        ):
            canvas.parallels(at.tolist(), ends, GRID, 1.0, upright=upright, clip=frame)
    _draw_line(canvas, panel, x, frame, wavelength, style)
    canvas.ticks(_feet(columns, frame.y0, upright=True), TICK, FRAME, upright=True)
    canvas.ticks(_feet(rows, frame.x0, upright=False), TICK, FRAME, upright=False)
    canvas.frame(frame, FRAME)
    for label, at in zip(panel.y.labels, rows.tolist(), strict=True):
        block = stack((label,), tick)
        y = at - block.descent - block.ascent / 2
        y = min(max(y, frame.y0 - GAP), frame.y1 + GAP - block.height)
        canvas.text(block, tick, frame.x0 - GAP - block.width, y)
    if panel.y.offset:
        block = stack((panel.y.offset,), tick)
        canvas.text(block, tick, frame.x0, frame.y1)


def _feet(at: FloatArray, base: float, *, upright: bool) -> Points:
    feet = np.full((len(at), 2), base)
    feet[:, 0 if upright else 1] = at
    return feet


def _draw_line(
    canvas: Canvas, panel: Panel, x: Scale, frame: Rect, wavelength: FloatArray, style: Style
) -> None:
    points = np.empty((len(wavelength), 2))
    points[:, 0] = x.place(wavelength, frame.x0, frame.x1)
    # A spike may be 1e90 times off the paper; Agg only needs to know that it leaves it.
    heights = panel.y.place(panel.flux, frame.y0, frame.y1)
    points[:, 1] = np.clip(heights, frame.y0 - 4 * frame.height, frame.y1 + 4 * frame.height)
    crowded = len(points) > CROWDED * frame.width and style.mean_line
    steps = np.diff(wavelength)
    for part in np.split(points, np.flatnonzero(steps > GAP_STEPS * np.median(steps)) + 1):
        if crowded:
            canvas.curve(thinned(part), GREY, 1.0, frame)
            part = _column_means(part)
        canvas.curve(thinned(part), BLACK, style.line_width, frame)


def _column_means(points: Points) -> Points:
    """One vertex for each pixel column that holds data: the mean of what falls there."""
    columns = np.floor(points[:, 0]).astype(int)
    starts = np.flatnonzero(np.diff(columns, prepend=columns[0] - 1))
    counts = np.diff(starts, append=len(points))
    return np.add.reduceat(points, starts, axis=0) / counts[:, None]


def _draw_wavelengths(canvas: Canvas, x: Scale, area: Rect, tick: Font, width: int) -> None:
    for label, at in zip(x.labels, x.place(x.major, area.x0, area.x1).tolist(), strict=True):
        block = stack((label,), tick)
        left = min(max(at - block.width / 2, 1.0), width - 1.0 - block.width)
        canvas.text(block, tick, left, area.y0 - GAP - block.height)


def _draw_names(canvas: Canvas, area: Rect, style: Style, tick: Font, title: str) -> None:
    middle = (area.x0 + area.x1) / 2
    if style.names:
        font = Font(style.name_size, bold=True, dpi=DPI)
        block = stack(("Wavelength (Å)",), font)
        canvas.text(block, font, middle - block.width / 2, EDGE / 2)
        block = stack(("Flux",), font)
        canvas.text_upwards(
            block, font, EDGE / 2 + block.ascent, (area.y0 + area.y1 - block.width) / 2
        )
    if style.title and title:
        font = Font(style.title_size, bold=True, dpi=DPI)
        block = stack((title,), font)
        left = max(EDGE, middle - block.width / 2)
        canvas.text(block, font, left, style.height - EDGE / 2 - block.height)
