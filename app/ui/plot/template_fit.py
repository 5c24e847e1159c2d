"""A template brought to the height of a spectrum."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import FloatArray
from app.ui.plot.trace import Trace

ROUNDS = 4
CLIP_SIGMA = 3.0
FEWEST = 20


def scaled(
    trace: Trace, wavelength_rest: FloatArray, flux: FloatArray, z: float
) -> tuple[FloatArray, FloatArray] | None:
    """Observed wavelengths, and fluxes in the units of the trace: the factor of least squares, once
    what stands out is left aside. None where they have too little in common."""
    wavelength = wavelength_rest * (1.0 + z)
    there = np.isfinite(flux) & np.isfinite(wavelength)
    if there.sum() < 2:
        return None
    model = np.interp(trace.wavelength, wavelength[there], flux[there], left=np.nan, right=np.nan)
    both = np.isfinite(model) & np.isfinite(trace.flux)
    data, model = trace.flux[both], model[both]
    if data.size < FEWEST:
        return None
    factor = 1.0
    for _ in range(ROUNDS):
        power = float(np.dot(model, model))
        if not power > 0:
            return None
        factor = float(np.dot(model, data)) / power
        rest = np.abs(data - factor * model)
        kept = rest <= CLIP_SIGMA * 1.4826 * float(np.median(rest)) + 1e-12
        if kept.all() or kept.sum() < FEWEST:
            break
        data, model = data[kept], model[kept]
    return (wavelength, factor * flux) if np.isfinite(factor) and factor > 0 else None
