"""What the weights are made from."""

from __future__ import annotations

import numpy as np

from agent.evidence.features import FEATURES
from train.simulate.sky import LABELS
from train.weights.draws import bundled, draw, one_source, one_spectrum


def test_draws_are_the_same_for_any_number_of_workers():
    one, two = draw(1, seed=5, workers=1), draw(1, seed=5, workers=2)
    for name, column in vars(one).items():
        assert len(column) == len(LABELS)
        np.testing.assert_array_equal(column, vars(two)[name])
    assert one.labels.tolist() == list(LABELS)
    assert one.values.shape == one.errors.shape == (len(LABELS), len(FEATURES))
    assert one.evidence.shape[1] == sum(len(task.evidence) for task in bundled())
    assert np.isfinite(one.evidence).all()
    assert not np.array_equal(one.values, draw(1, seed=6).values, equal_nan=True)


def test_spectra_come_as_files_would_bring_them(rng):
    spectra = [one_spectrum("CV", "LAMOST", rng) for _ in range(30)]
    assert any(spectrum.z is None for spectrum in spectra)
    assert any(spectrum.z is not None for spectrum in spectra)
    assert all(spectrum.simulated for spectrum in spectra)
    assert all((spectrum.ivar is None) or (spectrum.ivar >= 0).all() for spectrum in spectra)


def test_rare_subtypes_are_drawn_more_often_than_they_are(rng):
    subtypes = [one_source("CV", rng).subtype for _ in range(120)]
    rare = np.mean([subtype in ("outburst", "AM CVn", "polar low") for subtype in subtypes])
    assert rare > 0.18  # 14 % in nature, 43 % where all are drawn alike
