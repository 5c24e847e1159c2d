"""The first look: kinds, velocity and oddness of simulated stars."""

from dataclasses import replace

import numpy as np
import pytest

from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.ordinary import lines_of
from agent.evidence.quick import Trees, quick_weights, sky_ratio
from agent.evidence.star_velocity import star_velocity
from agent.spectra.measure.indices import measure_indices
from agent.spectra.spectrum import Spectrum, between
from tests.bench.oddities import KINDS, odd_spectrum
from train.weights.fit import one_observed


@pytest.fixture(scope="module")
def stars():
    """Some clear spectra of each of several kinds, and the velocity at which their lines lie."""
    rng = np.random.default_rng(11)
    return {
        label: [one_observed(label, "LAMOST", rng) for _ in range(8)]
        for label in ("G", "A", "CV", "CS", "WD", "MG")
    }


def test_the_likeliest_kind_is_mostly_the_true_one(stars):
    weights = quick_weights()
    hits = [
        weights.kinds.labels[int(np.argmax(weights.look(spectrum).p))] == label
        for label, every in stars.items()
        for spectrum, _ in every
    ]
    assert np.mean(hits) > 0.75


def test_no_member_of_a_class_that_an_inspection_would_find_is_below_its_cut(stars):
    weights = quick_weights()
    for label in ("CV", "CS", "WD", "MG"):
        for spectrum, _ in stars[label]:
            assert weights.may_be(label, weights.look(spectrum))
    calm = weights.look(stars["G"][0][0])
    assert not any(weights.may_be(label, calm) for label in ("CV", "CS", "SS"))
    assert weights.may_be("a class of one's own", calm)
    # Of one arm the weights know too little to rule a class out.
    assert weights.may_be("CS", weights.look(between(stars["G"][0][0], 5900, 9100)))


def test_the_velocity_is_that_of_the_lines(stars):
    weights = quick_weights()
    found = [
        (weights.look(spectrum).velocity, true)
        for label in ("G", "A")
        for spectrum, true in stars[label]
        if measurements_of(spectrum).overall_snr > 12
    ]
    pulls = np.array([(velocity.kms - true) / velocity.error_kms for velocity, true in found])
    assert np.median(np.abs([velocity.kms - true for velocity, true in found])) < 30
    assert 0.2 < np.median(np.abs(pulls)) < 2.0
    # The lines of a whole inspection lie there, too.
    exact = star_velocity(stars["G"][0][0])
    assert abs(exact.kms - found[0][0].kms) < 4 * (exact.error_kms + found[0][0].error_kms)


def test_what_is_odd_is_odder_than_what_is_not(stars):
    weights = quick_weights()
    rng = np.random.default_rng(5)
    calm = [weights.look(spectrum).oddness for spectrum, _ in stars["G"]]
    for kind in ("quasar", "planetary nebula", "white dwarf + M dwarf", "Wolf-Rayet star"):
        odd = [weights.look(odd_spectrum(kind, rng, (20, 60))).oddness for _ in range(5)]
        assert np.median(odd) > max(calm), kind
    assert set(KINDS) >= {"wrong join", "double-lined binary"}


def test_only_the_indices_of_the_weights_are_measured(stars):
    spectrum = stars["A"][0][0]
    some = frozenset({"HdA", "TiO5_excess", "no such index"})
    found = measure_indices(spectrum, 12.0, some)
    every = measure_indices(spectrum, 12.0)
    assert {"HdA", "TiO5_excess"} <= set(found)
    assert len(found) < 10
    assert all(found[name] == every[name] for name in found)
    numbers = SpectrumMeasurements(spectrum, index_names=some)
    assert set(numbers.indices) < set(every)


def test_a_spectrum_without_lines_or_light_has_a_look_without_a_fault(stars):
    weights = quick_weights()
    flat = Spectrum(wavelength=np.linspace(3700, 9100, 3000), flux=np.ones(3000))
    look = weights.look(flat)
    assert look.p.sum() == pytest.approx(1.0)
    assert look.velocity.source in ("", "quick")
    dark = weights.look(replace(flat, flux=np.full(3000, np.nan)))
    assert np.isnan(dark.oddness)
    assert lines_of(replace(flat, flux=np.full(3000, np.nan))) is None
    assert sky_ratio(replace(flat, flux=np.full(3000, np.nan))) == 0.0
    tiny = Spectrum(wavelength=np.array([5000.0, 5001.0]), flux=np.ones(2))
    assert np.isnan(weights.look(tiny).oddness)


def test_trees_take_missing_numbers_where_they_were_sent():
    tree = Trees(
        feature=np.array([[0, -1, -1]], np.int16),
        threshold=np.array([[1.5, 0, 0]]),
        missing_left=np.array([[False, False, False]]),
        left=np.array([[1, 0, 0]], np.int16),
        right=np.array([[2, 0, 0]], np.int16),
        value=np.array([[0.0, -3.0, 4.0]], np.float32),
    )
    scores = [tree.score(np.array([number])) for number in (1.0, 2.0, np.nan)]
    assert scores == [-3.0, 4.0, 4.0]
