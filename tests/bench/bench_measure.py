"""What the measurements cost, beside specutils' own functions for the same lines."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from agent.spectra.lines import builtin_lines
from agent.spectra.measure.features import feature_names, feature_vector
from agent.spectra.measure.line_measure import equivalent_width, measure_line
from agent.spectra.measure.window_measure import measure_window
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import BROAD, H_ALPHA, WIDE, gaussian, observed
from tests.bench.measurement_table import measure
from tests.bench.measuring import figure_line, ms_of

ROUNDS = 15
LINES = (("H_alpha", H_ALPHA), ("H_beta", 4862.69), ("HeI_6678", 6679.99), ("NaI_D", 5894.57))


def figures() -> Iterator[dict[str, object]]:
    rng = np.random.default_rng(11)
    shapes = [BROAD, WIDE, gaussian("Na", "NaI_D", 5894.57, 9.0, -0.5)]

    def fresh() -> Spectrum:
        return observed(shapes, 30.0, rng)

    value = _median_ms(feature_vector, fresh)
    numbers = len(feature_names())
    yield figure_line("feature_vector", value, "ms", numbers=numbers, pixels=len(fresh()))
    yield figure_line("measure_line", _median_ms(lambda s: measure_line(s, "H_alpha"), fresh), "ms")
    yield figure_line(
        "measure_window", _median_ms(lambda s: measure_window(s, 6450.0, 6680.0), fresh), "ms"
    )
    ours = _median_ms(_our_widths, fresh)
    theirs = _median_ms(_specutils_widths(), fresh)
    baseline = "specutils.analysis.equivalent_width"
    title = "equivalent width of 4 lines"
    yield figure_line(
        title, theirs / ours, "times faster", baseline=baseline, ours_ms=ours, baseline_ms=theirs
    )
    row = measure(BROAD, 10, 60)
    yield figure_line(
        "broad emission at S/N 10", 100 * row.ew_bias, "percent of EW, bias",
        ew_scatter_percent=100 * row.ew_scatter, ew_pull=row.ew_pull,
        fwhm_bias_percent=100 * row.fwhm_bias
    )  # fmt: skip


def _our_widths(spectrum: Spectrum) -> list[float]:
    return [equivalent_width(spectrum, builtin_lines()[name]).number for name, _ in LINES]


def _specutils_widths() -> Callable[[Spectrum], list[float]]:
    """Equivalent widths of the same lines over the same windows; the continuum is given as 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import astropy.units as u
        import specutils
        from specutils.analysis import equivalent_width as their_width

    container = getattr(specutils, "Spectrum", None) or specutils.Spectrum1D

    def widths(spectrum: Spectrum) -> list[float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flux = spectrum.flux * u.dimensionless_unscaled
            other = container(spectral_axis=spectrum.wavelength * u.AA, flux=flux)
            regions = [
                specutils.SpectralRegion((at - 50.0) * u.AA, (at + 50.0) * u.AA) for _, at in LINES
            ]
            return [float(their_width(other, regions=region).value) for region in regions]

    return widths


def _median_ms(work: Callable[[Spectrum], object], fresh: Callable[[], Spectrum]) -> float:
    work(fresh())
    spectra = [fresh() for _ in range(ROUNDS)]
    return statistics.median(ms_of(partial(work, spectrum)) for spectrum in spectra)
