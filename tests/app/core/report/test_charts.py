"""Charts of a session say their numbers in their titles, for whoever cannot see them."""

from __future__ import annotations

import numpy as np
import pytest

from agent.confidence.abstention import Abstention
from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import reliability_curve
from agent.confidence.scores import Estimate
from app.core.report.charts import (
    counts_bar,
    cut_histogram,
    drift_curve,
    interval_bar,
    kappa_axis,
    reliability_diagram,
)
from app.core.statistics.drift import VerdictBlock
from app.core.statistics.summary import Counts
from tests.app.core.report.reading import Page

NOTHING = Estimate(None, float("nan"), float("nan"))


def counts(**more):
    none = dict.fromkeys(
        ("candidates", "accepted", "rejected", "unsure", "disputed", "unreadable", "inspected"), 0
    )
    return Counts(**(none | more))


def test_the_bar_of_counts():
    drawn = counts_bar(counts(candidates=1000, accepted=50, rejected=140, unsure=10))
    (title,) = Page(drawn).text_of("title")
    assert title.startswith("Of 1,000 candidates: 200 judged, 800 open, 50 ACCEPT, 140 REJECT")
    assert {"140", "800"} <= set(Page(drawn).text_of("text"))
    assert Page(counts_bar(counts())).text_of("text").count("none") == 2


def test_intervals_of_kappa():
    drawn = interval_bar(Estimate(0.5, -0.6, 1.0))
    assert Page(drawn).text_of("title") == ["kappa 0.50 (-0.60 to 1.00)"]
    assert interval_bar(NOTHING) is None
    assert Page(kappa_axis()).text_of("text") == ["0", "0.5", "1"]


def test_a_reliability_diagram(rng):
    curve = reliability_curve(JudgedScores(rng.random(300), rng.random(300) < 0.5), 10)
    page = Page(reliability_diagram(curve, None))
    assert f"{curve[0].positives} of {curve[0].n} real" in page.text_of("title")[0]
    assert str(curve[4].n) in page.text_of("text")
    assert "calibrated (cross-validated)" not in page.text_of("text")
    assert "calibrated (cross-validated)" in Page(reliability_diagram(curve, curve[:3])).text_of(
        "text"
    )


def test_a_histogram_of_p_yes():
    judged = JudgedScores([0.01] * 90 + [0.99] * 25, [False] * 90 + [True] * 25)
    page = Page(cut_histogram(judged, np.full(7, 0.5), Abstention(0.97, 0.03)))
    assert {"accept from 0.97", "set aside below 0.03"} <= set(page.text_of("text"))
    assert page.text_of("title") == [
        "p(YES) of 115 judged candidates, 25 of them real, and of 7 not judged"
    ]
    nothing = cut_histogram(JudgedScores([], []), np.array([]), Abstention(None, None))
    assert Page(nothing).text_of("title")[0].startswith("p(YES) of 0 judged")


@pytest.mark.parametrize("name", ["Ada <b>", "a\x00b\ud800"])
def test_a_curve_of_drift(name):
    def block(share, p_yes):
        found = Estimate(share, 0.1, 0.9) if share is not None else NOTHING
        return VerdictBlock(
            n=25, since="", until="", accepted=found, unsure=NOTHING,
            with_people=NOTHING, with_agent=NOTHING, p_yes=p_yes,
        )  # fmt: skip

    page = Page(drift_curve([block(0.5, 0.4), block(None, None), block(0.3, 0.2)], name))
    shown = name.replace("\x00", "�").replace("\ud800", "�")
    assert page.text_of("title") == [f"Share accepted by {shown}, block by block: 50 %, -, 30 %"]
