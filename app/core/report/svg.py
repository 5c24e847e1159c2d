"""SVG elements of the small spectra, and the colours of the page."""

from itertools import pairwise

import numpy as np

from agent.spectra.spectrum import BoolArray, FloatArray
from app.core.report.markup import Markup, tag

INK = "#1c2126"
SOFT = "#59616b"
RULE = "#d5dae0"
FAINT = "#eef1f4"
ACCEPT = "#1f5f99"
REJECT = "#b5521b"
UNSURE = "#666d75"
OPEN = "#e3e7eb"  # not judged yet
AGENT = "#6b3fa0"
SPECTRUM = "#2b3137"


def figure(title: str, width: float, height: float, *content: Markup) -> Markup:
    return tag(
        "svg",
        tag("title", title),
        *content,
        role="img",
        aria_label=title,
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
    )


def svg_text(text: str, x: float, y: float, **more: str) -> Markup:
    return tag("text", text, x=x, y=y, **more)


def line(x1: float, y1: float, x2: float, y2: float, stroke: str) -> Markup:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke)


def box(x: float, y: float, width: float, height: float, fill: str, **more: str | float) -> Markup:
    return tag("rect", x=x, y=y, width=max(width, 0.0), height=max(height, 0.0), fill=fill, **more)


def curve(x: FloatArray, y: FloatArray, stroke: str) -> Markup:
    """A line through points in pixels, interrupted at NaN."""
    known = np.isfinite(x) & np.isfinite(y)
    parts, pen = [], "M"
    for at, is_known in enumerate(known.tolist()):
        if not is_known:
            pen = "M"
            continue
        parts.append(f"{pen}{_short(x[at])} {_short(y[at])}")
        pen = "L"
    style: dict[str, str | float]
    style = {"fill": "none", "stroke": stroke, "stroke_width": 1.0, "stroke_linejoin": "round"}
    return tag("path", d="".join(parts), **style)


def ticks(low: float, high: float) -> list[float]:
    """About four round numbers within the limits."""
    span = high - low
    if not span > 0.0 or not np.isfinite(span):
        return []
    raw = span / 4
    power = 10.0 ** np.floor(np.log10(raw))
    step = power * next(each for each in (1.0, 2.0, 2.5, 5.0, 10.0) if each * power >= raw)
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [float(number * step) for number in range(first, last + 1)]


def in_bins(
    x: FloatArray, y: FloatArray, kept: BoolArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """Average the kept points in `count` equal intervals of x; NaN where an interval has none.

    No more than `count` points are returned unchanged.
    """
    if x.size <= count:
        return x, np.where(kept, y, np.nan)
    edges = np.linspace(x[0], x[-1], count + 1)
    bins = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, count - 1)
    n = np.bincount(bins[kept], minlength=count)
    total = np.bincount(bins[kept], weights=y[kept], minlength=count)
    with np.errstate(invalid="ignore"):
        mean = total / n
    return np.array([0.5 * (a + b) for a, b in pairwise(edges.tolist())]), mean


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
