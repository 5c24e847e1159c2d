from __future__ import annotations

import numpy as np

from tests.train.simulate.helpers import star
from train.simulate.telescope.observation import to_spectrum
from train.simulate.telescope.pipeline_class import PipelineClass
from train.simulate.telescope.telescope import observe


def test_spectrum_knows_the_pipeline_class_and_not_the_truth(rng: np.random.Generator) -> None:
    seen = observe(star(label="CV"), "LAMOST", rng)
    plain = to_spectrum(seen)
    assert plain.simulated and plain.class_name == "" and plain.z is None
    spectrum = to_spectrum(seen, PipelineClass("STAR", "A5V", 1e-4))
    assert (spectrum.class_name, spectrum.subclass, spectrum.z) == ("STAR", "A5V", 1e-4)
    assert "CV" not in repr(spectrum.meta) and "test" not in repr(spectrum.meta)
    assert spectrum.n_bad == int((seen.ivar == 0).sum())
