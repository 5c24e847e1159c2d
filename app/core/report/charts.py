"""The figures about a whole session."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from agent.confidence.abstention import Abstention
from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import Bin
from agent.confidence.scores import Estimate
from app.core.report.drawing import (
    ACCEPT,
    AGENT,
    FAINT,
    INK,
    OPEN,
    REJECT,
    RULE,
    SOFT,
    UNSURE,
    Floats,
    LinearScale,
    box,
    curve,
    figure,
    line,
    whisker,
    words,
)
from app.core.report.markup import Markup, join, tag
from app.core.statistics.drift import VerdictBlock
from app.core.statistics.number_format import rough_percent, with_interval
from app.core.statistics.summary import Counts

DISPUTED = INK
WIDE = 740.0
LEAST_LABELLED = 26.0
"""Pixels a part of a bar must have for its number to stand in it."""
LOWEST_KAPPA = -0.2
HISTOGRAM_BINS = 20


def counts_bar(counts: Counts) -> Markup:
    """What is done of all, and below it what was decided."""
    done = [("judged", counts.judged, INK), ("open", counts.open, OPEN)]
    decided = [
        ("ACCEPT", counts.accepted, ACCEPT),
        ("REJECT", counts.rejected, REJECT),
        ("UNSURE", counts.unsure, UNSURE),
        ("people differ", counts.disputed, DISPUTED),
    ]
    told = ", ".join(f"{number:,} {name}" for name, number, _ in (*done, *decided))
    return figure(
        f"Of {counts.candidates:,} candidates: {told}",
        WIDE,
        112.0,
        words("all candidates", 0, 12, class_="soft"),
        _stacked(done, 18.0),
        words("judged", 0, 68, class_="soft"),
        _stacked(decided, 74.0),
        class_="wide",
    )


def _stacked(parts: Sequence[tuple[str, int, str]], y: float) -> Markup:
    total = sum(number for _, number, _ in parts)
    if not total:
        return join([box(0, y, WIDE, 22, FAINT), words("none", 8, y + 15.5, class_="soft")])
    drawn, x = [], 0.0
    for _, number, colour in parts:
        width = WIDE * number / total
        drawn.append(box(x, y, max(width - 1.0, 0.4) if number else 0.0, 22.0, colour))
        if width >= LEAST_LABELLED + 7.0 * len(f"{number:,}"):
            ink = SOFT if colour == OPEN else "#ffffff"
            drawn.append(words(f"{number:,}", x + 8.0, y + 15.5, fill=ink, class_="number"))
        x += width
    return join(drawn)


def interval_bar(found: Estimate, colour: str = INK) -> Markup | None:
    """A kappa on a line from -0.2 to 1, to stand in a row of a table."""
    if found.value is None:
        return None
    x = LinearScale(LOWEST_KAPPA, 1.0, 6.0, 174.0)
    low, value, high = (x(max(each, LOWEST_KAPPA)) for each in (found.low, found.value, found.high))
    marks = [line(x(at), 2, x(at), 18, RULE) for at in (0.0, 0.5, 1.0)]
    return figure(
        f"kappa {with_interval(found)}",
        180.0,
        20.0,
        *marks,
        line(low, 10, high, 10, colour, stroke_width=2),
        tag("circle", cx=value, cy=10, r=4, fill=colour),
    )


def kappa_axis() -> Markup:
    x = LinearScale(LOWEST_KAPPA, 1.0, 6.0, 174.0)
    marks = [words(f"{at:g}", x(at), 11, anchor="middle") for at in (0.0, 0.5)]
    return figure(
        "kappa from -0.2 to 1", 180.0, 14.0, *marks, words("1", x(1.0) + 3, 11, anchor="end")
    )


def reliability_diagram(raw: Sequence[Bin], calibrated: Sequence[Bin] | None) -> Markup:
    """p(YES) against the share found to be real, with 95 % intervals, and how many lie where."""
    x, y = LinearScale(0, 1, 46, 326), LinearScale(0, 1, 292, 12)
    content = [*_square(x, y)]
    content.append(line(x(0), y(0), x(1), y(1), SOFT, stroke_dasharray="4 4"))
    for bins, colour, shift in ((raw, SOFT, -1.5), (calibrated or (), AGENT, 1.5)):
        content += _points(bins, x, y, colour, shift, is_hollow=bins is raw)
    content += _shares(raw, x)
    told = "; ".join(
        f"p(YES) about {one.mean_p:.2f}: {one.positives} of {one.n} real" for one in raw
    )
    return figure(f"Reliability of p(YES). As the model tells it: {told}", 340.0, 372.0, *content)


def _square(x: LinearScale, y: LinearScale) -> list[Markup]:
    drawn = []
    for at in (0.0, 0.25, 0.5, 0.75, 1.0):
        drawn.append(line(x(at), y(0), x(at), y(1), RULE if at in (0.0, 1.0) else FAINT))
        drawn.append(line(x(0), y(at), x(1), y(at), RULE if at in (0.0, 1.0) else FAINT))
        drawn.append(words(f"{at:g}", x(0) - 6, y(at) + 4, anchor="end"))
        drawn.append(words(f"{at:g}", x(at), y(0) + 15, anchor="middle"))
    middle = y(0.5)
    drawn.append(
        tag(
            "text",
            "share found real",
            x=12,
            y=middle,
            text_anchor="middle",
            transform=f"rotate(-90 12 {middle:g})",
            class_="soft",
        )
    )
    return drawn


def _points(
    bins: Sequence[Bin],
    x: LinearScale,
    y: LinearScale,
    colour: str,
    shift: float,
    *,
    is_hollow: bool,
) -> list[Markup]:
    """The more candidates a point rests on, the larger it is."""
    most = max((one.n for one in bins), default=1)
    fill = "#ffffff" if is_hollow else colour
    drawn = []
    for one in bins:
        place, radius = x(one.mean_p) + shift, 2.6 + 3.0 * math.sqrt(one.n / most)
        drawn.append(whisker(place, y(one.low), y(one.high), colour))
        drawn.append(
            tag(
                "circle",
                cx=place,
                cy=y(one.share),
                r=radius,
                fill=fill,
                stroke=colour,
                stroke_width=1.6,
            )
        )
    return drawn


def _shares(bins: Sequence[Bin], x: LinearScale) -> list[Markup]:
    """How many candidates each point of the model's own curve rests on."""
    most = max((one.n for one in bins), default=1)
    floor, tall = 352.0, 30.0
    drawn = [line(x(0), floor, x(1), floor, RULE)]
    for one in bins:
        left, right = x(one.left), x(one.right)
        height = tall * one.n / most
        drawn.append(box(left + 1, floor - height, right - left - 2, height, RULE))
        drawn.append(words(f"{one.n:,}", 0.5 * (left + right), floor + 13, anchor="middle"))
    drawn.append(words("n", 34, floor + 13, anchor="end", class_="soft"))
    return drawn


