"""The simulated sky: draws are sound, and the classes differ as real ones do."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import numpy as np
import pytest

from agent.spectra.measure.indices import measure_index
from agent.spectra.measure.velocity import cross_correlate
from agent.spectra.spectrum import FloatArray, Spectrum
from train.simulate.sky import LABELS, bands, carbon, cataclysmic, draw_source, white_dwarf
from train.simulate.sky.balanced_kinds import draw_balanced_kind, subtypes_of
from train.simulate.sky.cool import m_giant
from train.simulate.sky.physics import reddening, vacuum
from train.simulate.sky.profiles import add_head
from train.simulate.source import GRID, Source
from train.simulate.telescope.optics import integrate, pixel_edges

ALL = 40
"""Draws of a class."""

SUBTYPES = {
    "CV": set(cataclysmic.KINDS),
    "CS": set(carbon.KINDS),
    "WD": set(white_dwarf.KINDS),
    "SS": {"MS", "S", "SC"},
    "MG": {"MG early", "MG mid", "MG late", "MG Mira"},
    "O": {"O", "Of", "Oe"},
    "B": {"B V", "B III", "B I", "B He-weak", "B He-strong", "Be"},
    "A": {"A V", "A III", "A I", "Am", "Ap", "BHB", "Ae"},
    "F": {"F dwarf", "F giant"},
    "G": {"G dwarf", "G giant"},
    "K": {"K dwarf", "K giant", "K barium"},
    "M_DWARF": {"M dwarf", "M dwarf active"},
    "L_DWARF": {"L dwarf"},
    "SDB": {"sdB", "sdOB", "sdO", "He-sdO", "sdB+MS"},
    "QSO": {"QSO", "QSO BAL"},
    "GALAXY": {"starforming", "passive"},
    "NEBULA": {"compact nebula", "nebula over A", "nebula over B", "nebula over cool star"},
    "SYMBIOTIC": {"symbiotic"},
    "WR": {"WN", "WC"},
    "YSO": {"CTTS", "WTTS"},
    "ARTEFACT": {"smooth", "twilight"},
}


@cache
def draws(label: str, subtype: str = "", count: int = ALL) -> tuple[Source, ...]:
    """The first draws of a class, or of one of its subtypes."""
    rng = np.random.default_rng([17, LABELS.index(label)])
    found: list[Source] = []
    for _ in range(2000):
        source = draw_source(label, rng)
        if subtype in ("", source.subtype):
            found.append(source)
        if len(found) == count:
            return tuple(found)
    raise AssertionError(f"{label} {subtype!r} came {len(found)} times in 2000 draws")


def measure(source: Source, index: str) -> float:
    """One index of the noiseless spectrum, at rest."""
    return measure_index(Spectrum(wavelength=GRID / (1 + source.z), flux=source.flux), index).number


def median(sources: tuple[Source, ...], index: str) -> float:
    values = [measure(source, index) for source in sources]
    assert np.isfinite(values).mean() > 0.8
    return float(np.nanmedian(values))


@pytest.mark.parametrize("label", LABELS)
def test_draws_are_sound(label: str) -> None:
    for source in draws(label):
        assert source.label == label and source.subtype
        assert source.flux.shape == GRID.shape
        assert np.isfinite(source.flux).all() and source.flux.min() >= 0 < np.median(source.flux)
        assert abs(source.velocity_kms) < 1200 and 0 <= source.z < 5
        assert source.z == 0 or source.velocity_kms == 0
        assert json.loads(json.dumps(source.parameters, allow_nan=False)) == source.parameters
    fluxes = {source.flux.tobytes() for source in draws(label)}
    assert len(fluxes) == ALL


@pytest.mark.parametrize("label", LABELS)
def test_same_seed_is_same_source(label: str) -> None:
    one, two, other = (draw_source(label, np.random.default_rng(seed)) for seed in (5, 5, 6))
    np.testing.assert_array_equal(one.flux, two.flux)
    for field in ("subtype", "velocity_kms", "z", "parameters"):
        assert getattr(one, field) == getattr(two, field)
    assert not np.array_equal(one.flux, other.flux)


@pytest.mark.parametrize("label", LABELS)
def test_every_subtype_comes(label: str) -> None:
    rng = np.random.default_rng(29)
    missing = set(SUBTYPES[label])
    for _ in range(400):
        missing.discard(draw_source(label, rng).subtype)
        if not missing:
            return
    raise AssertionError(f"{label} never came as {sorted(missing)}")


def test_drawn_evenly_every_kind_comes_as_often() -> None:
    assert set(subtypes_of("WD")) == SUBTYPES["WD"]
    rng = np.random.default_rng(2)
    seen = Counter(draw_balanced_kind("WD", rng).subtype for _ in range(270))
    # Thirty of each are expected, where the sky has 135 DA and seven DO.
    assert set(seen) == SUBTYPES["WD"] and 12 <= min(seen.values()) <= max(seen.values()) <= 55


def test_a_class_of_one_kind_is_drawn_as_it_is() -> None:
    one, other = (np.random.default_rng(4) for _ in range(2))
    one.integers(1)
    drawn, plain = draw_balanced_kind("L_DWARF", other), draw_source("L_DWARF", one)
    assert subtypes_of("L_DWARF") == ("L dwarf",) and np.array_equal(drawn.flux, plain.flux)


def test_titanium_oxide_deepens_from_early_to_late_giants() -> None:
    early, mid, late = (
        median(draws("MG", subtype, 12), "TiO5") for subtype in ("MG early", "MG mid", "MG late")
    )
    assert early > mid + 0.05 > mid > late + 0.1


def test_giant_is_as_deep_as_asked(rng: np.random.Generator) -> None:
    medians = []
    for level in (0.25, 0.35, 0.45, 0.65):
        measured = []
        for _ in range(8):
            flux, said, _ = m_giant(rng, level)
            assert said == level
            measured.append(measure(Source("MG", "test", flux), "TiO5"))
        medians.append(float(np.median(measured)))
    assert medians == sorted(medians)
    assert medians[1:] == pytest.approx([0.35, 0.45, 0.65], abs=0.08)


def test_hydrides_are_of_dwarfs() -> None:
    """CaH ratios are lower where the band is deeper."""
    for index in ("CaH1", "CaH2"):
        assert median(draws("MG"), index) > median(draws("M_DWARF"), index) + 0.05


def test_swan_bands_are_of_carbon_stars() -> None:
    """The flux jumps up redward of a violet-shaded head, and falls from one shaded red."""
    edges = [measure(source, "C2_5165_edge") for source in draws("CS")]
    assert np.mean(np.array(edges) > 0) > 0.9
    assert median(draws("MG"), "C2_5165_edge") < -0.1
    assert median(draws("K"), "C2_5165_edge") < 0


def test_zirconium_oxide_is_of_s_stars() -> None:
    assert median(draws("SS"), "ZrO_6474") < median(draws("MG"), "ZrO_6474") - 0.05
    assert median(draws("SS"), "ZrO_6345_edge") > median(draws("MG"), "ZrO_6345_edge") + 0.05


def test_white_dwarfs_have_the_widest_hydrogen_lines() -> None:
    da, a, b = (
        median(draws(label, kind, 25), "H_beta_D2")
        for label, kind in (("WD", "DA"), ("A", "A V"), ("B", "B V"))
    )
    assert da > 1.3 * a > a > 1.3 * b
    strengths = [
        median(draws(label, kind), "EW_H_beta")
        for label, kind in (("A", "A V"), ("B", "B V"), ("O", ""))
    ]
    assert strengths[0] > strengths[1] + 3 > strengths[1] > strengths[2] > 1
    assert measure(draws("WD", "DC", 3)[0], "EW_H_beta") == pytest.approx(0, abs=1.5)


def test_helium_follows_temperature() -> None:
    assert median(draws("B", "B V"), "EW_HeI_4471") > 0.3
    cool_a = tuple(s for s in draws("A", "A V") if float(s.parameters["kelvin"]) < 8500)
    assert len(cool_a) > 5 and median(cool_a, "EW_HeI_4471") < 0.15
    assert median(draws("O"), "EW_HeII_4542") > 0.25
    assert abs(median(draws("B", "B V"), "EW_HeII_4542")) < 0.15


def test_cataclysmic_variables_emit() -> None:
    quiet, polar = draws("CV", "quiescent", 15), draws("CV", "polar", 15)
    assert all(measure(source, "EW_H_alpha") < -5 for source in quiet)
    ratios = [
        np.median([measure(s, "EW_HeII_4686") / measure(s, "EW_H_beta") for s in some])
        for some in (quiet, polar)
    ]
    assert ratios[1] > 2 * ratios[0] and ratios[1] > 0.2
    helium = draws("CV", "AM CVn", 6)
    assert median(helium, "EW_H_beta") > -1 and median(helium, "EW_HeI_5876") < -2


def test_active_dwarfs_emit_and_others_do_not() -> None:
    """Seen beside the line: bands at its sides make the equivalent width negative in all."""
    line = np.abs(GRID - 6564.6) < 2
    beside = (GRID > 6568) & (GRID < 6573)
    active, quiet = (
        [s.flux[line].mean() / s.flux[beside].mean() for s in draws("M_DWARF", subtype, 12)]
        for subtype in ("M dwarf active", "M dwarf")
    )
    assert np.percentile(active, 20) > 1.4 > 1.25 > np.percentile(quiet, 90)


def test_l_dwarfs_trade_oxides_for_the_wings_of_potassium() -> None:
    def level(source: Source, low: float, high: float) -> float:
        return float(source.flux[slice(*np.searchsorted(GRID, (low, high)))].mean())

    early, late = (
        [s for s in draws("L_DWARF") if low <= float(s.parameters["subtype"]) < high]
        for low, high in ((0, 2), (6, 8.1))
    )
    assert min(len(early), len(late)) > 4
    for source in (*early, *late):
        assert level(source, 7640, 7720) < 0.35 * level(source, 8120, 8160)
        assert level(source, 9000, 9200) > 4 * level(source, 7000, 7400)
    wings = [
        np.median([level(s, 7760, 7790) / level(s, 8120, 8160) for s in some])
        for some in (early, late)
    ]
    assert wings[1] < 0.6 * wings[0]
    assert median(tuple(early), "TiO5") < 0.5 < 0.85 < median(tuple(late), "TiO5")


def height(flux: FloatArray, centre: float) -> float:
    """Flux within 1500 km/s over that between 12000 and 20000 km/s, both sides."""
    speed = 299_792.458 * np.log(GRID / centre)
    sides = (np.abs(speed) > 12000) & (np.abs(speed) < 20000)
    return float(flux[np.abs(speed) < 1500].mean() / flux[sides].mean())


@pytest.mark.parametrize("rest", [2798.75, 4862.69, 1908.73])
def test_quasar_lines_are_at_one_plus_z(rest: float) -> None:
    heights, elsewhere = [], []
    for source in draws("QSO", count=120):
        centre = rest * (1 + source.z)
        if 4000 < centre < 9000:
            heights.append(height(source.flux, centre))
            elsewhere.append(height(source.flux, centre * 1.09))
    assert len(heights) >= 8
    assert np.median(heights) > 1.1 > np.median(elsewhere)


def line_flux(source: Source, rest: float) -> float:
    """Above a straight continuum, at rest, per angstrom."""
    wavelength = GRID / (1 + source.z)
    near = np.abs(wavelength - rest) < 12
    sides = ~near & (np.abs(wavelength - rest) < 20)
    base = np.polyval(np.polyfit(wavelength[sides], source.flux[sides], 1), wavelength[near])
    return float(np.trapezoid(source.flux[near] - base, wavelength[near]))


def test_oxygen_doublet_has_the_ratio_of_its_transitions() -> None:
    """Both lines leave one level: 2.98 (Storey and Zeippen 2000) whatever the gas is like."""
    galaxies = [s for s in draws("GALAXY", "starforming") if float(s.parameters["ew_alpha"]) > 60]
    ratios = [line_flux(s, 5008.24) / line_flux(s, 4960.29) for s in galaxies]
    assert len(ratios) >= 8
    assert np.median(ratios) == pytest.approx(2.98, rel=0.1)


def test_dust_dims_and_reddens() -> None:
    little, more = reddening(0.1), reddening(0.6)
    assert (more < little).all() and (little < 1).all()
    measured = GRID < 9091.0  # the curve of O'Donnell (1994) was measured to here
    assert (np.diff(more[measured]) > 0).all()
    assert little * reddening(0.5) == pytest.approx(more)
    at_v = float(np.interp(5494.0, GRID, more))
    assert -2.5 * np.log10(at_v) == pytest.approx(3.1 * 0.6, rel=0.01)
    assert (reddening(0.0) == 1).all()


@pytest.mark.parametrize(("shaded", "sign"), [("red", 1), ("violet", -1)])
def test_bands_are_sharp_on_the_right_side(shaded: str, sign: int) -> None:
    head = 6000.0
    tau = np.zeros(GRID.size)
    add_head(tau, head, 1.0, 60.0, shaded)
    dark, clear, tail = (
        float(np.interp(head + sign * offset, GRID, tau)) for offset in (6, -6, 60)
    )
    assert dark > 0.85 and clear < 0.01 and tail == pytest.approx(np.exp(-1), abs=0.02)


@pytest.mark.parametrize(
    ("kind", "molecule", "air"),
    [("giant", "TiO", 7054.5), ("dwarf", "TiO", 7054.5), ("carbon", "C2", 5165.2)],
)
def test_measured_bands_have_their_edges_where_the_heads_are(
    kind: str, molecule: str, air: float
) -> None:
    head = float(vacuum(air))
    tau = bands.anchors(kind)[-1].tau[molecule]
    blueward, redward = (float(np.interp(head + step, GRID, tau)) for step in (-6, 6))
    assert (redward - blueward) * (1 if molecule == "TiO" else -1) > 0.2


@pytest.mark.parametrize("label", ["CS", "K", "MG"])
def test_receding_source_is_shifted_to_the_red(label: str) -> None:
    source = draws(label)[0]
    wavelength = np.arange(4200.0, 8800.0, 1.2)
    at_rest, moving = (
        Spectrum(
            wavelength=wavelength, flux=integrate(source.flux, pixel_edges(wavelength), velocity)
        )
        for velocity in (0.0, 300.0)
    )
    found = cross_correlate(moving, at_rest).number
    assert found == pytest.approx(300.0, abs=12.0)
