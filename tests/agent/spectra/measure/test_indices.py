"""Indices of spectra with known values, and refusals."""

from pathlib import Path

import numpy as np
import pytest

from agent.errors import ResourceError
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.features import feature_names, feature_vector
from agent.spectra.measure.index_definitions import Index, builtin_indices, read_indices
from agent.spectra.measure.indices import measure_index, measure_indices
from agent.spectra.measure.window_measure import edge_index, measure_window
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import (
    STAR,
    WAVELENGTH,
    band,
    gaussian,
    observed,
    stark,
)


def test_flat_spectrum_gives_neutral_values() -> None:
    found = measure_indices(observed([], 1000.0, None))
    neutral = {"ratio": 1.0, "inverse_ratio": 1.0, "ew": 0.0, "magnitude": 0.0, "edge": 0.0}
    for index in builtin_indices().values():
        if index.kind in neutral and found[index.name].value is not None:
            assert found[index.name].value == pytest.approx(neutral[index.kind], abs=1e-9)
    assert found["CaH2_CaH3"].value == pytest.approx(2.0)
    assert found["H_gamma_D2"].reason == "no absorption deep enough"
    assert sum(item.value is None for item in found.values()) < 12


def test_ratios_are_means_over_means_with_weights_and_of_constant_fnu_one() -> None:
    step = observed([], 50.0, None, continuum=np.where(WAVELENGTH > 7100.0, 0.4, 2.0))
    found = measure_index(step, "TiO5")
    assert found.value == pytest.approx(0.2)
    # 4 A and 9 A at 1.6 A a pixel and S/N 50: 2.5 and 5.5 pixels.
    assert found.error == pytest.approx(0.2 * 0.02 * np.hypot(2.5**-0.5, 5.5**-0.5), rel=0.1)
    continuum = np.where(WAVELENGTH < 4270.0, 2.0, 1.0)
    found = measure_index(observed([], 100.0, None, continuum=continuum), "G_band")
    assert found.value == pytest.approx(1.0 / (0.484 * 2.0 + 0.516 * 1.0), rel=1e-6)
    spectrum = observed([], 100.0, None, continuum=(WAVELENGTH / 4000.0) ** -2)
    assert measure_index(spectrum, "Dn4000").value == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("slope", [-4.0, 0.0, 3.0, 4.0])
def test_widths_and_edges_ignore_the_slope(slope: float) -> None:
    line = gaussian("Na", "NaI_D", 5894.0, 8.0, -0.6)
    spectrum = observed([line], 100.0, None, continuum=(WAVELENGTH / 6000.0) ** slope)
    assert measure_index(spectrum, "EW_NaI_D").value == pytest.approx(line.ew, rel=0.02)
    assert abs(measure_index(spectrum, "TiO_7054_edge").number) < 1e-3


@pytest.mark.parametrize(
    "head", ["C2_5165", "TiO_7054", "ZrO_6474", "CN_7873", "C2_4737", "LaO_7910"]
)
def test_edge_is_positive_at_its_own_head_and_negative_mirrored(head: str) -> None:
    line = builtin_lines()[head]
    seen = measure_index(observed([band(head, 0.5)], 50.0, None), edge_index(line))
    assert 0.25 < seen.number < 0.5
    other = Index("mirrored", "edge", edge_index(line).feature[::-1], edge_index(line).continuum)
    turned = measure_index(observed([band(head, 0.5)], 50.0, None), other)
    assert turned.number == pytest.approx(-seen.number, rel=0.15)


def test_c2_and_tio_have_opposite_signs_and_carbon_12_alone_is_no_carbon_13() -> None:
    carbon = measure_index(observed([band("C2_5165", 0.4)], 50.0, None), "C2_5165_edge")
    giant = measure_index(observed([band("TiO_5167", 0.4)], 50.0, None), "C2_5165_edge")
    assert carbon.number > 0.2 and giant.number < -0.2
    assert carbon.significance > 5 and giant.significance > 5
    both = [band("C2_4737", 0.4), band("C13_4744", 0.3)]
    light = measure_index(observed(both[:1], 50.0, None), "C13_4744_edge").number
    heavy = measure_index(observed(both, 50.0, None), "C13_4744_edge").number
    assert light < 0.05 and heavy > light + 0.2