def cut_histogram(judged: JudgedScores, unjudged: Floats, found: Abstention) -> Markup:
    """Judged candidates upwards by verdict, the others downwards, and the cuts between."""
    x, zero = LinearScale(0, 1, 46, 730), 96.0
    edges = np.linspace(0.0, 1.0, HISTOGRAM_BINS + 1)
    real, other, rest = (
        np.histogram(each, edges)[0]
        for each in (judged.p[judged.label], judged.p[~judged.label], unjudged)
    )
    up, down = max(int((real + other).max()), 1), max(int(rest.max()), 1)
    drawn = []
    for at in range(HISTOGRAM_BINS):
        left, width = x(edges[at]) + 0.75, x(edges[at + 1]) - x(edges[at]) - 1.5
        both = real[at] + other[at]
        tall = 76.0 * math.sqrt(both / up)
        foot = tall * real[at] / both if both else 0.0
        drawn.append(box(left, zero - foot, width, foot, ACCEPT))
        drawn.append(box(left, zero - tall, width, tall - foot, REJECT))
        drawn.append(box(left, zero + 1, width, 50.0 * math.sqrt(rest[at] / down), UNSURE))
    drawn.append(line(x(0), zero + 0.5, x(1), zero + 0.5, SOFT))
    below = zero + (70.0 if unjudged.size else 18.0)
    drawn += [words(f"{p:g}", x(p), below, anchor="middle") for p in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)]
    drawn += _scale_ends(up, down if unjudged.size else None, zero)
    drawn += _cuts(found, x)
    title = (
        f"p(YES) of {len(judged):,} judged candidates, {judged.positives:,} of them real, and of "
        f"{unjudged.size:,} not judged"
    )
    return figure(title, WIDE, below + 6.0, *drawn, class_="wide")


def _scale_ends(up: int, down: int | None, zero: float) -> list[Markup]:
    ends = [(up, zero - 70), (0, zero + 4)] + ([] if down is None else [(down, zero + 54)])
    return [words(f"{number:,}", 40, y, anchor="end") for number, y in ends]


def _cuts(found: Abstention, x: LinearScale) -> list[Markup]:
    drawn = []
    for at, told, side in (
        (found.accept_from, "accept from {:.3g}", 1.0),
        (found.reject_below, "set aside below {:.3g}", -1.0),
    ):
        if at is None:
            continue
        place = x(at)
        # towards the middle where the edge of the figure is near
        outward = 110.0 < place + side * 110.0 < WIDE
        anchor = "start" if (side > 0) == outward else "end"
        gap = 5.0 if anchor == "start" else -5.0
        drawn.append(line(place, 4, place, 148, AGENT, stroke_width=1.6, stroke_dasharray="5 3"))
        drawn.append(words(told.format(at), place + gap, 13, anchor=anchor, fill=AGENT))
    return drawn


def drift_curve(blocks: Sequence[VerdictBlock], reviewer: str) -> Markup:
    """The share accepted block by block, and the agent's mean p(YES) beside it."""
    x, y = LinearScale(0, max(len(blocks) - 1, 1), 44, 320), LinearScale(0, 1, 84, 10)
    drawn = [line(44, y(at), 320, y(at), FAINT if at else RULE) for at in (0.0, 0.5, 1.0)]
    drawn += [words(rough_percent(at), 38, y(at) + 4, anchor="end") for at in (0.0, 0.5, 1.0)]
    at = np.array([x(number) for number in range(len(blocks))])
    agent = np.array([np.nan if b.p_yes is None else y(b.p_yes) for b in blocks])
    share = np.array([np.nan if b.accepted.value is None else y(b.accepted.value) for b in blocks])
    drawn.append(curve(at, agent, AGENT, 1.4, stroke_dasharray="4 3"))
    drawn.append(curve(at, share, ACCEPT, 1.4))
    for place, block in zip(at.tolist(), blocks, strict=True):
        if block.accepted.value is not None:
            drawn.append(whisker(place, y(block.accepted.low), y(block.accepted.high), ACCEPT))
            drawn.append(tag("circle", cx=place, cy=y(block.accepted.value), r=3, fill=ACCEPT))
    drawn.append(words("first", 44, 100))
    drawn.append(words("latest", 320, 100, anchor="end"))
    told = ", ".join(
        "-" if b.accepted.value is None else rough_percent(b.accepted.value) for b in blocks
    )
    return figure(f"Share accepted by {reviewer}, block by block: {told}", 332.0, 104.0, *drawn)
