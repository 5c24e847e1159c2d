from __future__ import annotations

import numpy as np

from agent.spectra.measure.features import feature_names, feature_vector
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import STAR, observed, stark


def test_feature_vector_has_the_same_names_always(rng: np.random.Generator) -> None:
    full = feature_vector(observed(STAR, 30.0, rng))
    poor = feature_vector(Spectrum(wavelength=np.array([5000.0, 5001.0]), flux=np.ones(2)))
    assert tuple(full) == tuple(poor) == feature_names()
    assert np.isfinite(list(full.values())).mean() > 0.9
    assert np.isnan(poor["TiO5"]) and poor["bad_fraction"] == 0.0


def test_white_dwarf_and_a_star_differ_in_width() -> None:
    widths = {}
    for name, line in (
        ("WD", stark("Hg", "H_gamma", 4341.69, 42.0, 0.5)),
        ("A", stark("Hg", "H_gamma", 4341.69, 17.0, 0.65)),
    ):
        widths[name] = feature_vector(observed([line], 40.0, None))["H_gamma_D2"]
    assert widths["WD"] > 30.0 > 24.0 > widths["A"]
