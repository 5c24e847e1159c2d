from __future__ import annotations

from pathlib import Path

import numpy as np

from agent.spectra.readers import read
from tests.train.simulate.helpers import star
from tests.train.simulate.layouts.helpers import GUESS, assert_marked, entry
from train.simulate.layouts import desi
from train.simulate.telescope.pipeline_class import PipelineClass
from train.simulate.telescope.telescope import observe


def test_desi_file_holds_its_targets_and_redrock_their_classes(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    guesses = [
        GUESS,
        PipelineClass("QSO", "", 2.1),
        PipelineClass("Unknown", "Non", -9999.0),
        PipelineClass("STAR", "WD", 0),
    ]
    entries = [
        entry(observe(star(), "DESI", rng, snr=20.0), index, pipeline_class)
        for index, pipeline_class in enumerate(guesses)
    ]
    path = tmp_path / (desi.file_name(entries[0]) + ".gz")
    desi.write(path, entries)
    answers = [("STAR", "A"), ("QSO", "HIZ"), ("GALAXY", ""), ("STAR", "WD")]
    for row, (one, answer) in enumerate(zip(entries, answers, strict=True)):
        seen = one.observation
        spectrum = read(path, row=row)
        assert spectrum.rows == 4 and spectrum.simulated
        assert spectrum.object_id == str(one.target.targetid)
        assert (spectrum.class_name, spectrum.subclass) == answer
        np.testing.assert_allclose(spectrum.wavelength, seen.wavelength, atol=1e-6)
        good = seen.ivar > 0
        scale = float(np.median(np.abs(seen.flux)))
        np.testing.assert_allclose(spectrum.flux[good], seen.flux[good], atol=3e-6 * scale)
        np.testing.assert_allclose(spectrum.ivar, seen.ivar, rtol=1e-6)
        assert read(path, target=one.target.targetid).row == row
    assert_marked(path)
    assert_marked(desi.redrock_path(path))
