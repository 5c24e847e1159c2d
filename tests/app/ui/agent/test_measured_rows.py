"""Measurements of a look as table rows, from valid and invalid records."""

from __future__ import annotations

from app.ui.agent.measured_rows import measured_rows, measurement_notes, window_text
from tests.app.ui.agent.trajectories import MEASURED_THERE


def test_known_lines_have_their_names():
    (row,) = measured_rows(MEASURED_THERE)
    assert row.cells == ("Hα", "6565.1", "−30.1 ± 1.1", "1200", "40")
    assert window_text(MEASURED_THERE) == "S/N 16.7 · 198 px · 6 bad · λ observed, vacuum"
    assert measurement_notes(MEASURED_THERE) == ("Contaminated by: O₂ B",)


def test_the_strongest_feature_is_listed_if_it_is_no_known_line():
    bump = MEASURED_THERE["feature"] | {"centroid": 6700.0, "ew": 2.345, "ew_error": 0.5}
    first, second = measured_rows(MEASURED_THERE | {"feature": bump})
    assert first.cells == ("Hα?", "6700.0", "2.35 ± 0.50", "1210", "41")
    assert second.name == "Hα"
    (alone,) = measured_rows({"feature": {"centroid": 5000.0, "kind": "emission"}})
    assert alone.cells == ("emission", "5000.0", "", "", "")


def test_a_band_head_has_the_name_on_the_plot():
    edges = [{"name": "C2_4382_edge", "drop": 0.2}, {"name": "their_own_edge", "drop": 0.1}]
    assert measurement_notes({"edges": edges}) == (
        "Band heads, drop: C₂ 4383 20 %, their_own_edge 10 %",
    )


def test_band_heads_and_the_reason_for_no_measurement():
    measured = {"edges": [{"name": "TiO 7054", "drop": 0.23}], "reason": "outside the spectrum"}
    assert measurement_notes(measured) == (
        "Band heads, drop: TiO 7054 23 %",
        "Not measured: outside the spectrum",
    )


def test_values_of_wrong_types_are_skipped():
    odd = {
        "snr": "high",
        "n_pixels": True,
        "n_bad": float("nan"),
        "lines": [None, 3, {"centroid": "x"}, {"centroid": 5e300}, {"name": 7, "centroid": 5000}],
        "feature": ["centroid"],
        "edges": {"name": 1},
        "unsafe": 5,
        "reason": {},
    }
    assert [row.cells for row in measured_rows(odd)] == [("", "5000.0", "", "", "")]
    assert window_text(odd) == "" and measurement_notes(odd) == ()
    assert measured_rows({}) == () and window_text({}) == ""


def test_a_line_in_the_noise_and_other_numbers_are_listed():
    measured = {
        "lines": [{"name": "HeI_6678", "kind": "", "ew": 0.09, "ew_error": 0.14}],
        "values": [
            {"name": "TiO5", "value": -0.75321, "error": 0.0123},
            {"name": "Hβ width", "value": 24.0, "unit": "Å"},
            {"name": 3, "value": 1.0},
            {"name": "x", "value": "1"},
        ],
    }
    (row,) = measured_rows(measured)
    assert row.cells == ("He I 6678", "", "0.09 ± 0.14", "", "")
    assert measurement_notes(measured) == ("TiO5 −0.753 ± 0.012 · Hβ width 24 Å",)


def test_a_broad_feature_is_not_listed_beside_its_own_line():
    lines = [{"name": "H_beta", "centroid": 4861.9, "ew": -113.0, "fwhm_kms": 1700.0}]
    feature = {"centroid": 4866.0, "ew": -86.1, "fwhm_kms": 1700.0, "kind": "emission"}
    (row,) = measured_rows({"lines": lines, "feature": feature})
    assert row.name == "Hβ" and row.ew == "−113.0"
