from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from agent.spectra.air import vacuum_to_air
from agent.spectra.spectrum import FloatArray
from tests.train.simulate.sky.helpers import SKY, kept_lines
from train.simulate.sky import bands
from train.simulate.sky.bands import HEADS
from train.simulate.sky.fit_bands import (
    LENGTHS,
    RIDGE,
    band_basis,
    fit_plan,
    fit_star,
    fit_target,
    read_plan,
)
from train.simulate.sky.line_blanketing import (
    Atmosphere,
    add_atoms,
    add_cool_hydrogen,
    add_heavy,
    add_strong_metals,
    lines_between_bands,
    unresolved_lines,
    weak_line_patterns,
)
from train.simulate.sky.physics import LN_STEP, SIZE, reddening, vacuum
from train.simulate.sky.profiles import add_head, head_profile
from train.simulate.source import GRID


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


@pytest.mark.parametrize("kind", ["giant", "dwarf", "carbon", "s"])
def test_every_kind_has_anchors_to_interpolate(kind: str) -> None:
    known = bands.anchors(kind)
    levels = [anchor.level for anchor in known]
    assert len(levels) >= 2 and levels == sorted(levels)
    for anchor in known:
        assert np.isfinite(anchor.log_continuum).all() and anchor.tau
        assert all((tau >= 0).all() for tau in anchor.tau.values())
    middle = 0.5 * (levels[0] + levels[1])
    between = bands.interpolate(kind, middle)
    molecule = next(iter(known[0].tau.keys() & known[1].tau.keys()))
    mean = 0.5 * (known[0].tau[molecule] + known[1].tau[molecule])
    assert between.tau[molecule] == pytest.approx(mean)


def test_bands_are_of_known_molecules_and_heads_with_positive_depths() -> None:
    for _, level, molecule, *numbers in kept_lines():
        assert float(level) > 0
        if molecule == "continuum":
            low, high, slope, curve = (float(word) for word in numbers)
            assert 3500 < low < high < 10700 and np.isfinite([slope, curve]).all()
            continue
        head, length, tau = (float(word) for word in numbers)
        shaded, heads = HEADS[molecule]
        assert head in heads and length in LENGTHS[shaded] and 0 < tau < 5


SUN = Atmosphere(5777.0, 4.44)


def opacity(star: Atmosphere) -> FloatArray:
    tau = np.zeros(SIZE)
    add_atoms(tau, star, np.random.default_rng(1))
    return tau


def strength(tau: FloatArray, low: float, high: float) -> float:
    """Integrated optical depth, angstrom."""
    inside = (low < GRID) & (high > GRID)
    return float((tau[inside] * GRID[inside]).sum() * LN_STEP)


def test_metal_lines_follow_metallicity_and_temperature() -> None:
    poor, hot = Atmosphere(5777.0, 4.44, -2.0), Atmosphere(9500.0, 4.2)
    solar = strength(opacity(SUN), 5000, 5500)
    assert solar > 5 * strength(opacity(poor), 5000, 5500)
    assert solar > 5 * strength(opacity(hot), 5000, 5500) > 0


def test_weak_lines_crowd_towards_the_blue() -> None:
    for pattern in weak_line_patterns():
        assert strength(pattern, 4000, 4500) > 5 * strength(pattern, 6000, 6500)
    break_ = unresolved_lines()
    assert break_[np.searchsorted(GRID, 3900)] > 0.7 > 0.1 > break_[np.searchsorted(GRID, 4500)] > 0


def test_lines_between_bands_have_no_mean() -> None:
    lines = lines_between_bands(SUN, np.random.default_rng(1))
    assert lines.max() > 0.3
    assert abs(lines[1000:-1000].mean()) < 0.01


def test_calcium_k_and_hydrogen_trade_places_with_temperature() -> None:
    ratios = []
    for kelvin in (4500.0, 6500.0, 7400.0):
        tau, star = np.zeros(SIZE), Atmosphere(kelvin, 4.4)
        add_strong_metals(tau, star, np.random.default_rng(1))
        add_cool_hydrogen(tau, star)
        ratios.append(strength(tau, 3924, 3945) / strength(tau, 4842, 4883))
    assert ratios == sorted(ratios, reverse=True) and ratios[0] > 4 * ratios[2]


def test_s_process_lines_have_the_areas_given() -> None:
    tau = np.zeros(SIZE)
    add_heavy(tau, 0.5, (1.0, 0.5), 80.0)
    assert strength(tau, 4540, 4570) == pytest.approx(0.5, rel=0.01)
    assert strength(tau, 4920, 4950) == pytest.approx(0.25, rel=0.01)
    assert strength(tau, 6100, 6600) == 0


