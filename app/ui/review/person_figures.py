"""Figures about one person: verdicts and seconds by the hour, and known answers over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pyqtgraph as pg

from app.core.statistics.known_figures import KnownBlock
from app.core.statistics.working_time import HourFigures
from app.ui.review.figures import Figure

BAR = 0.7
MAX_TICKS = 8


def draw_hours(figure: Figure, hours: Sequence[HourFigures]) -> None:
    """Bars of the verdicts in each hour with work, and points for the seconds of one."""
    numbers = list(range(1, len(hours) + 1))
    most = max(each.decisions for each in hours)
    brush = pg.mkBrush(figure.theme.border)
    heights = [each.decisions / most for each in hours]
    figure.add(pg.BarGraphItem(x=numbers, height=heights, width=BAR, brush=brush, pen=None))
    timed = [(n, each.typical_s) for n, each in zip(numbers, hours, strict=True) if each.typical_s]
    slowest = max((seconds for _, seconds in timed), default=1.0)
    figure.line([n for n, _ in timed], [s / slowest for _, s in timed], "accent", width=1.5)
    figure.points([n for n, _ in timed], [s / slowest for _, s in timed], "accent")
    item = figure.getPlotItem()
    step = max(1, -(-len(hours) // MAX_TICKS))
    ticks = [(n, hour_text(hours[n - 1].hour)[-5:]) for n in numbers[::step]]
    item.getAxis("bottom").setTicks([ticks])
    item.getAxis("left").setTicks([[(0.0, "0"), (1.0, f"{most:,}")]])
    item.showAxis("right")
    item.getAxis("right").setTicks([[(0.0, "0 s"), (1.0, f"{slowest:.1f} s")]])
    figure.set_ranges(0.4, len(hours) + 0.6, 0.0, 1.12)


def draw_known_blocks(figure: Figure, blocks: Sequence[KnownBlock]) -> None:
    """The share of known answers that was judged correctly, block by block."""
    for number, each in enumerate(blocks, start=1):
        figure.line([number, number], [each.correct.low, each.correct.high], "accept")
    numbers = [float(number) for number in range(1, len(blocks) + 1)]
    shares = [each.correct.value or 0.0 for each in blocks]
    figure.line(numbers, shares, "accept", width=1.5)
    figure.points(numbers, shares, "accept")
    ticks = [(number, f"{number:.0f}") for number in numbers]
    figure.getPlotItem().getAxis("bottom").setTicks([ticks])
    figure.set_ranges(0.6, len(blocks) + 0.4, -0.02, 1.02)


def hour_text(hour: str) -> str:
    """The hour by the clock of this computer; empty for one from a damaged log."""
    try:
        moment = datetime.fromisoformat(f"{hour}:00").replace(tzinfo=UTC)
    except ValueError:
        return ""
    return moment.astimezone().strftime("%Y-%m-%d %H:00")
