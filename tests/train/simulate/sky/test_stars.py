import json
from collections import Counter

import numpy as np
import pytest

from agent.spectra.spectrum import FloatArray
from tests.train.simulate.sky.helpers import ALL, draws, measure, median
from train.simulate.sky import LABELS, carbon, cataclysmic, draw_source, white_dwarf
from train.simulate.sky.cataclysmic import _absorb_cores
from train.simulate.sky.cool import m_giant
from train.simulate.sky.draw import draw_balanced_kind, subtypes_of
from train.simulate.sky.physics import SIZE, value_at
from train.simulate.sky.wolf_rayet import wolf_rayet
from train.simulate.source import GRID, LIGHT_KMS, Source
from train.simulate.telescope.optics import integrate, pixel_edges


def test_swan_bands_are_of_carbon_stars() -> None:
    """The flux jumps up redward of a violet-shaded head, and falls from one shaded red."""
    edges = [measure(source, "C2_5165_edge") for source in draws("CS")]
    assert np.mean(np.array(edges) > 0) > 0.9
    assert median(draws("MG"), "C2_5165_edge") < -0.1
    assert median(draws("K"), "C2_5165_edge") < 0


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


def test_a_disc_seen_edge_on_absorbs_the_centres_of_its_lines() -> None:
    flux = np.ones(SIZE)
    _absorb_cores(flux, np.random.default_rng(4))
    assert 0.35 < value_at(flux, 4102.9) < 0.85
    assert value_at(flux, 4102.9) == pytest.approx(value_at(flux, 6564.61), abs=0.02)
    assert value_at(flux, 4130.0) == pytest.approx(1.0, abs=1e-3)


def test_titanium_oxide_deepens_from_early_to_late_giants() -> None:
    subtypes = "MG early", "MG mid", "MG late"
    early, mid, late = (median(draws("MG", subtype, 12), "TiO5") for subtype in subtypes)
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


