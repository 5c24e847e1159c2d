"""The measurements by name: what a caller imports from one place."""

from __future__ import annotations

from agent.spectra.instrument import lsf_fwhm
from agent.spectra.lines import Line
from agent.spectra.measure.areas import centroid, equivalent_width, line_windows
from agent.spectra.measure.continuum import pseudo_continuum
from agent.spectra.measure.features import feature_names, feature_vector
from agent.spectra.measure.indices import measure_index, measure_indices
from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.line_search import measure_feature
from agent.spectra.measure.measurement import Measurement, measured, refused
from agent.spectra.measure.noise import Quality, join_step, quality, signal_to_noise
from agent.spectra.measure.slope import flux_ratio, power_law_index
from agent.spectra.measure.velocity import cross_correlate, velocity_from_lines
from agent.spectra.measure.window_measure import WindowMeasurement, measure_window
from agent.spectra.sampling import LIGHT_KMS, doppler
from agent.spectra.spectrum import Spectrum, Window

__all__ = [
    "LineMeasurement",
    "Measurement",
    "Quality",
    "WindowMeasurement",
    "centroid",
    "cross_correlate",
    "equivalent_width",
    "feature_names",
    "feature_vector",
    "flux_ratio",
    "fwhm",
    "join_step",
    "measure_feature",
    "measure_index",
    "measure_indices",
    "measure_line",
    "measure_window",
    "power_law_index",
    "pseudo_continuum",
    "quality",
    "signal_to_noise",
    "velocity_from_lines",
]


def fwhm(
    spectrum: Spectrum, where: Line | str | Window, velocity_kms: float = 0.0, unit: str = "Å"
) -> Measurement:
    """FWHM of the strongest line centred in a window, in angstrom as observed, or in km/s with the
    instrument's width taken out where that is known (0: unresolved)."""
    name, window, _ = line_windows(where, None)
    name = f"FWHM_{name}"
    shift = doppler(velocity_kms)
    if not shift > 0:
        return refused(name, "no such velocity", unit, window)
    seen = (window[0] * shift, window[1] * shift)
    found = measure_feature(spectrum, seen, name)
    if found.fwhm is None or found.fwhm_error is None or found.centroid is None:
        return refused(name, found.reason or "no line above 3 sigma", unit, seen)
    if unit == "Å":
        return measured(name, found.fwhm, found.fwhm_error, unit, found.window, found.n_pixels)
    if found.fwhm_kms is None:
        return refused(name, "the width is not known", unit, seen)
    kms = LIGHT_KMS / found.centroid
    # d(sqrt(f^2 - l^2)) = f / sqrt(f^2 - l^2) df, held finite for unresolved lines.
    instrument = lsf_fwhm(spectrum, found.centroid) or 0.0
    own = max(found.fwhm_kms / kms, 0.5 * instrument, 1e-6)
    error = kms * found.fwhm_error * found.fwhm / own
    return measured(name, found.fwhm_kms, error, "km/s", found.window, found.n_pixels)
