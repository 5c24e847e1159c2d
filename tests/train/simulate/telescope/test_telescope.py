from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray
from tests.train.simulate.helpers import H_ALPHA, flat, planck, smooth, star
from tests.train.simulate.telescope.conftest import Look, level
from train.simulate.sky import LABELS
from train.simulate.source import GRID, LIGHT_KMS, Source
from train.simulate.telescope import night
from train.simulate.telescope.instrument import chebyshev, instrument_of, pixels_between
from train.simulate.telescope.observation import to_spectrum
from train.simulate.telescope.optics import (
    Arm,
    blur,
    integrate,
    pixel_edges,
    sigma_pixels,
    through_arms,
)
from train.simulate.telescope.pipeline_class import _CONFUSION, PipelineClass, draw_pipeline_class
from train.simulate.telescope.surveys import LAMOST, LAMOST_QUALITY, SURVEYS, Quality, graded
from train.simulate.telescope.telescope import SNR_RANGE, observe


@pytest.mark.parametrize("survey", list(SURVEYS))
def test_same_seed_same_spectrum_and_another_seed_another(survey: str) -> None:
    one, two, other = (observe(star(), survey, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert one.flux.tobytes() == two.flux.tobytes()
    assert one.ivar.tobytes() == two.ivar.tobytes()
    assert one.parameters == two.parameters
    assert one.parameters != other.parameters


def test_effects_are_recorded(rng: np.random.Generator) -> None:
    recorded = observe(star(), "LAMOST", rng).parameters
    assert {
        "snr_asked", "velocity_seen_kms", "sharpness", "sky_over_object", "oxygen_left",
        "sky_left", "noise_over_stated", "calibration_end_to_end", "join_step_0", "bad_runs",
        "cosmics", "release",
    } <= set(recorded)  # fmt: skip


def test_snr_is_drawn_from_the_range_when_not_asked(rng: np.random.Generator) -> None:
    asked = [float(observe(star(), "SDSS", rng).parameters["snr_asked"]) for _ in range(40)]
    assert min(asked) >= SNR_RANGE[0] and max(asked) <= SNR_RANGE[1]
    assert np.median(asked) < 50


def test_a_star_is_seen_at_its_velocity(rng: np.random.Generator) -> None:
    velocities = []
    for _ in range(15):
        source = star(velocity_kms=300.0)
        seen = observe(source, "SDSS", rng, snr=150.0, quality="good")
        window = pixels_between(seen.wavelength, 6530.0, 6612.0)
        w, depth = seen.wavelength[window], 1 - seen.flux[window] / seen.flux[window].max()
        core = depth > 0.5 * depth.max()
        centre = (w[core] * depth[core]).sum() / depth[core].sum()
        velocities.append(LIGHT_KMS * (centre / H_ALPHA - 1))
    assert np.median(velocities) == pytest.approx(300.0, abs=15.0)


def test_a_redshifted_source_is_not_shifted_again(rng: np.random.Generator) -> None:
    flux = planck(6000.0) * (1 + 5 * np.exp(-0.5 * ((GRID - 7000.0) / 30.0) ** 2))
    source = Source("QSO", "QSO", flux, z=1.5)
    seen = observe(source, "SDSS", rng, snr=100.0, quality="good")
    window = pixels_between(seen.wavelength, 6900.0, 7100.0)
    assert seen.wavelength[window][np.argmax(seen.flux[window])] == pytest.approx(7000.0, abs=15)


@pytest.mark.parametrize("survey", ["LAMOST", "DESI"])
def test_spectrum_ends_where_the_base_does(rng: np.random.Generator, survey: str) -> None:
    source = replace(star(), valid=(3900.0, 7400.0))
    seen = observe(source, survey, rng)
    good = seen.wavelength[seen.ivar > 0]
    assert 3899.0 < good[0] < 3920.0
    assert 7360.0 < good[-1] < 7401.0
    # A DESI file holds several targets on one grid.
    assert (seen.wavelength.size == SURVEYS[survey].wavelength.size) == (survey == "DESI")


def test_a_base_without_overlap_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(WorkbenchError, match="too little"):
        observe(replace(star(), valid=(9090.0, 9100.0)), "LAMOST", rng)


def test_darkness_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(WorkbenchError, match="no flux"):
        observe(replace(star(), flux=np.zeros(GRID.size)), "LAMOST", rng)


def test_poor_quality_is_worse_than_good(rng: np.random.Generator) -> None:
    def error(quality: str) -> float:
        bent = []
        for _ in range(25):
            seen = observe(flat(), "LAMOST", rng, 100.0, quality=quality, release="DR8")
            good = seen.ivar > 0
            bent.append(np.std(np.log(np.maximum(seen.flux[good][900:], 1e-3))))
        return float(np.median(bent))

    assert error("poor") > 2.0 * error("good")


def test_hot_and_cool_stars_have_the_right_bands_well_exposed(rng: np.random.Generator) -> None:
    hot = observe(smooth(30000.0), "SDSS", rng, snr=30.0).snr
    cool = observe(smooth(3000.0), "SDSS", rng, snr=30.0).snr
    assert hot["g"] > 2 * cool["g"]
    assert cool["z"] > hot["z"]


def test_without_effects_a_flat_source_stays_flat(look: Look) -> None:
    seen = look()
    inside = pixels_between(seen.wavelength, 4200.0, 8900.0)
    scatter = seen.flux[inside] / np.median(seen.flux[inside]) - 1
    assert np.abs(scatter).max() < 0.03
    assert (seen.ivar > 0).all()


def test_desi_cameras_merge_back_to_the_spectrum(rng: np.random.Generator) -> None:
    seen = observe(star(), "DESI", rng)
    weight, weighted = np.zeros((2, seen.wavelength.size))
    for camera in seen.arms:
        place = np.searchsorted(seen.wavelength, camera.wavelength)
        assert np.allclose(seen.wavelength[place], camera.wavelength)
        weight[place] += camera.ivar
        weighted[place] += camera.ivar * camera.flux
    good = seen.ivar > 0
    assert np.allclose(weight, seen.ivar)
    assert np.allclose(weighted[good] / weight[good], seen.flux[good])
    overlap = pixels_between(seen.wavelength, 5765.0, 5795.0)
    blue, red = seen.arms[0], seen.arms[1]
    apart = blue.flux[-44:-8] - red.flux[7:43]
    pull = apart * np.sqrt(0.5 * red.ivar[7:43])
    assert 0.5 < pull.std() < 1.6
    assert overlap.stop - overlap.start > 30


def test_sky_residuals_sit_on_sky_lines(look: Look) -> None:
    seen = look(snr=20.0, sky_residual=(0.3, 0.31))
    near, beside = level(seen, 5577.5, 5579.5), level(seen, 5530, 5560)
    assert abs(near / beside - 1) > 0.3
    oh = pixels_between(seen.wavelength, 8760, 9000)
    clean = pixels_between(seen.wavelength, 6100, 6230)
    assert seen.flux[oh].std() > 3 * seen.flux[clean].std()


def test_drifted_sky_line_leaves_a_pair_of_opposite_signs(look: Look) -> None:
    seen = look(snr=30.0, sky_drift_pixels=0.4)
    window = pixels_between(seen.wavelength, 5565.0, 5592.0)
    residual = seen.flux[window] / level(seen, 5520, 5560) - 1
    assert residual.max() > 0.1 and residual.min() < -0.1


def test_telluric_bands_absorb_where_they_are(look: Look) -> None:
    seen = look(telluric_odds=1.0, telluric_left=(0.5, 0.51))
    assert level(seen, 7604, 7612) / level(seen, 7500, 7560) < 0.65
    assert level(seen, 6870, 6880) / level(seen, 6780, 6840) < 0.85
    assert level(seen, 7000, 7100) / level(seen, 6600, 6800) == pytest.approx(1.0, abs=0.03)


def test_nebular_lines_come_with_either_sign(look: Look) -> None:
    heights = []
    for _ in range(12):
        seen = look(snr=30.0, nebular_odds=1.0, nebular_left=(0.3, 0.31))
        heights.append(level(seen, 6563.5, 6566) / level(seen, 6600, 6700) - 1)
    assert max(heights) > 0.05 and min(heights) < -0.05


def test_moonlight_brings_the_suns_lines(look: Look) -> None:
    seen = look(snr=15.0, moon_odds=1.0, moon_fraction=(0.25, 0.251))
    assert level(seen, 3933, 3937) < level(seen, 4000, 4040)
    assert float(seen.parameters["moon"]) > 0


def test_a_neighbour_leaves_its_lines(rng: np.random.Generator) -> None:
    bump = 1.0 + 30.0 * np.exp(-0.5 * ((GRID - 5200.0) / 8.0) ** 2)
    neighbour = Source("K", "K", bump)
    fraction = replace(LAMOST_QUALITY, crosstalk_fraction=(0.3, 0.31), dead_block_odds=0.0)
    seen = observe(flat(), "LAMOST", rng, 200.0, neighbour, quality=fraction, release="DR8")
    peak = seen.flux[np.argmin(np.abs(seen.wavelength - 5200.0))]
    beside = np.median(seen.flux[pixels_between(seen.wavelength, 5100.0, 5150.0)])
    assert peak > 3 * beside
    assert seen.parameters["neighbour"] == "K"
    assert "neighbour" not in observe(flat(), "LAMOST", rng).parameters


LIMITS = {
    "LAMOST": (3690, 3705, 9050, 9110, 3885, 3917),
    "SDSS": (3780, 3830, 9160, 9260, 3790, 3880),
    "BOSS": (3550, 3600, 10250, 10420, 4570, 4660),
    "DESI": (3599, 3601, 9823, 9825, 7781, 7781),
}


@pytest.mark.parametrize("survey", list(SURVEYS))
def test_grid_is_the_surveys_own(rng: np.random.Generator, survey: str) -> None:
    low, low_most, high_least, high, fewest, most = LIMITS[survey]
    seen = observe(star(), survey, rng)
    assert low <= seen.wavelength[0] <= low_most
    assert high_least <= seen.wavelength[-1] <= high
    assert fewest <= seen.wavelength.size <= most
    for values in (seen.flux, seen.ivar, seen.andmask, seen.ormask):
        assert values.shape == seen.wavelength.shape
        assert np.isfinite(values).all()
    assert (seen.ivar >= 0).all()
    assert set(seen.snr) == set("ugriz")


@pytest.mark.parametrize("bad", [{"profile": "HUBBLE"}, {"quality": "perfect"}])
def test_unknown_words_are_refused(rng: np.random.Generator, bad: dict[str, str]) -> None:
    with pytest.raises(WorkbenchError, match="use one of"):
        observe(star(), bad.get("profile", "SDSS"), rng, quality=bad.get("quality", "typical"))


def test_spectrum_knows_the_pipeline_class_and_not_the_truth(rng: np.random.Generator) -> None:
    seen = observe(star(label="CV"), "LAMOST", rng)
    plain = to_spectrum(seen)
    assert plain.simulated and plain.class_name == "" and plain.z is None
    spectrum = to_spectrum(seen, PipelineClass("STAR", "A5V", 1e-4))
    assert (spectrum.class_name, spectrum.subclass, spectrum.z) == ("STAR", "A5V", 1e-4)
    assert "CV" not in repr(spectrum.meta) and "test" not in repr(spectrum.meta)
    assert spectrum.n_bad == int((seen.ivar == 0).sum())


def test_scaling_quality_moves_every_odds_and_strength() -> None:
    poor = graded(LAMOST_QUALITY, "poor")
    assert poor.join_step > LAMOST_QUALITY.join_step
    assert poor.telluric_left[1] <= 0.9 and poor.end_block_odds <= 0.9
    untouched = {"velocity_error_kms", "resolution_spread", "throughput_spread", "bad_runs",
                 "calibration_tail", "dead_block_pixels", "moon_fraction", "crosstalk_fraction",
                 "ivar_spread"}  # fmt: skip
    names = {field.name for field in fields(Quality)}
    same = {name for name in names if getattr(poor, name) == getattr(LAMOST_QUALITY, name)}
    assert same == untouched


@pytest.mark.parametrize("label", LABELS)
def test_every_label_has_a_confusion_table_and_gets_a_class(
    rng: np.random.Generator, label: str
) -> None:
    assert label in _CONFUSION
    answers = [draw_pipeline_class(star(label=label), 30.0, rng) for _ in range(50)]
    assert {a.class_name for a in answers} <= {"STAR", "QSO", "GALAXY", "Unknown", "UNKNOWN"}
    assert not any("{" in a.subclass for a in answers)


def test_common_classes_are_mostly_right_and_rare_ones_mostly_not(rng: np.random.Generator) -> None:
    drawn = (draw_pipeline_class(star(label="A"), 50.0, rng) for _ in range(300))
    a_stars = Counter(each.subclass[:1] for each in drawn)
    cvs = Counter(draw_pipeline_class(star(label="CV"), 50.0, rng).subclass for _ in range(300))
    assert a_stars["A"] > 200
    assert 40 < cvs["CV"] < 150


def test_pipeline_gives_up_at_low_snr(rng: np.random.Generator) -> None:
    def unknown(snr: float) -> int:
        drawn = (draw_pipeline_class(star(label="A"), snr, rng) for _ in range(300))
        return sum(each.class_name.upper() == "UNKNOWN" for each in drawn)

    assert unknown(1.0) > unknown(50.0) + 60


def test_redshift_is_right_for_the_right_kind_and_wrong_for_the_wrong(
    rng: np.random.Generator,
) -> None:
    quasar = replace(star(label="QSO"), z=2.0)
    answers = [draw_pipeline_class(quasar, 40.0, rng) for _ in range(200)]
    assert all(abs(a.z - 2.0) < 0.02 for a in answers if a.class_name in ("QSO", "GALAXY"))
    assert all(abs(a.z) < 0.01 for a in answers if a.class_name == "STAR")
    moving = star(label="CV", velocity_kms=90.0)
    stars = [draw_pipeline_class(moving, 40.0, rng) for _ in range(200)]
    assert all(a.z > 0.2 for a in stars if a.class_name == "QSO")
    z = np.median([each.z for each in stars if each.class_name == "STAR"])
    assert z == pytest.approx(3e-4, abs=5e-5)


WAVELENGTH = np.arange(3700.0, 10200.0, 1.0)


def at(values: np.ndarray, wavelength: float) -> float:
    return float(values[np.searchsorted(WAVELENGTH, wavelength)])


def test_oxygen_and_water_absorb_in_their_bands_alone() -> None:
    oxygen, water = night.oxygen_depth(WAVELENGTH), night.water_depth(WAVELENGTH)
    assert at(oxygen, 7608) > 0.9 > 0.1 > at(oxygen, 7000)
    assert at(water, 9375) > 0.7 > 0.05 > at(water, 7608)
    for depth in (oxygen, water):
        assert depth.min() >= 0 and depth.max() < 1 and at(depth, 5500) < 1e-6


def test_sky_lines_have_unit_height_and_drift_like_their_slope() -> None:
    wavelength = np.arange(5500.0, 8500.0, 0.2)
    sigma = night.sigma_angstrom(wavelength, np.full(wavelength.size, 2000.0))
    lines = ((5578.3, 10.0), (8400.4, 3.0))
    profiles, drift = (matrix.toarray() for matrix in night.line_matrices(wavelength, sigma, lines))
    assert profiles.shape == (wavelength.size, 2)
    for number, (centre, _) in enumerate(lines):
        assert wavelength[profiles[:, number].argmax()] == pytest.approx(centre, abs=0.2)
        assert profiles[:, number].max() == pytest.approx(1.0, abs=0.01)
        slope = -np.gradient(profiles[:, number])
        np.testing.assert_allclose(drift[:, number], slope, atol=0.003)
    assert night.heights(lines).tolist() == [10.0, 3.0]


def test_every_line_is_in_the_group_of_its_wavelength() -> None:
    for number, (centre, _) in zip(night.GROUP_OF_LINE, night.SKY_LINES, strict=True):
        low, high = night.LINE_GROUPS[number]
        assert low <= centre < high


def test_moonlight_is_bluer_than_the_sun_and_has_its_lines() -> None:
    light = night.sunlight()
    assert np.interp(5500.0, GRID, light) == pytest.approx(1.0, abs=0.02)
    assert np.interp(4480.0, GRID, light) > np.interp(6700.0, GRID, light)
    assert np.interp(3934.8, GRID, light) < 0.5 * np.interp(3900.0, GRID, light)


def test_dark_sky_is_one_at_its_reference() -> None:
    continuum = night.sky_continuum(WAVELENGTH)
    assert at(continuum, 6750) == pytest.approx(1.0, abs=0.02)
    assert at(continuum, 8645) > 2 * at(continuum, 8500)


# Simulated noise beside that of real files, where they are.
WINDOWS = ((4300.0, 4700.0), (5000.0, 5400.0), (6000.0, 6250.0))


def noise_measures(wavelength: FloatArray, flux: FloatArray, ivar: FloatArray) -> Iterator[float]:
    """Scatter over stated error in windows where noise rules, from third differences."""
    for limits in WINDOWS:
        window = pixels_between(wavelength, *limits)
        good = ivar[window] > 0
        if good.sum() < 100:
            continue
        pull = flux[window][good] * np.sqrt(ivar[window][good])
        if not 3 < np.median(pull) < 45:
            continue  # brighter, the star's own lines are larger than the noise
        differences = np.diff(pull, 3) / np.sqrt(20.0)
        yield float(1.4826 * np.median(np.abs(differences)))


@pytest.mark.parametrize("survey", ["LAMOST", "SDSS"])
def test_scatter_over_stated_error_is_as_in_real_files(
    real_spectra: Path, rng: np.random.Generator, survey: str
) -> None:
    pattern = "spec-5*" if survey == "LAMOST" else "spec-[0-36]*"
    real = []
    for path in sorted(real_spectra.glob(pattern)):
        if ".fits" not in path.name:
            continue
        spectrum = read(path)
        if spectrum.survey == survey and spectrum.ivar is not None:
            real += list(noise_measures(spectrum.wavelength, spectrum.flux, spectrum.ivar))
    assert len(real) >= 5
    simulated = []
    for _ in range(20):
        seen = observe(smooth(), survey, rng, snr=20.0, release="DR8")
        simulated += list(noise_measures(seen.wavelength, seen.flux, seen.ivar))
    assert np.median(simulated) == pytest.approx(np.median(real), rel=0.2)


def spike(wavelength: float) -> FloatArray:
    flux = np.zeros(GRID.size)
    flux[int(np.argmin(np.abs(GRID - wavelength)))] = 1.0
    return flux


def width_kms(flux: FloatArray) -> float:
    """Second moment as a Gaussian FWHM."""
    velocity = LIGHT_KMS * np.log(GRID)
    share = flux / flux.sum()
    mean = (share * velocity).sum()
    return float(2.3548 * np.sqrt((share * (velocity - mean) ** 2).sum()))


def test_blur_conserves_flux_and_widens_a_line_to_the_resolution() -> None:
    seen = blur(spike(6000.0), sigma_pixels(1800.0))
    assert seen.sum() == pytest.approx(1.0, rel=1e-9)
    assert width_kms(seen) == pytest.approx(LIGHT_KMS / 1800.0, rel=0.03)


def test_a_library_flux_is_blurred_only_by_what_it_lacks() -> None:
    total = np.hypot(sigma_pixels(1800.0, own=3000.0), sigma_pixels(3000.0))
    assert total == pytest.approx(sigma_pixels(1800.0))
    assert sigma_pixels(1800.0, own=1000.0) == 0.0


@pytest.mark.parametrize("place", [4000.0, 5000.0, 6500.0, 8500.0])
def test_resolution_runs_along_each_arm(place: float) -> None:
    arm = next(arm for arm in LAMOST.arms if arm.low < place < arm.high)
    ends = arm.resolution_low, arm.resolution_high
    expected = np.interp(place, (arm.low, arm.high), ends)
    seen = through_arms(spike(place), LAMOST.arms)
    assert LIGHT_KMS / width_kms(seen) == pytest.approx(expected, rel=0.12)


def test_arms_hand_over_without_a_jump() -> None:
    arms = (Arm("b", 4000, 6000, 1000, 1000), Arm("r", 5800, 8000, 3000, 3000))
    seen = through_arms(np.ones(GRID.size), arms)
    assert np.abs(seen - 1.0).max() < 1e-12


def test_integration_conserves_flux_over_any_pixels() -> None:
    flux = 1.0 + 0.5 * np.sin(GRID / 37.0)
    coarse, fine = np.arange(4000.0, 8000.0, 8.0), np.arange(4000.0, 8000.0, 2.0)

    def total(wavelength: FloatArray) -> float:
        edges = pixel_edges(wavelength)
        return float((integrate(flux, edges) * np.diff(edges)).sum())

    inside = (GRID > 3996) & (GRID < 7996)
    assert total(coarse) == pytest.approx(flux[inside].sum(), rel=2e-3)
    edges = pixel_edges(fine)
    whole = flux[(GRID > 3999) & (GRID < 7999)].sum()
    assert (integrate(flux, edges) * np.diff(edges)).sum() == pytest.approx(whole, rel=2e-3)


@pytest.mark.parametrize("velocity", [-400.0, 0.0, 250.0])
def test_velocity_moves_a_line_by_the_doppler_shift(velocity: float) -> None:
    wavelength = LAMOST.wavelength
    line = np.exp(-0.5 * ((GRID - H_ALPHA) / 5.0) ** 2)
    seen = integrate(line, pixel_edges(wavelength), velocity)
    centre = float((seen * wavelength).sum() / seen.sum())
    assert centre == pytest.approx(H_ALPHA * (1 + velocity / LIGHT_KMS), abs=0.15)


def test_pixels_beyond_the_source_see_nothing_wild() -> None:
    seen = integrate(np.ones(GRID.size), pixel_edges(np.arange(3000.0, 3300.0, 1.0)))
    assert np.isfinite(seen).all()


@pytest.mark.parametrize("survey", list(SURVEYS))
def test_arrays_have_a_row_per_pixel(survey: str) -> None:
    instrument = instrument_of(survey)
    pixels = SURVEYS[survey].wavelength.size
    assert instrument.edges.size == pixels + 1
    for name in ("sensitivity", "resolution", "sky_continuum", "oxygen", "water", "moon"):
        values = getattr(instrument, name)
        assert values.shape == (pixels,) and np.isfinite(values).all() and values.min() >= 0
    for name in ("sky_lines", "sky_drift", "nebular", "curves"):
        assert getattr(instrument, name).shape[0] == pixels
    assert instrument_of(survey) is instrument


@pytest.mark.parametrize("survey", list(SURVEYS))
def test_resolution_is_that_of_the_arm(survey: str) -> None:
    instrument = instrument_of(survey)
    for arm in SURVEYS[survey].arms:
        alone = instrument.resolution[
            pixels_between(instrument.profile.wavelength, arm.low + 700, arm.high - 700)
        ]
        assert alone.min() >= arm.resolution_low and alone.max() <= arm.resolution_high
        assert (np.diff(alone) > 0).all()


def test_curves_are_chebyshev_polynomials() -> None:
    curves = chebyshev(500, 6)
    x = np.linspace(-1, 1, 500)
    assert curves.shape == (500, 6) and np.abs(curves).max() <= 1
    np.testing.assert_allclose(curves[:, 0], x, atol=1e-12)
    np.testing.assert_allclose(curves[:, 2], 4 * x**3 - 3 * x, atol=1e-12)


def test_pixels_between_two_wavelengths() -> None:
    wavelength = np.arange(4000.0, 5000.0, 2.0)
    assert pixels_between(wavelength, 4001.0, 4007.0) == slice(1, 4)
    assert pixels_between(wavelength, 3000.0, 3500.0) == slice(0, 0)