@pytest.mark.parametrize(("shaded", "sign"), [("red", 1), ("violet", -1)])
def test_bands_are_sharp_on_the_right_side(shaded: str, sign: int) -> None:
    head = 6000.0
    tau = np.zeros(GRID.size)
    add_head(tau, head, 1.0, 60.0, shaded)
    dark, clear, tail = (
        float(np.interp(head + sign * offset, GRID, tau)) for offset in (6, -6, 60)
    )
    assert dark > 0.85 and clear < 0.01 and tail == pytest.approx(np.exp(-1), abs=0.02)


def test_dust_dims_and_reddens() -> None:
    little, more = reddening(0.1), reddening(0.6)
    assert (more < little).all() and (little < 1).all()
    measured = GRID < 9091.0  # the curve of O'Donnell (1994) was measured to here
    assert (np.diff(more[measured]) > 0).all()
    assert little * reddening(0.5) == pytest.approx(more)
    at_v = float(np.interp(5494.0, GRID, more))
    assert -2.5 * np.log10(at_v) == pytest.approx(3.1 * 0.6, rel=0.01)
    assert (reddening(0.0) == 1).all()


# Band strengths measured on stars made from known bands.
WAVELENGTH = np.arange(6000.0, 7400.0, 1.0)


PLANTED = {6158.5: (0.5, 40.0), 7054.5: (0.9, 110.0)}


SLOPE, CURVATURE = 1.5, -6.0


PLAN = """
[[anchor]]
kind = "giant"
level = 0.5
files = ["star.csv"]
low = 6000
high = 7400
fwhm = 2.5
molecules = ["TiO", "VO"]
keep_low = 6000
keep_high = 7330
"""


def planted_depth(wavelength: FloatArray) -> FloatArray:
    return sum(
        (
            tau * head_profile(wavelength - float(vacuum(head)), length, "red")
            for head, (tau, length) in PLANTED.items()
        ),
        np.zeros(wavelength.size),
    )


def planted_star(wavelength: FloatArray) -> FloatArray:
    x = np.log(wavelength / 6500.0)
    return np.exp(SLOPE * x + CURVATURE * x * x - planted_depth(wavelength))


def test_strengths_of_a_star_made_from_known_heads_are_recovered() -> None:
    flux = planted_star(WAVELENGTH)
    taus, quadratic, fitted = fit_star(WAVELENGTH, flux, 0.5, ["TiO", "VO"])
    found = sum(
        tau * head_profile(WAVELENGTH - float(vacuum(head)), length, "red")
        for (_, head, length), tau in taus.items()
    )
    assert found == pytest.approx(planted_depth(WAVELENGTH), abs=0.06)
    x = np.log(WAVELENGTH / 6500.0)
    smooth = (quadratic[1] - SLOPE) * x + (quadratic[2] - CURVATURE) * x * x
    assert np.ptp(smooth) < 0.06
    assert fitted == pytest.approx(np.log(flux / np.median(flux)), abs=0.03)
    assert min(taus.values()) >= 0
    for head, (tau, _) in PLANTED.items():
        at_head = sum(taus["TiO", head, length] for length in LENGTHS["red"])
        assert at_head == pytest.approx(tau, rel=0.12)


def test_a_smooth_star_has_no_bands() -> None:
    taus, _, _ = fit_star(WAVELENGTH, (WAVELENGTH / 6500.0) ** 2, 2.5, ["TiO", "VO"])
    assert max(taus.values()) < 1e-6


def test_fit_is_the_best_there_is(rng: np.random.Generator) -> None:
    """No small step in any strength lowers the sum that is minimised."""
    flux = planted_star(WAVELENGTH) * np.exp(0.05 * rng.standard_normal(WAVELENGTH.size))
    taus, _, fitted = fit_star(WAVELENGTH, flux, 2.5, ["TiO"])
    columns, keys = band_basis(WAVELENGTH, 2.5, ["TiO"])
    tau = np.array([taus[key] for key in keys])
    x = np.log(WAVELENGTH / 6500.0)
    smooth = np.stack([np.ones_like(x), x, x * x], axis=1)
    left = fitted - np.log(flux / np.median(flux))
    assert np.abs(smooth.T @ left).max() < 1e-8
    gradient = -columns.T @ left + RIDGE**2 * tau
    assert gradient.min() > -1e-8
    assert np.abs(gradient[tau > 0]).max() < 1e-8


def write_star(path: Path, wavelength: FloatArray, flux: FloatArray) -> None:
    lines = [f"{at:.4f},{value:.8g}" for at, value in zip(wavelength, flux, strict=True)]
    path.write_text("\n".join(["wavelength,flux", *lines]) + "\n")


