"""Axis limits, ticks and labels, as matplotlib chooses them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from matplotlib.ticker import MaxNLocator, MultipleLocator, ScalarFormatter

from agent.rendering.canvas import Canvas, Rect
from agent.rendering.text import Font, stack_lines
from agent.rendering.window import DrawnPixels
from agent.spectra.spectrum import BoolArray, FloatArray

MARGIN = 0.05
MAX_MAJOR_TICKS = 60
STEPS_BY_SPAN = (
    (5000.0, 1000.0, 200.0), (1000.0, 200.0, 50.0), (500.0, 100.0, 20.0), (300.0, 100.0, 25.0),
    (150.0, 50.0, 25.0), (100.0, 25.0, 5.0), (50.0, 10.0, 2.0), (20.0, 5.0, 1.0), (5.0, 2.0, 0.5),
    (0.0, 1.0, 0.2),
)  # fmt: skip

# Beyond this Agg may run out of cells, and 800 columns cannot show more anyway.
MAX_VERTICES = 40_000
# A step so many times the others is a gap, as between two arms: no line crosses it.
GAP_STEPS = 20.0


@dataclass(frozen=True)
class Scale:
    """An axis: limits, ticks and labels of the major ticks.

    `offset` is the factor or shift that the labels leave out, or an empty text.
    """

    low: float
    high: float
    major: tuple[float, ...]
    minor: tuple[float, ...]
    labels: tuple[str, ...]
    offset: str = ""

    def to_pixels(
        self, values: FloatArray | Sequence[float], start: float, end: float
    ) -> FloatArray:
        """Map data to pixels, with `start` at the low limit and `end` at the high one."""
        # The order of operations is that of matplotlib's affine matrix: round numbers often fall
        # half way between two pixels, and then the last bit decides to which one a tick snaps.
        share = 1.0 / (self.high - self.low)
        scale, shift = (end - start) * share, (end - start) * (-self.low * share) + start
        return np.asarray(values, dtype=np.float64) * scale + shift


def tick_steps(span: float) -> tuple[float, float]:
    """Major and minor step for a span in angstrom.

    Where the published picture would have more than 60 labels, the steps grow tenfold.
    """
    major, minor = next((a, b) for least, a, b in STEPS_BY_SPAN if span >= least)
    while span / major > MAX_MAJOR_TICKS:
        major, minor = major * 10, minor * 10
    return major, minor


def with_margins(low: float, high: float, margin: float = MARGIN) -> tuple[float, float]:
    low, high = MaxNLocator().nonsingular(low, high)  # separates equal limits
    space = (high - low) * margin
    return float(low - space), float(high + space)


def wavelength_scale(low: float, high: float, span: float) -> Scale:
    """An axis with ticks at the steps for the span of the data."""
    if high - low > 2 * span:  # `with_margins` separated limits that were almost equal
        span = high - low
    major_step, minor_step = tick_steps(span)
    major = np.asarray(MultipleLocator(major_step).tick_values(low, high))
    minor = np.asarray(MultipleLocator(minor_step).tick_values(low, high))
    return _scale(low, high, major, minor)


def flux_scale(low: float, high: float, intervals: int, *, minor: bool = True) -> Scale:
    """An axis with at most `intervals` steps of 1, 2, 2.5 or 5 times a power of ten."""
    locator = MaxNLocator(nbins=intervals, steps=[1, 2, 2.5, 5, 10])
    major = np.asarray(locator.tick_values(low, high))
    return _scale(low, high, major, _minor_ticks(major, low, high) if minor else np.empty(0))


def _minor_ticks(major: FloatArray, low: float, high: float) -> FloatArray:
    """Minor ticks: four or five parts per major step, whichever gives rounder numbers."""
    if len(major) < 2:
        return np.empty(0)
    step = major[1] - major[0]
    mantissa = 10 ** (np.log10(step) % 1)
    step /= 5 if np.isclose(mantissa, [1, 2.5, 5, 10]).any() else 4
    first, last = round((low - major[0]) / step), round((high - major[0]) / step)
    return np.arange(first, last + 1) * step + major[0]


def _scale(low: float, high: float, major: FloatArray, minor: FloatArray) -> Scale:
    formatter: Any = ScalarFormatter(useOffset=True, useMathText=False, useLocale=False)
    formatter.create_dummy_axis()
    formatter.axis.set_view_interval(low, high)
    formatter.set_powerlimits((-5, 6))
    labels = formatter.format_ticks(major)
    shown = _inside(major, low, high)
    tolerance = (high - low) * 1e-5
    apart = np.abs(minor[:, None] - major[None, :]).min(axis=1, initial=np.inf) > tolerance
    minor = minor[apart & _inside(minor, low, high)]
    seen = tuple(label for label, is_inside in zip(labels, shown, strict=True) if is_inside)
    ticks = tuple(major[shown].tolist()), tuple(minor.tolist())
    return Scale(low, high, *ticks, seen, formatter.get_offset())


def _inside(values: FloatArray, low: float, high: float) -> BoolArray:
    slack = 1e-10 * (high - low)
    return (values >= low - slack) & (values <= high + slack)


# Parts that both layouts draw inside a frame: thinned curves and the info box.
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


def emptiest_corner(wavelength: FloatArray, flux: FloatArray) -> tuple[str, str]:
    """("top" or "bottom", "left" or "right") of the quarter with the fewest points."""
    right = wavelength >= (wavelength.min() + wavelength.max()) / 2
    top = flux > (flux.min() + flux.max()) / 2
    rows, columns = {"top": top, "bottom": ~top}, {"left": ~right, "right": right}
    corners = product(rows, columns)
    return min(corners, key=lambda at: np.count_nonzero(rows[at[0]] & columns[at[1]]))


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