def test_zirconium_oxide_is_of_s_stars() -> None:
    assert median(draws("SS"), "ZrO_6474") < median(draws("MG"), "ZrO_6474") - 0.05
    assert median(draws("SS"), "ZrO_6345_edge") > median(draws("MG"), "ZrO_6345_edge") + 0.05


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

    stars = [(star, float(star.parameters["subtype"])) for star in draws("L_DWARF")]
    early = [star for star, subtype in stars if subtype < 2]
    late = [star for star, subtype in stars if subtype >= 6]
    assert min(len(early), len(late)) > 4
    for source in (*early, *late):
        assert level(source, 7640, 7720) < 0.35 * level(source, 8120, 8160)
        assert level(source, 9000, 9200) > 4 * level(source, 7000, 7400)
    both = early, late
    wings = [
        np.median([level(s, 7760, 7790) / level(s, 8120, 8160) for s in some]) for some in both
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


def test_helium_follows_temperature() -> None:
    assert median(draws("B", "B V"), "EW_HeI_4471") > 0.3
    cool_a = tuple(s for s in draws("A", "A V") if float(s.parameters["kelvin"]) < 8500)
    assert len(cool_a) > 5 and median(cool_a, "EW_HeI_4471") < 0.15
    assert median(draws("O"), "EW_HeII_4542") > 0.25
    assert abs(median(draws("B", "B V"), "EW_HeII_4542")) < 0.15


def test_the_balmer_series_of_a_b_star_goes_further_than_that_of_a_hot_subdwarf() -> None:
    """H10 over H gamma is 0.5 to 0.7 in the B stars of MILES, and below 0.4 in hot subdwarfs."""
    shares = {
        label: median(some, "EW_H_10") / median(some, "EW_H_gamma")
        for label, some in (("B", draws("B", "B V")), ("SDB", draws("SDB", "sdB")))
    }
    assert shares["B"] > 0.45 > 0.38 > shares["SDB"]


def test_a_and_f_stars_have_the_jump_of_real_ones() -> None:
    """The flux at 4040 over that at 3720 is 2.3 to 2.6 in the A stars of MILES, 1.6 to 1.8 in F."""
    warm = tuple(s for s in draws("F", "F dwarf") if float(s.parameters["kelvin"]) > 6300)
    assert 1.4 < median(warm, "Balmer_jump_3720") < 2.0
    assert 2.0 < median(draws("A", "A V"), "Balmer_jump_3720") < 3.0
    assert median(warm, "HgA") > 3.0


def test_symbiotic_stars_have_the_bands_of_giants_and_hot_lines() -> None:
    stars = draws("SYMBIOTIC", count=12)
    assert median(stars, "TiO5") < 0.75
    assert all(measure(star, "EW_H_alpha") < -5 for star in stars)


def test_classical_t_tauri_stars_emit_more_than_weak_lined_ones() -> None:
    classical, weak = (median(draws("YSO", kind, 8), "EW_H_alpha") for kind in ("CTTS", "WTTS"))
    assert classical < weak - 3 < weak < 0


@pytest.mark.parametrize("subtype", ["compact nebula", "nebula over A", "nebula over cool star"])
def test_nebulae_have_narrow_lines_of_the_gas(subtype: str) -> None:
    for source in draws("NEBULA", subtype, 5):
        for line in (6564.61, 6585.27):
            near = np.abs(GRID - line) < 2
            beside = np.abs(np.abs(GRID - line) - 8) < 2
            assert source.flux[near].max() > 1.02 * np.median(source.flux[beside])


def test_twilight_has_solar_lines_and_smooth_artefacts_have_none() -> None:
    twilight, smooth = (draws("ARTEFACT", kind, 6) for kind in ("twilight", "smooth"))
    assert median(twilight, "EW_H_alpha") > 0.5
    assert abs(median(smooth, "EW_H_alpha")) < 0.2


def test_white_dwarfs_have_the_widest_hydrogen_lines() -> None:
    kinds = ("WD", "DA"), ("A", "A V"), ("B", "B V")
    da, a, b = (median(draws(label, kind, 25), "H_beta_D2") for label, kind in kinds)
    assert da > 1.3 * a > a > 1.3 * b
    kinds = ("A", "A V"), ("B", "B V"), ("O", "")
    strengths = [median(draws(label, kind), "EW_H_beta") for label, kind in kinds]
    assert strengths[0] > strengths[1] + 3 > strengths[1] > strengths[2] > 1
    assert measure(draws("WD", "DC", 3)[0], "EW_H_beta") == pytest.approx(0, abs=1.5)


# Wolf-Rayet stars have the lines of their type, and more of them than a cataclysmic variable.
HALPHA, HELIUM_TWO, HELIUM_ONE, CARBON_THREE, CARBON_FOUR = 6564.0, 4687.0, 5877.3, 5697.5, 5808.0


def of_type(kind: str, late: bool) -> list[Source]:
    rng = np.random.default_rng(31)
    drawn = [wolf_rayet(rng) for _ in range(150)]
    asked = (kind, "late" if late else "early")
    return [source for source in drawn if (source.subtype, source.parameters["type"]) == asked]


def peak(source: Source, wavelength: float) -> float:
    """By how much the flux at a line exceeds that three widths beside it, to either side."""
    width = float(source.parameters["fwhm_kms"]) / LIGHT_KMS
    top, *sides = np.interp(wavelength * (1 + width * np.array([0, -3, 3])), GRID, source.flux)
    return float(top / np.mean(sides) - 1)


def middle(sources: list[Source], wavelength: float) -> float:
    return float(np.median([peak(source, wavelength) for source in sources]))


@pytest.mark.parametrize("kind", ["WN", "WC"])
@pytest.mark.parametrize("late", [False, True])
def test_each_type_comes(kind: str, late: bool) -> None:
    assert len(of_type(kind, late)) >= 15


def test_late_nitrogen_stars_show_hydrogen_and_neutral_helium() -> None:
    late, early = of_type("WN", True), of_type("WN", False)
    assert middle(late, HALPHA) > 0.8 * middle(late, HELIUM_TWO)
    assert middle(early, HALPHA) < 0.6 * middle(early, HELIUM_TWO)
    assert middle(late, HELIUM_ONE) > 0.1 > middle(early, HELIUM_ONE)


def test_carbon_stars_outshine_hydrogen_with_carbon() -> None:
    late, early = of_type("WC", True), of_type("WC", False)
    assert middle(late, CARBON_THREE) > max(middle(late, CARBON_FOUR), 1.2 * middle(late, HALPHA))
    assert middle(early, CARBON_FOUR) > 4 * middle(early, HALPHA)


def test_winds_of_late_stars_absorb_ahead_of_neutral_helium() -> None:
    def trough(source: Source) -> float:
        width = float(source.parameters["fwhm_kms"]) / LIGHT_KMS
        lows = GRID[(HELIUM_ONE * (1 - 1.5 * width) < GRID) & (GRID < HELIUM_ONE)]
        beside = np.interp(HELIUM_ONE * (1 - 3 * width), GRID, source.flux)
        return float(np.interp(lows, GRID, source.flux).min() / beside)

    late, early = ([trough(source) for source in of_type("WN", late)] for late in (True, False))
    assert np.median(late) < 0.95 < np.median(early)


# Draws of every class are sound, reproducible and of all subtypes.
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


@pytest.mark.parametrize("label", ["CS", "K", "MG"])
def test_receding_source_is_shifted_to_the_red(label: str) -> None:
    source = draws(label)[0]
    wavelength = np.arange(4200.0, 8800.0, 1.2)
    edges = pixel_edges(wavelength)
    at_rest, moving = (integrate(source.flux, edges, velocity) for velocity in (0.0, 300.0))

    def mismatch(velocity: float) -> float:
        shifted = np.interp(wavelength / (1 + velocity / LIGHT_KMS), wavelength, at_rest)
        return float(np.square(shifted - moving).sum())

    found = min(np.arange(-500.0, 501.0), key=mismatch)
    assert found == pytest.approx(300.0, abs=12.0)


def test_drawn_evenly_every_kind_comes_as_often() -> None:
    kinds = set(white_dwarf.KINDS)
    assert set(subtypes_of("WD")) == kinds
    rng = np.random.default_rng(2)
    seen = Counter(draw_balanced_kind("WD", rng).subtype for _ in range(135))
    # Fifteen of each are expected, where the sky has 67 DA and three DO.
    assert set(seen) == set(white_dwarf.KINDS)
    assert 5 <= min(seen.values()) <= max(seen.values()) <= 32


def test_a_class_of_one_kind_is_drawn_as_it_is() -> None:
    one, other = (np.random.default_rng(4) for _ in range(2))
    one.integers(1)
    drawn, plain = draw_balanced_kind("L_DWARF", other), draw_source("L_DWARF", one)
    assert subtypes_of("L_DWARF") == ("L dwarf",) and np.array_equal(drawn.flux, plain.flux)
