"""What is drawn inside a frame: the line, thinned where it must be, and the box of figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agent.rendering.canvas import Canvas, Rect
from agent.rendering.text import Font, stack
from agent.rendering.window import DrawnPixels

MAX_VERTICES = 40_000
"""Beyond this Agg may run out of cells; more points than this never show on 800 columns."""


def thinned(points: NDArray[np.float64], most: int = MAX_VERTICES) -> NDArray[np.float64]:
    """No more than about `most` vertices: of each run of pixels its lowest and highest stay."""
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


def emptiest_corner(wavelength: NDArray[np.float64], flux: NDArray[np.float64]) -> tuple[str, str]:
    """("top" or "bottom", "left" or "right"): the quarter of the data range with fewest points."""
    right = wavelength >= (wavelength.min() + wavelength.max()) / 2
    top = flux > (flux.min() + flux.max()) / 2
    counts = {
        ("top", "left"): np.count_nonzero(top & ~right),
        ("top", "right"): np.count_nonzero(top & right),
        ("bottom", "left"): np.count_nonzero(~top & ~right),
        ("bottom", "right"): np.count_nonzero(~top & right),
    }
    return min(counts, key=counts.__getitem__)


def box_lines(window: DrawnPixels) -> tuple[str, str, str]:
    low, high = window.wavelength[0], window.wavelength[-1]
    return (
        f"Data points: {len(window)}",
        f"λ range: {low:.1f} - {high:.1f} Å",
        f"Flux range: {window.flux.min():.2e} - {window.flux.max():.2e}",
    )


def draw_box(canvas: Canvas, frame: Rect, window: DrawnPixels, font: Font) -> None:
    """Number of points and both ranges, in the emptiest corner."""
    side, hand = emptiest_corner(window.wavelength, window.flux)
    block = stack(box_lines(window), font, hand)
    x = frame.x0 + frame.width * (0.02 if hand == "left" else 0.98)
    y = frame.y0 + frame.height * (0.02 if side == "bottom" else 0.98)
    x -= block.width if hand == "right" else 0.0
    y -= block.height if side == "top" else 0.0
    pad = 0.3 * font.pixels
    box = Rect(x, y, x + block.width, y + block.height).grown(pad)
    canvas.rounded_box(box, pad, alpha=0.8)
    canvas.text(block, font, x, y)
