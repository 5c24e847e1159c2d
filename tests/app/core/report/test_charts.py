"""Charts of a session say their numbers in their titles, for whoever cannot see them."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.confidence.abstention import Abstention
from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import reliability_curve
from agent.confidence.scores import Estimate
from agent.spectra.spectrum import Spectrum
from app.core.report.agent_section import cut_histogram, reliability_diagram
from app.core.report.evidence import KeyLook
from app.core.report.markup import INK, Markup, join, page, quoted, tag
from app.core.report.object_section import (
    LOOK,
    POINTS,
    WHOLE,
    WIDTH,
    curve,
    in_bins,
    thumbnail,
    ticks,
)
from app.core.report.people_section import counts_bar, drift_curve, interval_bar, kappa_axis
from app.core.statistics.drift import VerdictBlock
from app.core.statistics.summary import Counts
from tests.app.core.report.reading import Page

NOTHING = Estimate(None, float("nan"), float("nan"))


def counts(**more):
    none = dict.fromkeys(
        (
            *("candidates", "accepted", "rejected", "unsure", "disputed", "unreadable"),
            *("inspected", "members_disagree"),
        ),
        0,
    )
    return Counts(**(none | more))


def test_the_bar_of_counts_intervals_of_kappa_and_histograms():
    drawn = counts_bar(counts(candidates=1000, accepted=50, rejected=140, unsure=10))
    (title,) = Page(drawn).text_of("title")
    assert title.startswith("Of 1,000 candidates: 200 judged, 800 open, 50 ACCEPT, 140 REJECT")
    assert {"140", "800"} <= set(Page(drawn).text_of("text"))
    assert Page(counts_bar(counts())).text_of("text").count("none") == 2
    drawn = interval_bar(Estimate(0.5, -0.6, 1.0), INK)
    assert Page(drawn).text_of("title") == ["kappa 0.50 (-0.60 to 1.00)"]
    assert interval_bar(NOTHING, INK) is None
    assert Page(kappa_axis()).text_of("text") == ["0", "0.5", "1"]
    judged = JudgedScores([0.01] * 90 + [0.99] * 25, [False] * 90 + [True] * 25)
    page = Page(cut_histogram(judged, np.full(7, 0.5), Abstention(0.97, 0.03)))
    assert {"accept from 0.97", "set aside below 0.03"} <= set(page.text_of("text"))
    found = page.text_of("title")
    assert found == ["p(YES) of 115 judged candidates, 25 of them real, and of 7 not judged"]
    nothing = cut_histogram(JudgedScores([], []), np.array([]), Abstention(None, None))
    assert Page(nothing).text_of("title")[0].startswith("p(YES) of 0 judged")
    assert ticks(3800.0, 9100.0) == [4000.0, 6000.0, 8000.0]
    assert ticks(6450.0, 6750.0) == [6500.0, 6600.0, 6700.0]


def test_a_reliability_diagram(rng):
    curve = reliability_curve(JudgedScores(rng.random(300), rng.random(300) < 0.5), 10)
    page = Page(reliability_diagram(curve, None))
    assert f"{curve[0].positives} of {curve[0].n} real" in page.text_of("title")[0]
    assert str(curve[4].n) in page.text_of("text")
    assert "calibrated (cross-validated)" not in page.text_of("text")
    assert "calibrated (cross-validated)" in Page(reliability_diagram(curve, curve[:3])).text_of(
        "text"
    )


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


# Ticks and curves of the small spectra.
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_inside(low, span):
    found = ticks(low, low + span)
    assert 1 <= len(found) <= 6
    assert all(low - 1e-6 * span <= each <= low + span * (1 + 1e-6) for each in found)
    steps = np.diff(found)
    assert np.allclose(steps, steps[0] if len(steps) else 0.0, rtol=1e-4)


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (2.0, 1.0), (0.0, np.inf), (0.0, np.nan)])
def test_no_ticks_where_there_is_no_range(low, high):
    assert ticks(low, high) == []


def test_curves_break_where_nothing_is_known_and_few_points_stay():
    x = np.arange(5.0)
    drawn = curve(x, np.array([0.0, 1.0, np.nan, 2.04, 3.0]), "#000000")
    assert 'd="M0 0L1 1M3 2L4 3"' in drawn
    assert 'd=""' in curve(x, np.full(5, np.nan), "#000000")
    x, y = np.arange(5.0), np.arange(5.0)
    at, same = in_bins(x, y, np.array([True, False, True, True, True]), 10)
    assert at is x
    assert np.isnan(same[1]) and same[4] == 4.0


def test_means_over_good_pixels(rng):
    x, y = np.linspace(4000.0, 9000.0, 4001), rng.normal(size=4001)
    good = rng.random(4001) > 0.1
    good[(x > 6000) & (x < 6200)] = False
    at, mean = in_bins(x, y, good, 100)
    assert at.size == mean.size == 100 and at[0] == pytest.approx(4025.0)
    members = (x >= 4000.0) & (x < 4050.0) & good
    assert mean[0] == pytest.approx(y[members].mean())
    assert np.isnan(mean[(at > 6050) & (at < 6150)]).all() and np.isnan(mean).sum() <= 4


# No text becomes markup, whatever is in it.
ANY = st.text(max_size=60)


def whole(text):
    """As the page holds it: replaced control characters, no break before a %."""
    kept = "".join(
        "�"
        if (each < " " and each not in "\n\t")
        or "\x7f" <= each < "\xa0"
        or "\ud800" <= each < "\ue000"
        else each
        for each in text
    )
    return kept.replace(" %", "\u00a0%")


@given(ANY, ANY)
def test_text_and_attributes_come_back_as_text(text, value):
    parsed = Page(tag("p", text, title=value))
    assert parsed.tags == ["p"] and parsed.text() == whole(text)
    assert parsed.attributes == [("p", "title", whole(value))]


@pytest.mark.parametrize("text", [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</bdi></p></style><script>",
    "&lt;b&gt; &amp; &#x3c;", "<!-- --!> ]]> <svg onload=1>", "' onmouseover='x",
])  # fmt: skip
def test_what_would_be_markup_is_text(text):
    parsed = Page(tag("div", quoted(text), tag("title", text), x=text, class_=text))
    assert parsed.tags == ["div", "bdi", "title"] and parsed.text_of("bdi") == [text]
    assert [name for _, name, _ in parsed.attributes] == ["x", "class"]


def test_markup_attributes_and_long_words():
    inner = tag("b", "x < y")
    assert tag("p", inner, " & ", None) == "<p><b>x &lt; y</b> &amp; </p>"
    assert join([inner, "<"], " · ") == "<b>x &lt; y</b> · &lt;"
    assert not isinstance("a" + inner, Markup)
    assert tag("p", "a" + inner) == "<p>a&lt;b&gt;x &amp;lt; y&lt;/b&gt;</p>"
    assert tag("br") == "<br/>"
    found = tag("line", x1=1.23456, y1=-0.001, stroke_width=2.0, class_="a", title=None)
    assert found == '<line x1="1.23" y1="0" stroke-width="2" class="a"/>'
    assert tag("circle", cx=float("nan"), r=1e300) == '<circle cx="0" r="0"/>'
    assert quoted("x" * 100, 10) == "<bdi>xxxxxxxx …</bdi>"
    assert quoted("x" * 10, 10) == "<bdi>xxxxxxxxxx</bdi>"


def test_a_page():
    parsed = Page(page("en", "title", "", "hello"))
    assert parsed.tags == ["html", "head", "meta", "meta", "meta", "title", "style", "body"]
    assert parsed.attributes[0] == ("html", "lang", "en")


# Small spectra: drawn from good pixels, inside their panel, with the key look where it belongs.
LOOK_AT = KeyLook(label="Hα <b>", range=(6500.0, 6600.0))


def spectrum(rng, n=4000, **more):
    wavelength = np.linspace(3800.0, 9200.0, n)
    flux = 10.0 + rng.normal(size=n) + 30.0 * np.exp(-0.5 * ((wavelength - 6563.0) / 8.0) ** 2)
    return Spectrum(**{"wavelength": wavelength, "flux": flux, "object_id": "J1 <i>"} | more)


def paths(drawn):
    """The points of each curve."""
    found = [value for _, name, value in Page(drawn).attributes if name == "d"]
    return [np.array(re.findall(r"[-\d.]+", each), dtype=float).reshape(-1, 2) for each in found]


def test_the_whole_and_the_look(rng):
    drawn = thumbnail(spectrum(rng), LOOK_AT)
    whole, look = paths(drawn)
    assert len(whole) <= POINTS
    for points, (top, floor) in ((whole, WHOLE), (look, LOOK)):
        assert points[:, 0].min() >= 0.0 and points[:, 0].max() <= WIDTH
        assert points[:, 1].min() >= top and points[:, 1].max() <= floor
    peak = look[np.argmin(look[:, 1]), 0] / WIDTH
    assert 6500.0 + 100.0 * peak == pytest.approx(6563.0, abs=3.0)
    title = Page(drawn).text_of("title")[0]
    assert title.startswith("Spectrum of J1 <i>, 3800 to 9200 angstrom; below, Hα <b> at 6500 to")


def test_lines_are_seen_bad_pixels_and_gaps_are_not_drawn(rng):
    (whole,) = paths(thumbnail(spectrum(rng), None))
    top = whole[np.argmin(whole[:, 1]), 0] / WIDTH
    assert 3800.0 + 5400.0 * top == pytest.approx(6563.0, abs=15.0)
    whole = spectrum(rng)
    flux = np.where((whole.wavelength > 5000) & (whole.wavelength < 6000), np.nan, whole.flux)
    (points,) = paths(thumbnail(spectrum(rng, flux=flux), None))
    x = 3800.0 + 5400.0 * points[:, 0] / WIDTH
    assert not np.any((x > 5030) & (x < 5970))
    for step in (10.0, 1.0):
        wavelength = np.concatenate([np.arange(4000, 5000, step), np.arange(6175, 7000, step)])
        drawn = thumbnail(Spectrum(wavelength=wavelength, flux=np.arange(wavelength.size)), None)
        (curve,) = (value for _, name, value in Page(drawn).attributes if name == "d")
        assert curve.count("M") == 2
    assert len(paths(thumbnail(spectrum(rng, n=6), None))[0]) == 6
    assert "no good pixels" in thumbnail(spectrum(rng, flux=np.full(4000, np.nan)), LOOK_AT)


@pytest.mark.parametrize("window", [(1000.0, 1100.0), (6500.0, 6500.5), (9190.0, 12000.0)])
def test_a_look_where_nothing_is(rng, window):
    drawn = thumbnail(spectrum(rng), KeyLook(label="x", range=window))
    assert len(paths(drawn)) == (2 if window[1] > 12_000 - 1 else 1)


@pytest.mark.parametrize("flux", [np.zeros(4000), np.full(4000, 1e300), np.full(4000, -3.0)])
def test_level_spectra(rng, flux):
    (points,) = paths(thumbnail(spectrum(rng, flux=flux), None))
    assert np.ptp(points[:, 1]) < 1.0 and WHOLE[0] <= points[0, 1] <= WHOLE[1]
