"""Parts that both layouts draw inside a frame: thinned curves, tick positions, the info box."""

from __future__ import annotations

import numpy as np

from agent.rendering.canvas import Canvas, Rect
from agent.rendering.text import Font, stack_lines
from agent.rendering.window import DrawnPixels
from agent.spectra.spectrum import FloatArray

# Beyond this Agg may run out of cells, and 800 columns cannot show more anyway.
MAX_VERTICES = 40_000
# A step so many times the others is a gap, as between two arms: no line crosses it.
GAP_STEPS = 20.0


def thinned(points: FloatArray, most: int = MAX_VERTICES) -> FloatArray:
    """Reduce to about `most` points, keeping the lowest and highest of each run."""
    if len(points) <= most:
        return points
    runs = most // 2
    size = -(-len(points) // runs)
    whole = len(points) // size * size
    heights = points[:whole, 1].reshape(-1, size)
    starts = np.arange(0, whole, size)
    keep = np.stack([starts + heights.argmin(axis=1), starts + heights.argmax(axis=1)], axis=1)
    keep.sort(axis=1)
    chosen = np.unique(np.concatenate([[0], keep.ravel(), np.arange(whole, len(points))]))
    return points[chosen]


def tick_points(positions: FloatArray, base: float, *, vertical: bool) -> FloatArray:
    """(n, 2) points where ticks start, at `base` on the other axis."""
    points = np.full((len(positions), 2), base)
    points[:, 0 if vertical else 1] = positions
    return points


def emptiest_corner(wavelength: FloatArray, flux: FloatArray) -> tuple[str, str]:
    """("top" or "bottom", "left" or "right") of the quarter with the fewest points."""
    right = wavelength >= (wavelength.min() + wavelength.max()) / 2
    top = flux > (flux.min() + flux.max()) / 2
    counts = {
        ("top", "left"): np.count_nonzero(top & ~right),
        ("top", "right"): np.count_nonzero(top & right),
        ("bottom", "left"): np.count_nonzero(~top & ~right),
        ("bottom", "right"): np.count_nonzero(~top & right),
    }
    return min(counts, key=counts.__getitem__)


def info_lines(window: DrawnPixels) -> tuple[str, str, str]:
    low, high = window.wavelength[0], window.wavelength[-1]
    return (
        f"Data points: {len(window)}",
        f"λ range: {low:.1f} - {high:.1f} Å",
        f"Flux range: {window.flux.min():.2e} - {window.flux.max():.2e}",
    )


def draw_info_box(canvas: Canvas, frame: Rect, window: DrawnPixels, font: Font) -> None:
    """Draw the number of points and both ranges, in the emptiest corner."""
    vertical, horizontal = emptiest_corner(window.wavelength, window.flux)
    block = stack_lines(info_lines(window), font, horizontal)
    x = frame.x0 + frame.width * (0.02 if horizontal == "left" else 0.98)
    y = frame.y0 + frame.height * (0.02 if vertical == "bottom" else 0.98)
    x -= block.width if horizontal == "right" else 0.0
    y -= block.height if vertical == "top" else 0.0
    pad = 0.3 * font.pixels
    box = Rect(x, y, x + block.width, y + block.height).grown(pad)
    canvas.rounded_box(box, pad, alpha=0.8)
    canvas.text(block, font, x, y)
