"""Charts of both reports as SVG text: of a session (`spec-o3 report`) and of training runs.

Drawn with matplotlib without pyplot or a window. The same numbers give the same bytes.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from agent.confidence.reliability import Bin
from agent.confidence.scores import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#777777"
LINES = (BLUE, ORANGE, GREEN, "#cc79a7", "#56b4e9", "#e69f00")
# Colours that colour-blind readers can tell apart; each line has its own dashes as well.
DASHES = ("-", "--", "-.", ":")
RULE, SOFT = "#d5dae0", "#59616b"
PANEL_INCHES = (3.1, 2.2)
COLUMNS = 3
SMOOTHED_FROM = 30  # points, from which on a running mean is drawn over them
MEDIUM, SMALL, TINY = 9, 8, 7  # font sizes in points
METADATA = ("Date", "Creator", "Format", "Type")

Series = Mapping[str, Sequence[tuple[float, float]]]


class BarPart(NamedTuple):
    """One part of a stacked bar."""

    name: str
    number: int
    colour: str
    text_colour: str = "white"


class CutLine(NamedTuple):
    """A threshold of p(YES); its label stands to its right or left."""

    at: float
    label: str
    to_the_right: bool


def small_multiples(
    panels: Mapping[str, Series], x_label: str, shares: Collection[str] = ()
) -> str:
    """One panel for each figure with one line for each run; panels in `shares` go from 0 to 1."""
    from matplotlib.ticker import MaxNLocator

    rows = -(-len(panels) // COLUMNS)
    columns = min(COLUMNS, len(panels))
    fullest = max(panels, key=lambda title: len(panels[title]))
    names = list(dict.fromkeys(name for series in panels.values() for name in series))
    figure = _figure(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows)
    for number, (title, series) in enumerate(panels.items(), 1):
        axes = figure.add_subplot(rows, columns, number)
        for name, points in series.items():
            _series(axes, points, name, names.index(name))
        if title in shares:
            axes.set_ylim(-0.03, 1.03)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        axes.set_title(title, fontsize=MEDIUM)
        axes.set_xlabel(x_label, fontsize=SMALL)
        if title == fullest and len(series) > 1:
            axes.legend(fontsize=TINY, frameon=False)
    return _svg(figure)


def reliability(
    curves: Mapping[str, Sequence[Bin]],
    *,
    colours: Sequence[str] = LINES,
    counts: Sequence[Bin] = (),
    title: str = "",
) -> str:
    """The fraction that is real against p(YES), with 95 % intervals, for each named curve.

    `counts` adds a bar for each of its bins with the number of candidates in it.
    """
    figure = _figure(4.2, 4.7 if counts else 4.0)
    heights = (8, 1) if counts else (1,)
    axes, *below = figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=(0, (4, 4)))
    for index, (name, curve) in enumerate(curves.items()):
        fraction = np.array([one.share for one in curve])
        low, high = (np.array([getattr(one, end) for one in curve]) for end in ("low", "high"))
        drawn = axes.errorbar(
            [one.mean_p for one in curve], fraction, yerr=[fraction - low, high - fraction],
            color=colours[index % len(colours)], linestyle=DASHES[index % len(DASHES)], marker="o",
            markersize=3, capsize=2, linewidth=1.2, label=name,
        )  # fmt: skip
        drawn.lines[0].set_gid(f"curve {name}")
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    axes.set_xlabel("predicted p(YES)", fontsize=MEDIUM)
    axes.set_ylabel("fraction that is real", fontsize=MEDIUM)
    axes.legend(fontsize=TINY, frameon=False, loc="upper left")
    for bars in below:
        _bin_counts(bars, counts)
    return _svg(figure, title)


def cumulative(
    samples: Mapping[str, Sequence[float]], x_label: str, span: tuple[float, float]
) -> str:
    """The fraction at or below each value, one line for each sample."""
    low, high = span
    figure = _figure(4.2, 3.0)
    axes = figure.add_subplot()
    for index, (name, values) in enumerate(samples.items()):
        ranked = np.sort(np.asarray(values, dtype=np.float64))
        fractions = np.arange(ranked.size + 1) / ranked.size
        axes.step(
            [low, *ranked, high], [*fractions, 1.0], where="post", color=LINES[index % len(LINES)],
            linestyle=DASHES[index % len(DASHES)], linewidth=1.3,
            label=f"{name} (n = {ranked.size})",
        )  # fmt: skip
    edge = 0.02 * (high - low)
    axes.set_xlim(low - edge, high + edge)
    axes.set_xlabel(x_label, fontsize=MEDIUM)
    axes.set_ylabel("fraction at or below", fontsize=MEDIUM)
    axes.set_ylim(-0.02, 1.02)
    axes.legend(fontsize=TINY, frameon=False)
    return _svg(figure)


def score_histogram(counts: Mapping[str, Sequence[int]], x_label: str) -> str:
    """The share of each score from 0 up, a bar beside the other for each name."""
    figure = _figure(4.2, 3.0)
    axes = figure.add_subplot()
    width = 0.8 / len(counts)
    for index, (name, numbers) in enumerate(counts.items()):
        total = sum(numbers)
        places = np.arange(len(numbers)) - 0.4 + (index + 0.5) * width
        bars = axes.bar(places, [number / total for number in numbers], width,
                        color=LINES[index % len(LINES)], label=f"{name} (n = {total})")  # fmt: skip
        for score, bar in enumerate(bars):
            bar.set_gid(f"{name} {score}")
    axes.set_xlabel(x_label, fontsize=MEDIUM)
    axes.set_ylabel("fraction", fontsize=MEDIUM)
    axes.legend(fontsize=TINY, frameon=False)
    return _svg(figure)


def heat_map(names: Sequence[str], values: Sequence[Sequence[float | None]]) -> str:
    """A square matrix of values from -1 to 1, each written in its cell."""
    size = max(2.6, 0.75 * len(names) + 1.4)
    table = np.array([[np.nan if cell is None else cell for cell in row] for row in values])
    figure = _figure(size + 1.2, size)
    axes = figure.add_subplot()
    image = axes.imshow(table, vmin=-1.0, vmax=1.0, cmap="RdBu")
    bar = figure.colorbar(image, ax=axes, shrink=0.8, ticks=(-1, -0.5, 0, 0.5, 1))
    bar.outline.set_visible(False)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=SMALL)
    axes.set_yticks(range(len(names)), names, fontsize=SMALL)
    for row, column in np.ndindex(table.shape):
        value = table[row, column]
        axes.text(
            column, row, "-" if np.isnan(value) else f"{value:.2f}", ha="center", va="center",
            fontsize=SMALL, color="white" if abs(value) > 0.6 else "black",
        )  # fmt: skip
    return _svg(figure)


def stacked_bars(bars: Mapping[str, Sequence[BarPart]], title: str) -> str:
    """One horizontal bar over the full width for each name, each part as long as its number."""
    figure = _figure(7.7, 0.58 * len(bars))
    all_axes = figure.subplots(len(bars), 1, squeeze=False)[:, 0]
    for axes, (name, parts) in zip(all_axes, bars.items(), strict=True):
        axes.set_title(name, fontsize=SMALL, loc="left", pad=2)
        axes.set_axis_off()
        total = sum(part.number for part in parts)
        axes.set_xlim(0, max(total, 1))
        left = 0
        for part in parts:
            patch = axes.barh(
                0, part.number, left=left, color=part.colour, edgecolor="white", linewidth=0.8
            )
            patch[0].set_gid(f"bar {part.name}")
            if part.number > 0.05 * total:
                middle = left + 0.5 * part.number
                axes.text(middle, 0, f"{part.number:,}", color=part.text_colour, fontsize=SMALL,
                          ha="center", va="center")  # fmt: skip
            left += part.number
        if not total:
            axes.text(0, 0, "none", fontsize=SMALL, va="center")
    return _svg(figure, title)


def interval_bar(found: Estimate, span: tuple[float, float], colour: str, title: str) -> str | None:
    """A value with its interval on a short horizontal axis, for a row of a table."""
    if found.value is None:
        return None
    figure, axes = _short_axis(span, 0.24)
    for at in (0.0, 0.5, 1.0):
        axes.axvline(at, color=RULE, linewidth=0.8)
    low, value, high = (max(each, span[0]) for each in (found.low, found.value, found.high))
    axes.plot([low, high], [0, 0], color=colour, linewidth=1.5, gid="interval")
    axes.plot([value], [0], color=colour, marker="o", markersize=5)
    return _svg(figure, title)


def interval_axis(span: tuple[float, float], title: str) -> str:
    """The numbers above a column of interval bars."""
    figure, axes = _short_axis(span, 0.17)
    for at in (0.0, 0.5, 1.0):
        axes.text(at, 0, f"{at:g}", fontsize=SMALL, ha="right" if at == 1.0 else "center",
                  va="center")  # fmt: skip
    return _svg(figure, title)


def histogram_with_cuts(
    up: Mapping[str, Sequence[float]],
    down: Sequence[float],
    colours: Mapping[str, str],
    cuts: Sequence[CutLine],
    *,
    bins: int,
    title: str,
) -> str:
    """Samples of p(YES) stacked upwards, one more downwards, and the thresholds between them.

    Heights grow as the square root of the count, so that a few candidates can still be seen.
    """
    edges = np.linspace(0.0, 1.0, bins + 1)
    counted = {name: np.histogram(values, edges)[0] for name, values in up.items()}
    total = np.sum(list(counted.values()), axis=0)
    below = np.histogram(down, edges)[0]
    figure = _figure(7.7, 1.9 if below.any() else 1.5)
    axes = figure.add_subplot()
    heights = np.sqrt(total / max(int(total.max()), 1))
    bottom = np.zeros(bins)
    for name, counts in counted.items():
        fraction = np.divide(counts, total, out=np.zeros(bins), where=total > 0)
        _bars(axes, edges, heights * fraction, bottom, colours[name], name)
        bottom += heights * fraction
    depths = -np.sqrt(below / max(int(below.max()), 1)) * 0.65
    _bars(axes, edges, depths, np.zeros(bins), colours["below"], "below")
    axes.axhline(0.0, color=SOFT, linewidth=0.8)
    for cut in cuts:
        axes.axvline(cut.at, color=colours["cuts"], linewidth=1.2, linestyle=(0, (5, 3)))
        # Towards the middle where the edge of the chart is near.
        outward = 0.1 < cut.at + (0.15 if cut.to_the_right else -0.15) < 1.0
        starts = cut.to_the_right == outward
        axes.text(cut.at + (0.007 if starts else -0.007), 1.12, cut.label, fontsize=SMALL,
                  ha="left" if starts else "right", va="center", color=colours["cuts"])  # fmt: skip
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(-0.7 if below.any() else -0.02, 1.2)
    marks = {1.0: int(total.max()), 0.0: 0} | ({-0.65: int(below.max())} if below.any() else {})
    axes.set_yticks(list(marks), [f"{count:,}" for count in marks.values()])
    axes.spines[["left", "bottom"]].set_visible(False)
    return _svg(figure, title)


def shares_over_time(
    shares: Sequence[Estimate], beside: Sequence[float | None], colours: tuple[str, str], title: str
) -> str:
    """A fraction with its interval for each block in turn, and a second line beside it."""
    figure = _figure(3.45, 1.25)
    axes = figure.add_subplot()
    x = np.arange(len(shares))
    value = np.array([np.nan if one.value is None else one.value for one in shares])
    low, high = (np.array([getattr(one, end) for one in shares]) for end in ("low", "high"))
    second = np.array([np.nan if each is None else each for each in beside])
    axes.plot(x, second, color=colours[1], linewidth=1.1, linestyle=(0, (4, 3)))
    known = np.isfinite(value)
    axes.plot(x, value, color=colours[0], linewidth=1.1)
    drawn = axes.errorbar(
        x[known], value[known], yerr=[(value - low)[known], (high - value)[known]],
        color=colours[0], linestyle="none", marker="o", markersize=4, capsize=2.5, linewidth=0.8,
    )  # fmt: skip
    drawn.lines[0].set_gid("shares")
    axes.set_ylim(-0.02, 1.02)
    axes.set_yticks((0.0, 0.5, 1.0), ("0 %", "50 %", "100 %"))
    axes.set_xlim(-0.3, max(len(shares) - 1, 1) + 0.3)
    axes.set_xticks((0, max(len(shares) - 1, 1)), ("first", "latest"))
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    return _svg(figure, title)


def _series(axes: Axes, points: Sequence[tuple[float, float]], name: str, index: int) -> None:
    """Many points are drawn faintly, with their running mean over them."""
    x, y = (np.array(column) for column in zip(*points, strict=True))
    colour, dashes = LINES[index % len(LINES)], DASHES[index % len(DASHES)]
    if len(y) < SMOOTHED_FROM:
        axes.plot(x, y, color=colour, linestyle=dashes, linewidth=1.2, marker="o", markersize=3,
                  label=name)  # fmt: skip
        return
    axes.plot(x, y, color=colour, alpha=0.3, linewidth=1.0)
    kernel = np.ones(max(5, len(y) // 15))
    smooth = np.convolve(y, kernel, "same") / np.convolve(np.ones_like(y), kernel, "same")
    axes.plot(x, smooth, color=colour, linestyle=dashes, linewidth=1.5, label=name)


def _bin_counts(axes: Axes, bins: Sequence[Bin]) -> None:
    for one in bins:
        axes.bar(one.left, one.n, one.right - one.left, align="edge", color=RULE, edgecolor="white")
        middle = 0.5 * (one.left + one.right)
        axes.text(middle, one.n, f"{one.n:,}", fontsize=TINY, ha="center", va="bottom")
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks(())
    axes.set_yticks(())
    axes.set_ylabel("n", fontsize=SMALL)
    axes.spines["left"].set_visible(False)


def _bars(axes: Axes, edges: Any, heights: Any, bottom: Any, colour: str, name: str) -> None:
    width = 0.9 * (edges[1] - edges[0])
    middles = 0.5 * (edges[:-1] + edges[1:])
    for index in np.flatnonzero(heights):
        bar = axes.bar(middles[index], heights[index], width, bottom[index], color=colour)
        bar[0].set_gid(f"{name} {index}")


def _short_axis(span: tuple[float, float], height: float) -> tuple[Figure, Axes]:
    figure = _figure(1.9, height, is_laid_out=False)
    axes = figure.add_axes((0.03, 0.0, 0.94, 1.0))
    axes.set_axis_off()
    axes.set_xlim(*span)
    axes.set_ylim(-1.0, 1.0)
    return figure, axes


def _figure(width: float, height: float, is_laid_out: bool = True) -> Figure:
    from matplotlib.figure import Figure  # half a second to import

    return Figure(figsize=(width, height), layout="constrained" if is_laid_out else None)


def _svg(figure: Figure, title: str = "") -> str:
    """The figure as an SVG element for a page of HTML; `title` is what a screen reader says."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    for axes in figure.axes:
        axes.tick_params(labelsize=TINY)
        axes.spines[["top", "right"]].set_visible(False)
    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "spec-o3", "svg.fonttype": "none"}):
        FigureCanvasSVG(figure).print_svg(out, metadata=dict.fromkeys(METADATA))
    # Within HTML an SVG needs no namespaces, and its style sheet would apply to all of the page.
    unwanted = r'<defs>\s*<style.*?</style>\s*</defs>| xmlns(:xlink)?="[^"]*"'
    svg = re.sub(unwanted, "", out.getvalue(), flags=re.DOTALL)
    svg = svg[svg.index("<svg") :].replace("xlink:href", "href")
    if not title:
        return svg
    label = html.escape(title)
    return svg.replace(">", f' role="img" aria-label="{label}"><title>{label}</title>', 1)