def test_plan_is_fitted_and_unsaid_air_wavelengths_are_taken_as_the_plan_says(
    tmp_path: Path,
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    flux = planted_star(WAVELENGTH)
    write_star(tmp_path / "star.csv", WAVELENGTH, flux)
    lines = fit_plan(tmp_path, plan)
    heads = {
        float(line.split()[3]): float(line.split()[5])
        for line in lines
        if line.startswith("giant 0.5 TiO")
    }
    assert set(PLANTED) <= set(heads) and max(heads) <= 7330
    assert any(line.startswith("giant 0.5 continuum 6000 7330 ") for line in lines)

    write_star(tmp_path / "star.csv", vacuum_to_air(WAVELENGTH), flux)
    plan.write_text(PLAN + 'unknown_medium = "air"\n')
    in_air = fit_plan(tmp_path, plan)
    strongest = max(lines[2:], key=lambda line: float(line.split()[-1]))
    assert strongest.split()[:5] in [line.split()[:5] for line in in_air]
    plan.write_text(PLAN)
    assert fit_plan(tmp_path, plan) != in_air


@pytest.mark.parametrize(("old", "new", "says"), [
    ("[[anchor]]", "[[anchor", "not a plan"),
    ("[[anchor]]", "[[other]]", "anchor"),
    ("fwhm = 2.5", "", "fwhm"),
    ("fwhm = 2.5", "fwhm = 2.5\nextra = 1", "extra"),
    ("fwhm = 2.5", "fwhm = 0", "fwhm"),
    ('"VO"', '"XO"', "XO"),
    ('["star.csv"]', "[]", "no files"),
    ("low = 6000", "low = 8000", "low less than high"),
    ("fwhm = 2.5", 'fwhm = 2.5\nunknown_medium = "water"', "air or vacuum"),
])  # fmt: skip
def test_bad_plan_is_an_error(tmp_path: Path, old: str, new: str, says: str) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace(old, new, 1))
    with pytest.raises(WorkbenchError, match=says):
        read_plan(plan)


def test_missing_plan_and_unusable_star_are_errors(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError):
        read_plan(tmp_path / "none.toml")
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    with pytest.raises(WorkbenchError, match=r"star\.csv"):
        fit_plan(tmp_path, plan)
    blue = np.arange(4000.0, 5000.0)
    write_star(tmp_path / "star.csv", blue, np.ones(blue.size))
    with pytest.raises(WorkbenchError, match="too few good pixels"):
        fit_plan(tmp_path, plan)


def test_plan_in_the_repository_names_the_anchors_of_bands() -> None:
    planned = {(target.kind, f"{target.level}") for target in read_plan(SKY / "fit_plan.toml")}
    assert planned == {(kind, level) for kind, level, *_ in kept_lines()}


def test_bands_are_what_the_plan_measures_on_the_atlas_stars(labelled_spectra: Path) -> None:
    plan = read_plan(SKY / "fit_plan.toml")
    for kind, level in (("s", 1), ("dwarf", 0.86)):
        fitted = {}
        for target in (one for one in plan if (one.kind, one.level) == (kind, level)):
            for line in fit_target(labelled_spectra, target):
                *key, last = line.split()
                fitted[tuple(key[:5])] = float(last)
        kept = {
            tuple(words[:5]): float(words[-1])
            for words in kept_lines()
            if (words[0], float(words[1])) == (kind, level)
        }
        assert kept == pytest.approx(fitted, abs=0.0021)


@pytest.mark.parametrize("kind", ["giant", "dwarf"])
def test_the_blue_fit_stands_up_to_where_its_heads_end(kind: str) -> None:
    """A continuum goes with its own bands: that of the red must not begin before its heads do."""
    fits = {
        (float(level), float(low)): (float(slope), float(curve))
        for of_kind, level, molecule, low, _, slope, curve in (
            line for line in kept_lines() if line[2] == "continuum"
        )
        if of_kind == kind
    }
    blue_end, red_start = np.searchsorted(GRID, (7250.0, 7420.0))
    far = int(np.searchsorted(GRID, 9000.0))
    for anchor in bands.anchors(kind):
        parts = [fits[key] for key in sorted(fits) if key[0] == anchor.level]
        for (slope, curve), first, last in zip(
            parts, (np.searchsorted(GRID, 6500.0), red_start), (blue_end, far), strict=True
        ):
            x = np.log(GRID[[first, last]] / bands.PIVOT)
            risen = np.diff(slope * x + curve * x**2)
            assert np.diff(anchor.log_continuum[[first, last]]) == pytest.approx(risen, abs=0.02)
        assert abs(anchor.log_continuum[red_start] - anchor.log_continuum[blue_end]) < 0.2
