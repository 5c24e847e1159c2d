"""Every gate is measured, but only where it means something."""

from __future__ import annotations

import math

from agent.evidence.gate_numbers import BOTH, HOT_ONLY, gate_numbers
from agent.evidence.gates import GATES
from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.measure.index_definitions import builtin_indices
from tests.agent.evidence.simulated import simulated_spectrum


def test_every_gate_can_be_measured_and_is_measured():
    measured = {"H_alpha_peak", "H_alpha_em_fwhm", "H_alpha_abs_fwhm", "bend"}
    measured |= {name.replace("alpha", "beta") for name in measured} | set(BOTH)
    assert set(GATES) <= measured | set(builtin_indices())
    assert set(GATES) >= HOT_ONLY
    for label in ("A", "MG", "CV"):
        assert set(GATES) <= set(gate_numbers(SpectrumMeasurements(simulated_spectrum(label))))


def test_lines_of_hot_stars_are_not_read_in_cool_ones():
    cool, hot = (
        gate_numbers(SpectrumMeasurements(simulated_spectrum(label))) for label in ("K", "A")
    )
    assert math.isnan(cool["H_gamma_D2"][0]) and 8 < hot["H_gamma_D2"][0] < 26
    assert math.isfinite(cool["TiO5"][0])
