from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agent.spectra.spectrum import between
from tests.train.questions.helpers import LINE, library, star
from train.questions import distortion
from train.questions.distortion import (
    DISTORTIONS,
    FEWEST,
    WorkingSpectrum,
    continuum_level,
    distorted,
    draw_names,
    finished_spectrum,
    with_part_of,
    working_copy,
)
from train.questions.run import (
    answer_of,
    is_open,
    negatives,
    plan_of,
    questions_on_spectrum,
)
from train.questions.settings import DistortionSettings, QuestionSettings
from train.simulate.campaign import CONTAMINANTS
from train.simulate.sky import LABELS
from train.simulate.source import GRID, Source

TASKS = tuple(CONTAMINANTS)


def test_a_number_alone_makes_its_spectrum():
    places = (5, 17), (5, 17), (5, 18), (6, 17)
    asked = (questions_on_spectrum(QuestionSettings(), *place) for place in places)
    one, again, later, otherwise = (each.examples[0].sha256 for each in asked)
    assert one == again and one not in (later, otherwise)


def test_distortions_change_the_spectrum_alone():
    plain, bent = QuestionSettings(untouched=1.0), QuestionSettings(untouched=0.0)
    one, other = questions_on_spectrum(plain, 5, 3), questions_on_spectrum(bent, 5, 3)
    assert not one.distortions and other.distortions
    first, second = one.examples[0], other.examples[0]
    assert (first.key, first.label, first.subtype) == (second.key, second.label, second.subtype)
    assert first.sha256 != second.sha256


@pytest.mark.parametrize(("share", "expected"), [(1.0, True), (0.0, False)])
def test_the_share_of_the_library(tmp_path: Path, share: float, expected: bool):
    folder = str(library(tmp_path / "library"))
    settings = QuestionSettings(tasks=("WD",), both=0.0, library_share=share)
    found = [questions_on_spectrum(settings, 1, number, folder) for number in range(12)]
    of_wd = [each.from_library for each in found if each.examples[0].label == "WD"]
    assert of_wd and set(of_wd) == {expected}


@pytest.mark.parametrize(("even", "low", "high"), [(0.0, 0.0, 0.2), (1.0, 0.35, 0.8)])
def test_rare_kinds_may_come_as_often_as_common_ones(even: float, low: float, high: float):
    settings = QuestionSettings(tasks=("WD",), both=0.0, even=even)
    found = [questions_on_spectrum(settings, 1, number).examples[0] for number in range(120)]
    subtypes = [each.subtype for each in found if each.label == "WD"]
    assert len(subtypes) > 40
    rare = sum(kind in ("DBA", "DC", "DO", "DZ") for kind in subtypes) / len(subtypes)
    assert low <= rare <= high


def test_even_draws_leave_what_is_asked_as_it_was():
    """The same classes and surveys, and those that no task is about are the very same spectra."""
    plain, even = (
        [questions_on_spectrum(QuestionSettings(even=part), 5, number) for number in range(10)]
        for part in (0.0, 1.0)
    )
    for one, other in zip(plain, even, strict=True):
        first, second = one.examples[0], other.examples[0]
        assert (first.key, first.label) == (second.key, second.label)
        assert first.spectrum.survey == second.spectrum.survey
        if first.label not in QuestionSettings().tasks:
            assert first.sha256 == second.sha256
    assert any(one.examples[0].label not in QuestionSettings().tasks for one in plain)


def shares(asked: QuestionSettings) -> dict[tuple[str, str], float]:
    """Share of the questions by task and answer."""
    plan = plan_of(asked)
    found: dict[tuple[str, str], float] = defaultdict(float)
    for kind, odds in zip(plan.kinds, plan.odds, strict=True):
        for task in kind.tasks:
            found[task, answer_of(kind.label, task)] += odds
    total = sum(found.values())
    return {key: value / total for key, value in found.items()}


