"""Figures hold the numbers they are of, in their titles and in their geometry."""

from __future__ import annotations

import numpy as np
import pytest

from agent.confidence.abstention import Abstention
from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import reliability_curve
from agent.confidence.scores import Estimate
from app.core.report.charts import (
    HISTOGRAM_BINS,
    WIDE,
    counts_bar,
    cut_histogram,
    drift_curve,
    interval_bar,
    kappa_axis,
    reliability_diagram,
)
from app.core.report.drawing import ACCEPT, OPEN, REJECT, UNSURE
from app.core.statistics.drift import VerdictBlock
from app.core.statistics.summary import Counts
from tests.app.core.report.reading import Page

NOTHING = Estimate(None, float("nan"), float("nan"))


def boxes(drawn, colour):
    """(x, y, width, height) of what is filled so."""
    found, page = [], Page(drawn)
    rects = [i for i, (tag, name, _) in enumerate(page.attributes) if (tag, name) == ("rect", "x")]
    for at in rects:
        values = {name: value for _, name, value in page.attributes[at : at + 5]}
        if values["fill"] == colour and float(values["height"]) > 0:
            found.append(tuple(float(values[key]) for key in ("x", "y", "width", "height")))
    return found


def counts(**more):
    none = dict.fromkeys(
        ("candidates", "accepted", "rejected", "unsure", "disputed", "unreadable", "inspected"), 0
    )
    return Counts(**(none | more))


def test_the_bar_of_counts():
    drawn = counts_bar(counts(candidates=1000, accepted=50, rejected=140, unsure=10))
    (accepted,), (rejected,), (unsure,) = (boxes(drawn, each) for each in (ACCEPT, REJECT, UNSURE))
    assert accepted[2] == pytest.approx(WIDE / 4, abs=1.1)
    assert rejected[2] == pytest.approx(WIDE * 0.7, abs=1.1)
    assert unsure[2] == pytest.approx(WIDE * 0.05, abs=1.1)
    (left,) = boxes(drawn, OPEN)
    assert left[2] == pytest.approx(WIDE * 0.8, abs=1.1)
    (title,) = Page(drawn).text_of("title")
    assert title.startswith("Of 1,000 candidates: 200 judged, 800 open, 50 ACCEPT, 140 REJECT")
    assert "140" in Page(drawn).text_of("text")


def test_a_bar_of_nothing():
    assert Page(counts_bar(counts())).text_of("text").count("none") == 2


def test_intervals_of_kappa():
    drawn = interval_bar(Estimate(0.5, -0.6, 1.0))
    assert Page(drawn).text_of("title") == ["kappa 0.50 (-0.60 to 1.00)"]
    ends = {float(v) for t, n, v in Page(drawn).attributes if t == "line" and n in ("x1", "x2")}
    assert (min(ends), max(ends)) == (6.0, 174.0)
    assert interval_bar(NOTHING) is None
    assert Page(kappa_axis()).text_of("text") == ["0", "0.5", "1"]


def test_a_reliability_diagram(rng):
    judged = JudgedScores(rng.random(300), rng.random(300) < 0.5)
    curve = reliability_curve(judged, 10)
    page = Page(reliability_diagram(curve, None))
    assert page.tags.count("circle") == len(curve)
    assert f"{curve[0].positives} of {curve[0].n} real" in page.text_of("title")[0]
    both = Page(reliability_diagram(curve, curve[:3]))
    assert both.tags.count("circle") == len(curve) + 3
    assert str(curve[4].n) in page.text_of("text")


def test_a_histogram_of_p_yes(rng):
    judged = JudgedScores(
        [0.01] * 90 + [0.02] * 10 + [0.99] * 25, [False] * 90 + [True] * 10 + [True] * 25
    )
    drawn = cut_histogram(judged, np.full(7, 0.5), Abstention(0.97, 0.03))
    (first, last), (false,), (rest,) = (boxes(drawn, each) for each in (ACCEPT, REJECT, UNSURE))
    assert first[3] + false[3] == pytest.approx(76.0, abs=0.1)
    assert first[3] == pytest.approx(7.6, abs=0.1)  # a tenth of them are real
    assert last[3] == pytest.approx(38.0, abs=0.1)  # a quarter as many: half as high
    assert rest[2] == pytest.approx(684.0 / HISTOGRAM_BINS - 1.5, abs=0.1)
    texts = Page(drawn).text_of("text")
    assert {"accept from 0.97", "set aside below 0.03", "100", "7"} <= set(texts)


@pytest.mark.parametrize("at", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_words_of_cuts_stay_inside(at):
    drawn = cut_histogram(JudgedScores([0.5], [True]), np.array([0.5]), Abstention(at, at))
    found, page = [], Page(drawn)
    for tag, name, value in page.attributes:
        if tag == "text" and name == "x":
            found.append(float(value))
        if tag == "text" and name == "text-anchor" and value == "start":
            assert found[-1] + 120.0 < WIDE + 20.0
        if tag == "text" and name == "text-anchor" and value == "end":
            assert found[-1] > 30.0


def test_a_histogram_of_nothing():
    empty = JudgedScores([], [])
    drawn = cut_histogram(empty, np.array([]), Abstention(None, None))
    assert boxes(drawn, ACCEPT) == boxes(drawn, UNSURE) == []


def test_a_curve_of_drift():
    def block(share, p_yes):
        found = Estimate(share, 0.1, 0.9) if share is not None else NOTHING
        return VerdictBlock(
            n=25, since="", until="", accepted=found, unsure=NOTHING,
            with_people=NOTHING, with_agent=NOTHING, p_yes=p_yes,
        )  # fmt: skip

    page = Page(drift_curve([block(0.5, 0.4), block(None, None), block(0.3, 0.2)], "Ada <b>"))
    assert page.text_of("title") == [
        "Share accepted by Ada <b>, block by block: 50\u00a0%, -, 30\u00a0%"
    ]
    assert page.tags.count("circle") == 2
