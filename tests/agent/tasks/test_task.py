"""Evidence as numbers and words, and what a task finds by id."""

from __future__ import annotations

from itertools import pairwise

import pytest

from agent.tasks.catalogue import Evidence, find_task


def claim(**changes: object) -> Evidence:
    values: dict[str, object] = {
        "id": "x",
        "label": "Hα",
        "rank": "primary",
        "kind": "line",
        "target": ("H_alpha",),
        "expect": "emission",
        "threshold": 4.0,
        "scale": 2.0,
        "weight_for": 3.0,
        "weight_against": -2.0,
        "window": "halpha",
        "min_snr": 3.0,
        "text_found": "{label} {value:.0f} at {sigma:.1f} sigma",
        "text_absent": "{label} {value:+.1f}, S/N {snr:.0f}",
    }
    return Evidence(**{**values, **changes})  # type: ignore[arg-type]


def test_log_odds_run_from_against_to_for() -> None:
    emission = claim()
    assert emission.log_odds(-100) == pytest.approx(3.0)
    assert emission.log_odds(+50) == pytest.approx(-2.0)
    assert emission.log_odds(-4.0) == pytest.approx(0.5)  # on the threshold: half way
    assert emission.log_odds(-6.0) == pytest.approx(-2 + 5 * 0.8808, abs=1e-3)
    steps = [emission.log_odds(value) for value in (10, 0, -4, -8, -40)]
    assert all(low < high for low, high in pairwise(steps))


def test_an_uncertain_value_weighs_less_and_an_unmeasured_one_nothing() -> None:
    emission = claim()
    assert abs(emission.log_odds(-8, error=20) - 0.5) < abs(emission.log_odds(-8) - 0.5)
    assert emission.log_odds(float("nan")) == 0.0
    assert emission.log_odds(-8, error=float("inf")) == 0.0


@pytest.mark.parametrize(
    ("expect", "combine", "expected"),
    [
        ("emission", "any", -9.0),
        ("emission", "all", 2.0),
        ("absorption", "any", 2.0),
        ("absorption", "all", -9.0),
        ("below", "any", -9.0),
        ("above", "mean", -3.5),
        ("above", "sum", -7.0),
    ],
)
def test_values_of_several_targets_become_one(expect: str, combine: str, expected: float) -> None:
    entry = claim(expect=expect, combine=combine, kind="index")
    assert entry.combined([2.0, -9.0]) == expected


def test_a_ratio_divides_and_survives_zero() -> None:
    ratio = claim(kind="ratio", expect="above", target=("HeII_4686", "H_beta"))
    assert ratio.combined([-4.0, -10.0]) == pytest.approx(0.4)
    assert ratio.log_odds(ratio.combined([-4.0, 0.0])) == 0.0


def test_claims_speak_with_their_numbers() -> None:
    assert claim().text(-42.3, error=2.0) == "Hα 42 at 21.1 sigma"
    assert claim().text(1.25, snr=17.0) == "Hα -1.2, S/N 17"
    assert claim().text(-42.3) == "Hα 42 at unknown sigma"


def test_windows_and_evidence_are_found_by_id() -> None:
    cv = find_task("CV")
    assert cv.window("halpha").range[0] < 6564.6 < cv.window("halpha").range[1]
    assert "halpha_emission" in {entry.id for entry in cv.evidence_in("halpha")}