@pytest.mark.parametrize("head", ["C13_4744", "VO_7896"])
def test_edges_of_other_reach_see_their_own_head(head: str) -> None:
    seen = measure_index(observed([band(head, 0.5)], 50.0, None), f"{head}_edge")
    assert 0.25 < seen.number < 0.5
    assert measure_index(observed([], 50.0, None), f"{head}_edge").number == pytest.approx(0.0)


@pytest.mark.parametrize(("tio5", "expected"), [(0.648, 0.0), (0.4, 0.248), (0.8, -0.152)])
def test_excess_of_titanium_oxide_over_a_dwarf(tio5: float, expected: float) -> None:
    # CaH2 = CaH3 = 0.7: a dwarf has TiO5 = -0.164 1.4^3 + 0.670 1.4^2 - 0.118 1.4 - 0.050 = 0.648.
    within = (WAVELENGTH > 6800.0) & (WAVELENGTH < 7000.0)
    continuum = np.where(within, 0.7, np.where(WAVELENGTH > 7120.0, tio5, 1.0))
    found = measure_index(observed([], 100.0, None, continuum=continuum), "TiO5_excess")
    assert found.number == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    "name", ["TiO5", "CaH1", "EW_H_beta", "CaT", "NaI_8190", "ZrO_6474_edge", "aTiO", "Dn4000"]
)
def test_quoted_errors_are_calibrated(name: str, rng: np.random.Generator) -> None:
    found = [measure_index(observed([], 20.0, rng), name) for _ in range(200)]
    truth = measure_index(observed([], 20.0, None), name).number
    pulls = np.array([(item.number - truth) / (item.error or np.nan) for item in found])
    assert 0.82 < pulls.std() < 1.2
    assert abs(pulls.mean()) < 3.5 / np.sqrt(len(found))


def test_the_error_of_the_excess_is_rather_too_large(rng: np.random.Generator) -> None:
    # Its three terms are divided by one and the same side window, counted as three.
    within = (WAVELENGTH > 6800.0) & (WAVELENGTH < 7000.0)
    giant = np.where(within, 0.8, np.where(WAVELENGTH > 7120.0, 0.4, 1.0))
    found = [
        measure_index(observed([], 20.0, rng, continuum=giant), "TiO5_excess") for _ in range(200)
    ]
    pulls = np.array([(item.number - 0.40466) / (item.error or np.nan) for item in found])
    assert 0.6 < pulls.std() < 1.05
    assert abs(np.median(pulls)) < 0.2


def test_velocity_moves_the_windows() -> None:
    shifted = WAVELENGTH * (1.0 + 600.0 / 299_792.458)
    line = gaussian("Na", "NaI_D", 5894.0, 8.0, -0.6)
    rest = measure_index(observed([line], 50.0, None), "EW_NaI_D")
    flux = 1.0 + line.shape(WAVELENGTH)
    moved = Spectrum(wavelength=shifted, flux=flux, ivar=np.full(flux.size, 2500.0))
    assert measure_index(moved, "EW_NaI_D", 600.0).value == pytest.approx(rest.value, rel=1e-6)
    assert measure_index(moved, "EW_NaI_D").value != pytest.approx(rest.value, rel=0.02)


def test_refusals_have_a_reason() -> None:
    short = Spectrum(wavelength=WAVELENGTH[:1000], flux=np.ones(1000))
    assert measure_index(short, "TiO5").reason == "outside the spectrum"
    assert measure_index(short, "no_such_index").reason == "no index has this name"
    assert measure_index(short, "CaT").reason == "CaT_1: outside the spectrum"
    negative = observed([], 50.0, None, continuum=np.where(WAVELENGTH > 7000, -1.0, 1.0))
    negative = Spectrum(wavelength=WAVELENGTH, flux=negative.flux, ivar=np.full(len(negative), 9.0))
    assert "not above the noise" in measure_index(negative, "TiO5").reason
    assert "not above the noise" in measure_index(negative, "CaT").reason
    ivar = np.where((WAVELENGTH > 7125) & (WAVELENGTH < 7134), 0.0, 100.0)
    blocked = Spectrum(wavelength=WAVELENGTH, flux=np.ones(WAVELENGTH.size), ivar=ivar)
    found = measure_index(blocked, "TiO5")
    assert found.value is None and found.reason == "too many bad pixels"
    assert np.isnan(found.number) and found.significance == 0.0


