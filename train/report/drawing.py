"""Figures of the report, as SVG text: no window, no global state."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import expected_calibration_error, reliability_curve

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#777777"
LINES = (BLUE, ORANGE, GREEN, "#cc79a7", "#56b4e9", "#e69f00")
"""Told apart by eyes that see few colours; each line has its own dashes too."""
DASHES = ("-", "--", "-.", ":")
WIDE, HIGH = 3.1, 2.2
COLUMNS = 3
SMOOTHED_FROM = 30
"""Points, past which a running mean is drawn over them."""

Series = Mapping[str, Sequence[tuple[float, float]]]


def small_multiples(
    panels: Mapping[str, Series], x_label: str, shares: Collection[str] = ()
) -> str:
    """One panel a figure, a line each run; panels named in `shares` go from 0 to 1."""
    rows = -(-len(panels) // COLUMNS)
    columns = min(COLUMNS, len(panels))
    fullest = max(panels, key=lambda title: len(panels[title]))
    names = list(dict.fromkeys(name for series in panels.values() for name in series))
    with _figure(WIDE * columns, HIGH * rows) as (figure, text):
        for number, (title, series) in enumerate(panels.items(), 1):
            axes = figure.add_subplot(rows, columns, number)
            for name, points in series.items():
                _line(axes, points, name, names.index(name))
            if title in shares:
                axes.set_ylim(-0.03, 1.03)
            axes.xaxis.get_major_locator().set_params(integer=True, nbins=6)
            axes.set_title(title, fontsize=9)
            axes.set_xlabel(x_label, fontsize=8)
            if title == fullest and len(series) > 1:
                axes.legend(fontsize=7, frameon=False)
    return text[0]


def reliability(judges: Mapping[str, JudgedScores]) -> str:
    """Share of real ones against p(YES), with the calibration error of each judge."""
    with _figure(4.2, 4.0) as (figure, text):
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        for place, (name, judged) in enumerate(judges.items()):
            curve = reliability_curve(judged)
            share = np.array([one.share for one in curve])
            low, high = (np.array([getattr(one, end) for one in curve]) for end in ("low", "high"))
            axes.errorbar(
                [one.mean_p for one in curve],
                share,
                yerr=[share - low, high - share],
                color=LINES[place % len(LINES)],
                linestyle=DASHES[place % len(DASHES)],
                marker="o",
                markersize=3,
                capsize=2,
                linewidth=1.2,
                label=f"{name}, ECE {expected_calibration_error(curve):.3f}",
            )
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_aspect("equal")
        axes.set_xlabel("p(YES)", fontsize=9)
        axes.set_ylabel("share that is real", fontsize=9)
        axes.legend(fontsize=7, frameon=False, loc="upper left")
    return text[0]


def cumulative(
    samples: Mapping[str, Sequence[float]], x_label: str, span: tuple[float, float]
) -> str:
    """Share at or below each value, a line each sample, from end to end of `span`."""
    low, high = span
    with _figure(4.2, 3.0) as (figure, text):
        axes = figure.add_subplot()
        for place, (name, values) in enumerate(samples.items()):
            ranked = np.sort(np.asarray(values, dtype=np.float64))
            shares = np.arange(ranked.size + 1) / ranked.size
            axes.step(
                [low, *ranked, high],
                [*shares, 1.0],
                where="post",
                color=LINES[place % len(LINES)],
                linestyle=DASHES[place % len(DASHES)],
                linewidth=1.3,
                label=f"{name} (n = {ranked.size})",
            )
        edge = 0.02 * (high - low)
        axes.set_xlim(low - edge, high + edge)
        axes.set_xlabel(x_label, fontsize=9)
        axes.set_ylabel("share at or below", fontsize=9)
        axes.set_ylim(-0.02, 1.02)
        axes.legend(fontsize=7, frameon=False)
    return text[0]


def heat_map(names: Sequence[str], values: Sequence[Sequence[float | None]]) -> str:
    """A square of values from -1 to 1, each written in its cell."""
    size = max(2.6, 0.75 * len(names) + 1.4)
    table = np.array([[np.nan if cell is None else cell for cell in row] for row in values])
    with _figure(size + 1.2, size) as (figure, text):
        axes = figure.add_subplot()
        shown = axes.imshow(table, vmin=-1.0, vmax=1.0, cmap="RdBu")
        bar = figure.colorbar(shown, ax=axes, shrink=0.8, ticks=(-1, -0.5, 0, 0.5, 1))
        bar.outline.set_visible(False)
        axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=8)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        for row, column in np.ndindex(table.shape):
            value = table[row, column]
            axes.text(
                column,
                row,
                "-" if np.isnan(value) else f"{value:.2f}",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if abs(value) > 0.6 else "black",
            )
    return text[0]


def _line(axes: Any, points: Sequence[tuple[float, float]], name: str, place: int) -> None:
    """Many points are drawn faintly, with their running mean over them."""
    x, y = (np.array(column) for column in zip(*points, strict=True))
    colour, dashes = LINES[place % len(LINES)], DASHES[place % len(DASHES)]
    if len(y) < SMOOTHED_FROM:
        axes.plot(x, y, color=colour, linestyle=dashes, linewidth=1.2, marker="o", markersize=3,
                  label=name)  # fmt: skip
        return
    axes.plot(x, y, color=colour, alpha=0.3, linewidth=1.0)
    kernel = np.ones(max(5, len(y) // 15))
    smooth = np.convolve(y, kernel, "same") / np.convolve(np.ones_like(y), kernel, "same")
    axes.plot(x, smooth, color=colour, linestyle=dashes, linewidth=1.5, label=name)


@contextmanager
def _figure(width: float, height: float) -> Iterator[tuple[Any, list[str]]]:
    """A figure to draw in; the SVG is in the list afterwards. The same numbers, the same bytes."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    text: list[str] = []
    yield figure, text
    for axes in figure.axes:
        axes.tick_params(labelsize=7)
        axes.spines[["top", "right"]].set_visible(False)
    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "spec-o3", "svg.fonttype": "none"}):
        FigureCanvasSVG(figure).print_svg(out, metadata={"Date": None})
    svg = out.getvalue()
    text.append(svg[svg.index("<svg") :])