@pytest.mark.parametrize("both", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("tasks", [TASKS, ("WD",), ("A", "B", "O")])
def test_every_task_hears_yes_and_no_equally(tasks: tuple[str, ...], both: float):
    found = shares(QuestionSettings(tasks=tasks, both=both))
    assert set(found) == {(task, answer) for task in tasks for answer in ("YES", "NO")}
    assert np.allclose(list(found.values()), 0.5 / len(tasks))


def test_no_may_be_asked_more_often():
    found = shares(QuestionSettings(noes=3.0))
    for task in TASKS:
        assert found[task, "NO"] == pytest.approx(3 * found[task, "YES"])
        assert found[task, "YES"] == pytest.approx(1 / 4 / len(TASKS))


def test_no_is_mostly_of_what_contaminates():
    found = negatives("WD", 0.85)
    assert sum(found.values()) == pytest.approx(1.0) and "WD" not in found
    assert set(found) == set(LABELS) - {"WD"}
    assert sum(found[label] for label in CONTAMINANTS["WD"]) > 0.85
    assert found["A"] > found["CV"] > 5 * found["CS"]


def test_surveys_see_as_much_as_their_shares_say():
    plan = plan_of(QuestionSettings(survey="LAMOST,ATLAS:0.52"))
    assert plan.surveys == ("LAMOST", "ATLAS")
    assert plan.survey_odds.tolist() == [0.5, 0.5]


def test_its_own_task_is_asked_first_where_both_are():
    plan = plan_of(QuestionSettings())
    twice = [kind for kind in plan.kinds if len(kind.tasks) == 2]
    assert twice and all(kind.tasks[0] == kind.label for kind in twice)
    assert plan is plan_of(QuestionSettings())


@pytest.mark.parametrize(
    ("label", "subtype", "kelvin", "task", "expected"),
    [
        ("NEBULA", "nebula over A", None, "A", True),
        ("NEBULA", "nebula over A", None, "B", False),
        ("NEBULA", "compact nebula", None, "O", False),
        ("SS", "MS", None, "MG", True),
        ("SS", "MS", None, "SS", False),
        ("SS", "S", None, "MG", False),
        ("SS", "SC", None, "CS", True),
        ("CV", "quiescent", None, "WD", False),
        ("A", "A V", 10200, "B", True),
        ("A", "A V", 9000, "B", False),
        ("A", "A V", 10200, "A", False),
        ("B", "B V", 10600, "A", True),
        ("B", "B V", 30000, "O", True),
        ("O", "O", 31000, "B", True),
        ("O", "O", 40000, "B", False),
        ("F", "F dwarf", 7300, "A", True),
        ("F", "F dwarf", 6500, "A", False),
        ("SDB", "sdB", 29000, "B", False),
    ],
)
def test_where_yes_could_be_said_too(label, subtype, kelvin, task, expected):
    parameters = {} if kelvin is None else {"kelvin": kelvin}
    source = Source(label, subtype, np.ones(GRID.size), parameters=parameters)
    assert is_open(source, task) is expected


def seen(**more: object) -> WorkingSpectrum:
    return working_copy(star(**more))  # type: ignore[arg-type]


def depth_of(one: WorkingSpectrum) -> float:
    """Of the line, against the continuum beside it."""
    beside = np.abs(np.abs(one.wavelength - LINE) - 60) < 10
    within = np.abs(one.wavelength - LINE) < 15
    return 1.0 - float(one.flux[within].min() / np.median(one.flux[beside]))


def line_at(one: WorkingSpectrum) -> float:
    near = np.abs(one.wavelength - LINE) < 40
    missing = np.maximum(np.median(one.flux[near]) - one.flux[near], 0.0)
    return float((one.wavelength[near] * missing).sum() / missing.sum())


def only(name: str, **more: object) -> DistortionSettings:
    odds = {f"{each}_odds": float(each == name) for each in DISTORTIONS}
    return DistortionSettings(**{"untouched": 0.0, "numbers": (1.0,), **odds, **more})  # type: ignore[arg-type]


class TestEach:
    def test_contrast_deepens_and_weakens_lines_and_leaves_the_continuum(self):
        before = seen()
        deeper = distortion.with_contrast(before, 1.4, 500.0)
        weaker = distortion.with_contrast(before, 0.7, 500.0)
        assert depth_of(weaker) < depth_of(before) - 0.05
        assert depth_of(deeper) > depth_of(before) + 0.05
        away = np.abs(before.wavelength - 5000) < 200
        assert np.allclose(deeper.flux[away], before.flux[away], rtol=0.02)

    def test_contrast_is_not_of_noise(self):
        rng = np.random.default_rng(1)
        before = seen(depth=0.0, snr=5.0)
        noisy = replace(before, flux=before.flux * (1 + 0.2 * rng.normal(size=before.flux.size)))
        after = distortion.with_contrast(noisy, 1.4, 500.0)
        assert np.std(after.flux / noisy.flux) < 0.03

    def test_lines_of_a_faint_star_are_not_weakened(self):
        settings = only("contrast", contrast=(0.7, 0.7))
        for number in range(5):
            rng = np.random.default_rng(number)
            after = DISTORTIONS["contrast"](seen(snr=6.0), settings, rng)
            assert depth_of(after) >= depth_of(seen()) - 0.01

    def test_a_bend_is_smooth_and_no_larger_than_asked(self):
        before = seen()
        for knots in (300.0, 1500.0):
            after = distortion.bent(before, 0.3, knots, np.random.default_rng(2))
            factor = np.log(after.flux / before.flux)
            assert 0.02 < np.abs(factor).max() <= 0.45
            assert np.abs(np.diff(factor)).max() < 0.01
            assert depth_of(after) == pytest.approx(depth_of(before), abs=0.03)
            assert after.ivar is not None and before.ivar is not None
            assert np.allclose(after.flux**2 * after.ivar, before.flux**2 * before.ivar)

    def test_dust_reddens_and_dereddens_about_5500(self):
        ratio = distortion.dusted(seen(), 0.8, 1.3).flux / seen().flux
        assert ratio[0] < 0.8 < 1.1 < ratio[-1]
        back = distortion.dusted(distortion.dusted(seen(), 0.8, 1.3), -0.8, 1.3)
        assert np.allclose(back.flux, seen().flux)

    def test_a_step_lies_at_the_join(self):
        ratio = distortion.stepped(seen(), 5800.0, -0.15).flux / seen().flux
        assert np.unique(ratio.round(9)).tolist() == [0.85, 1.0]
        assert seen().wavelength[ratio < 1].min() > 5800.0

    def test_bands_of_the_air_are_left(self):
        ratio = distortion.with_bands_left(seen(), 0.5, 0.0).flux / seen().flux
        at = seen().wavelength
        assert ratio[np.abs(at - 7608) < 5].min() < 0.6
        assert np.allclose(ratio[at < 6000], 1.0)
        assert distortion.with_bands_left(seen(), 1.0, 1.0).flux.min() > 0

    def test_blur_widens_but_never_beyond_what_is_allowed(self):
        before = seen()
        after = distortion.blurred(before, 3.0, 14.0)
        assert after.resolution is not None and 5500 / 14.5 < after.resolution < 600
        assert 0.2 < depth_of(after) < depth_of(before)
        assert distortion.blurred(after, 3.0, 5500 / after.resolution) is after

    @pytest.mark.parametrize("factor", [0.7, 1.0, 3.0])
    def test_new_pixels_keep_lines_in_place_and_flux(self, factor: float):
        before = seen()
        edges = np.exp(np.arange(np.log(3750), np.log(8950), factor * 1.5 / 5500))
        after = distortion.resampled(before, edges)
        assert line_at(after) == pytest.approx(line_at(before), abs=0.1)
        expected = np.interp(after.wavelength, before.wavelength, before.flux)
        assert np.allclose(after.flux, expected, rtol=0.02)
        assert after.ivar is not None and before.ivar is not None
        gain = np.median(after.ivar) / np.median(before.ivar)
        assert gain == pytest.approx(max(1.0, factor), rel=0.25)

    def test_bad_pixels_stay_bad_when_resampled(self):
        dead = (seen().wavelength >= 5000.0) & (seen().wavelength <= 5100.0)
        before = distortion.with_dead_pixels(seen(), dead, 0.0)
        after = distortion.resampled(before, np.arange(3750.0, 8900.0, 4.0))
        inside = (after.wavelength > 5005) & (after.wavelength < 5095)
        assert not after.good[inside].any() and after.good[~inside].mean() > 0.99
        assert after.ivar is not None and (after.ivar[inside] == 0).all()
        assert (after.flux[inside] > 4.0).all()

    def test_slips(self):
        before = seen()
        for after, moved in (
            (distortion.shifted(before, kms=100.0), 2.19),
            (distortion.shifted(before, pixels=-0.5), -0.75),
            (distortion.air_as_vacuum(before), -1.81),
        ):
            assert line_at(after) - line_at(before) == pytest.approx(moved, abs=0.05)

    def test_without_errors_keeps_marks_and_cuts_dead_ends(self):
        ivar = np.ones(len(star()))
        ivar[:30] = ivar[-20:] = ivar[500:510] = 0.0
        before = star(ivar=ivar)
        after = finished_spectrum(distortion.without_errors(working_copy(before)), before)
        assert after.ivar is None and len(after) == len(before) - 50
        assert after.mask is not None
        assert np.flatnonzero(after.mask).tolist() == list(range(470, 480))

    def test_flat_is_about_one_and_has_no_unit(self):
        by_median = distortion.flattened(seen(), None)
        by_continuum = distortion.flattened(seen(), 700.0)
        assert by_median.flux_unit == by_continuum.flux_unit == ""
        assert np.median(by_median.flux) == pytest.approx(1.0)
        away = np.abs(by_continuum.wavelength - LINE) > 100
        assert np.allclose(by_continuum.flux[away], 1.0, atol=0.05)
        assert depth_of(by_continuum) == pytest.approx(depth_of(seen()), abs=0.03)


@pytest.mark.parametrize("name", list(DISTORTIONS))
def test_every_distortion_gives_a_sound_spectrum(name: str):
    before = star()
    for number in range(12):
        after, names = distorted(before, only(name), np.random.default_rng(number))
        assert names == (name,)
        assert np.isfinite(after.flux).all()
        low, high = after.range
        assert low < 4110.0 and high > 6640.0
        assert depth_of(working_copy(after)) > 0.2 or not after.good.all()
        assert after.n_bad < 0.05 * len(after)
    assert np.array_equal(before.flux, star().flux)


def test_how_many_distortions_there_are():
    settings = QuestionSettings()
    rng = np.random.default_rng(0)
    numbers = np.array([len(draw_names(settings, rng)) for _ in range(3000)])
    assert (numbers == 0).mean() == pytest.approx(0.4, abs=0.03)
    assert set(numbers.tolist()) == {0, 1, 2, 3, 4}
    names = draw_names(DistortionSettings(untouched=0.0, numbers=(0.0, 0.0, 0.0, 1.0)), rng)
    assert len(set(names)) == 4 and list(names) == sorted(names, key=list(DISTORTIONS).index)


def test_nothing_to_draw_from_leaves_the_spectrum_alone():
    before = star()
    after, names = distorted(before, only("none at all"), np.random.default_rng(0))
    assert after is before and names == ()


def test_a_copy_that_nothing_happened_to_gives_the_same_spectrum():
    before = star()
    after = finished_spectrum(working_copy(before), before)
    for name in ("wavelength", "flux", "ivar"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    assert (after.resolution, after.flux_unit, after.mask) == (1800.0, "counts", None)


def test_bad_pixels_without_errors_become_a_mask():
    before = star()
    one = working_copy(before)
    good = one.wavelength < 8000
    after = finished_spectrum(replace(one, ivar=None, good=good), before)
    assert after.ivar is None
    np.testing.assert_array_equal(after.good, good)
    weighted = finished_spectrum(replace(one, good=good), before)
    assert weighted.mask is None and (weighted.ivar[~good] == 0).all()


def test_factors_keep_the_signal_to_noise():
    one = working_copy(star(snr=50.0))
    assert one.snr == one.times(3.0).snr == pytest.approx(50.0)
    assert replace(one, ivar=None).snr == np.inf
    assert (one.times(3.0).flux == 3.0 * one.flux).all()


def test_bad_pixels_are_interpolated():
    one = working_copy(star(depth=0.0))
    inside = (one.wavelength > 6000) & (one.wavelength < 6020)
    spoilt = replace(one, flux=np.where(inside, -1.0, one.flux), good=~inside)
    np.testing.assert_allclose(spoilt.filled(), one.flux, rtol=1e-4)


def test_edges_enclose_the_pixels():
    one = working_copy(star(step=1.5))
    assert one.edges.size == one.wavelength.size + 1
    assert one.step == pytest.approx(1.5) and np.allclose(np.diff(one.edges), 1.5)


def test_the_continuum_follows_slopes_and_not_lines():
    smooth = seen(depth=0.0).flux
    np.testing.assert_allclose(continuum_level(seen(), 500.0), smooth, rtol=0.02)


def test_the_level_of_a_dark_spectrum_is_positive():
    dark = replace(seen(), flux=-seen().flux)
    assert (continuum_level(dark, 500.0) > 0).all()


def test_parts_of_a_spectrum_are_arms_gaps_and_dead_stretches() -> None:
    whole = questions_on_spectrum(QuestionSettings(), 3, 1).examples[0].spectrum
    parts = [with_part_of(whole, np.random.default_rng(seed)) for seed in range(80)]
    spans = [np.ptp(part.wavelength[part.good]) / np.ptp(whole.wavelength) for part in parts]
    gaps = [np.diff(part.wavelength[part.good]).max() for part in parts]
    assert all(np.count_nonzero(part.good) >= FEWEST for part in parts)
    assert sum(span < 0.2 for span in spans) > 5  # a short arm
    assert sum(900.0 < gap < 1000.0 for gap in gaps) > 5  # between the two of medium resolution
    assert sum(len(part) == len(whole) and part.n_bad > whole.n_bad for part in parts) > 3
    some = (questions_on_spectrum(QuestionSettings(partial=0.5), 3, n) for n in range(1, 9))
    lengths = [len(each.examples[0].spectrum) for each in some]
    every = (questions_on_spectrum(QuestionSettings(), 3, n) for n in range(1, 9))
    kept = sum(a == len(b.examples[0].spectrum) for a, b in zip(lengths, every, strict=True))
    assert 0 < kept < 8
    again = with_part_of(whole, np.random.default_rng(0))
    assert np.array_equal(again.wavelength, parts[0].wavelength)


def test_of_a_spectrum_too_short_to_cut_nothing_is_taken() -> None:
    whole = questions_on_spectrum(QuestionSettings(), 3, 1).examples[0].spectrum
    low = whole.range[0]
    short = between(whole, low, low + 40.0)
    assert with_part_of(short, np.random.default_rng(1)) is short