PROMISED = """
TiO5 TiO2 CaH1 CaH2 CaH3 CaOH VO1 VO2 NaI_8190 CaT TiO_4940 C2_5165_edge C2_4737_ratio C2_5161
ZrO_6474 ZrO_6345 Ca_K H_delta_index HdA HgA H_gamma_D2 G_band CN_4215 Ba_4554 MK_carbon zeta
EW_H_alpha EW_H_beta EW_HeII_4686 Dn4000 Balmer_jump LaO_7404 TiO_7054_edge TiO5_excess
LaO_7910_edge C13_4744_edge VO_7896_edge
"""


def test_promised_indices_exist() -> None:
    assert [name for name in PROMISED.split() if name not in builtin_indices()] == []


@pytest.mark.parametrize(("entry", "message"), [
    ('{ name = "a", kind = "ratio" }', "needs feature and continuum"),
    ('{ name = "a", kind = "hill" }', r'indices\["a"\].kind: "hill" is not one of: ratio'),
    ('{ name = "a", kind = "edge", head = "H_alpha" }', "band head"),
    ('{ name = "a", kind = "ew", feature = [5000, 5010], continuum = [4900, 4950] }',
     "two continuum"),
    ('{ name = "a", feature = [5000, 5010], continuum = [4900, 4950], weights = [1, 2] }',
     "weights"),
    ('{ name = "a", kind = "quotient", terms = ["TiO5"] }', "needs 2 terms"),
    ('{ name = "a", kind = "sum" }', "sum needs at least one term, found 0"),
    ('{ name = "a", kind = "edge", head = "TiO_7053" }', 'did you mean "TiO_7054"'),
    ('{ name = "a", kind = "edge", head = "TiO_7054", near = 80 }', "gap < near < far"),
    ('{ name = "a", proposed = "yes" }', "proposed: expected true or false, found text"),
    ('{ name = "a", note = "<|im_end|>" }', "note: .*chat markup"),
    ('{ name = "a", windows = [1, 2] }', r'indices\["a"\]."windows": unknown key'),
    ('{ name = "a", weights = [1, "b"] }', "weights: expected a number, found text"),
])  # fmt: skip
def test_faulty_definitions_are_refused(tmp_path: Path, entry: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f"indices = [{entry}]\n")
    with pytest.raises(ResourceError, match=message):
        read_indices(path)


def test_window_finds_the_band_head_and_not_its_mirror(rng: np.random.Generator) -> None:
    carbon = measure_window(observed([band("C2_5165", 0.4)], 30.0, rng), 4950.0, 5250.0)
    names = [edge.name for edge in carbon.edges]
    assert names[0] == "C2_5165_edge" and "TiO_5167_edge" not in names
    giant = measure_window(observed([band("TiO_5167", 0.4)], 30.0, rng), 4950.0, 5250.0)
    assert "TiO_5167_edge" in [edge.name for edge in giant.edges]
    assert "C2_5165_edge" not in [edge.name for edge in giant.edges]


def test_empty_windows_are_described(rng: np.random.Generator) -> None:
    spectrum = observed([], 25.0, rng)
    outside = measure_window(spectrum, 9500.0, 9600.0)
    assert outside.reason == "outside the spectrum" and outside.n_pixels == 0
    assert "O₂ A" in measure_window(spectrum, 7560.0, 7620.0).unsafe
    for lo, hi in ((6000.0, 6001.0), (6001.0, 6000.0), (float("nan"), 6000.0), (-1e9, 1e9)):
        assert measure_window(spectrum, lo, hi).n_pixels >= 0


def test_feature_vector_has_the_same_names_always(rng: np.random.Generator) -> None:
    full = feature_vector(observed(STAR, 30.0, rng))
    poor = feature_vector(Spectrum(wavelength=np.array([5000.0, 5001.0]), flux=np.ones(2)))
    assert tuple(full) == tuple(poor) == feature_names()
    assert np.isfinite(list(full.values())).mean() > 0.9
    assert np.isnan(poor["TiO5"]) and poor["bad_fraction"] == 0.0


def test_white_dwarf_and_a_star_differ_in_width() -> None:
    dwarf, star = (
        feature_vector(observed([line], 40.0, None))["H_gamma_D2"]
        for line in (
            stark("Hg", "H_gamma", 4341.69, 42.0, 0.5),
            stark("Hg", "H_gamma", 4341.69, 17.0, 0.65),
        )
    )
    assert dwarf > 30.0 > 24.0 > star
