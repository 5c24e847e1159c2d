"""Charts hold the numbers they were given, in their words and in their geometry."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import reliability_curve
from agent.confidence.scores import Estimate
from agent.rendering.charts import (
    BarPart,
    CutLine,
    cumulative,
    heat_map,
    histogram_with_cuts,
    interval_axis,
    interval_bar,
    reliability,
    score_histogram,
    shares_over_time,
    small_multiples,
    stacked_bars,
)

NOTHING = Estimate(None, float("nan"), float("nan"))
COLOURS = {"real": "#111111", "other": "#222222", "below": "#333333", "cuts": "#444444"}


def words(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter() if each.text]


def box(svg: str, gid: str) -> tuple[float, float]:
    """Width and height of what was drawn under that name."""
    for group in ElementTree.fromstring(svg).iter():
        if group.get("id") == gid:
            path = next(each.get("d", "") for each in group.iter() if each.get("d"))
            points = np.array(re.findall(r"-?[\d.]+", path), dtype=float).reshape(-1, 2)
            return tuple(np.ptp(points, axis=0))
    return (0.0, 0.0)


def points(svg: str, gid: str) -> int:
    """How many points the curve of that name has."""
    (group,) = (each for each in ElementTree.fromstring(svg).iter() if each.get("id") == gid)
    return sum(each.tag.endswith("use") for each in group.iter())


def curve_of(n=300):
    rng = np.random.default_rng(3)
    return reliability_curve(JudgedScores(rng.random(n), rng.random(n) < 0.5), 10)


def test_panels_are_named_with_steps_and_shares_on_their_scales():
    svg = small_multiples({"reward": {"a": [(0, 1), (1, 2)], "b": [(0, 0)]}}, "step")
    assert {"reward", "step", "a", "b"} <= set(words(svg))
    found = words(small_multiples({"reward": {"a": [(1, 0.2), (3, 0.5)]}}, "step"))
    assert {"1", "2", "3"} <= set(found)
    assert "1.5" not in found
    panels = {"share": {"a": [(1, 0.51), (2, 0.52)]}}
    assert not {"0.0", "1.0"} <= set(words(small_multiples(panels, "step")))
    assert {"0.0", "1.0"} <= set(words(small_multiples(panels, "step", {"share"})))


def test_reliability_names_its_curves_counts_candidates_and_is_the_same_every_time():
    curve = curve_of()
    svg = reliability({"raw": curve, "calibrated": curve[:3]}, counts=curve, title="A <b> & c")
    assert {"raw", "calibrated", "n", str(curve[4].n)} <= set(words(svg))
    assert svg.startswith("<svg") and "A &lt;b&gt; &amp; c</title>" in svg
    assert points(svg, "curve raw") == len(curve)
    assert points(svg, "curve calibrated") == 3
    assert str(curve[4].n) not in words(reliability({"raw": curve}))
    assert reliability({"raw": curve_of()}) == reliability({"raw": curve_of()})


def test_heat_maps_and_cumulative_counts_write_their_values():
    assert {"1.00", "-0.25", "-"} <= set(words(heat_map(["a", "b"], [[1.0, -0.25], [-0.25, None]])))
    found = words(cumulative({"x": [1, 2, 2]}, "score", (0, 5)))
    assert "x (n = 3)" in found
    assert {"0", "5", "score"} <= set(found), "the whole scale is shown"


def test_parts_of_a_bar_are_as_long_as_their_numbers():
    parts = [BarPart("a", 50, "#1f5f99"), BarPart("b", 140, "#b5521b"), BarPart("c", 10, "#666d75")]
    svg = stacked_bars({"all": [BarPart("done", 200, "#000000")], "judged": parts}, "t")
    whole = box(svg, "bar done")[0]
    assert box(svg, "bar a")[0] == pytest.approx(whole / 4, rel=0.01)
    assert box(svg, "bar b")[0] == pytest.approx(whole * 0.7, rel=0.01)
    assert box(svg, "bar c")[0] == pytest.approx(whole * 0.05, rel=0.01)
    assert {"all", "judged", "140"} <= set(words(svg))
    parts = [BarPart("done", 200, "#000000"), BarPart("open", 800, "#eeeeee")]
    svg = stacked_bars({"all": parts}, "t")
    assert box(svg, "bar open")[0] == pytest.approx(4 * box(svg, "bar done")[0], rel=0.01)
    assert words(stacked_bars({"all": [], "judged": []}, "t")).count("none") == 2


def test_an_interval_is_cut_at_the_end_of_its_axis():
    whole = box(interval_bar(Estimate(1.0, -0.2, 1.0), (-0.2, 1.0), "#000000", "t"), "interval")
    cut = box(interval_bar(Estimate(0.5, -0.6, 1.0), (-0.2, 1.0), "#000000", "t"), "interval")
    assert cut[0] == whole[0] > 100.0
    assert interval_bar(NOTHING, (-0.2, 1.0), "#000000", "t") is None
    assert {"0", "0.5", "1"} <= set(words(interval_axis((-0.2, 1.0), "t")))


def test_heights_of_a_histogram_grow_as_square_roots():
    up = {"real": [0.02] * 10 + [0.99] * 25, "other": [0.01] * 90}
    cuts = [CutLine(0.97, "accept from 0.97", True)]
    svg = histogram_with_cuts(up, [0.5] * 7, COLOURS, cuts, bins=20, title="t")
    real, other, last = (box(svg, name)[1] for name in ("real 0", "other 0", "real 19"))
    assert real == pytest.approx(0.1 * (real + other), rel=0.01)  # a tenth of them are real
    assert last == pytest.approx(0.5 * (real + other), rel=0.01)  # a quarter as many
    assert box(svg, "below 10")[0] == pytest.approx(box(svg, "real 0")[0], rel=0.01)
    assert box(svg, "below 10")[1] == pytest.approx(0.65 * (real + other), rel=0.01)
    assert {"accept from 0.97", "100", "7"} <= set(words(svg))


@pytest.mark.parametrize("at", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("to_the_right", [True, False])
def test_labels_of_cuts_stay_inside(at, to_the_right):
    up, cuts = {"real": [0.5], "other": []}, [CutLine(at, "a label here", to_the_right)]
    svg = histogram_with_cuts(up, [0.5], COLOURS, cuts, bins=20, title="t")
    label = next(each for each in ElementTree.fromstring(svg).iter() if each.text == "a label here")
    x = float(label.get("x"))
    room = 55.0  # points; the chart is 554 wide
    starts = "text-anchor: end" not in label.get("style", "")
    assert (x + room < 560.0) if starts else (x - room > 0.0)


def test_a_histogram_of_nothing():
    svg = histogram_with_cuts({"real": [], "other": []}, [], COLOURS, [], bins=20, title="t")
    assert box(svg, "real 0") == box(svg, "below 0") == (0.0, 0.0)


def test_shares_over_time_leave_out_what_is_not_known():
    shares = [Estimate(0.5, 0.1, 0.9), NOTHING, Estimate(0.3, 0.1, 0.9)]
    svg = shares_over_time(shares, [0.4, None, 0.2], ("#1f5f99", "#6b3fa0"), "Ada <b>")
    assert {"Ada <b>", "first", "latest", "50 %"} <= set(words(svg))
    assert points(svg, "shares") == 2


def test_bars_of_scores_are_shares_side_by_side():
    svg = score_histogram({"a": (0, 1, 3), "b": (5, 0, 5)}, "score")
    heights = {(name, n): box(svg, f"{name} {n}")[1] for name in "ab" for n in range(3)}
    assert heights["a", 0] == heights["b", 1] == 0
    assert heights["a", 2] == pytest.approx(3 * heights["a", 1], rel=0.02)
    assert heights["b", 0] == pytest.approx(2 * heights["a", 1], rel=0.02)
    assert "a (n = 4)" in words(svg) and "b (n = 10)" in words(svg)
