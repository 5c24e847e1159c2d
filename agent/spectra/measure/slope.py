"""Power-law index of the continuum between windows free of lines."""

from __future__ import annotations

import numpy as np

from agent.spectra.measure.measurement import Measurement, measured, refused
from agent.spectra.pixel_grid import pixel_grid
from agent.spectra.spectrum import Spectrum

# Free of strong lines in hot stars and accretion discs, vacuum angstrom.
CLEAR_WINDOWS = (
    (4020.0, 4060.0),
    (4150.0, 4280.0),
    (4400.0, 4460.0),
    (4500.0, 4600.0),
    (4720.0, 4780.0),
    (5030.0, 5140.0),
    (5220.0, 5560.0),
    (5600.0, 5680.0),
    (5920.0, 6260.0),
    (6330.0, 6500.0),
    (6620.0, 6660.0),
    (6700.0, 6840.0),
    (7100.0, 7150.0),
    (7350.0, 7560.0),
    (7720.0, 8100.0),
    (8700.0, 8740.0),
)


def power_law_index(spectrum: Spectrum, lo: float, hi: float) -> Measurement:
    """Index of F_lambda ~ wavelength^index from the clear windows between lo and hi."""
    name = f"slope_{lo:.0f}_{hi:.0f}"
    grid = pixel_grid(spectrum)
    windows = np.array([window for window in CLEAR_WINDOWS if window[0] >= lo and window[1] <= hi])
    if len(windows) < 2 or not grid.is_usable:
        return refused(name, "fewer than two clear windows", "", (lo, hi))
    sums = grid.sums(windows[:, 0], windows[:, 1])
    mean, error = sums.mean, sums.error
    usable = (sums.coverage > 0.75) & (mean > 3 * error)
    if usable.sum() < 2 or float(np.ptp(sums.centre[usable])) < 0.4 * (hi - lo):
        return refused(name, "too little of the range is above the noise", "", (lo, hi))
    x = np.log(sums.centre[usable])
    y, sigma = np.log(mean[usable]), error[usable] / mean[usable]
    # Structure in the windows, about 2 %, limits bright spectra rather than noise.
    weight = 1.0 / (sigma**2 + 0.02**2)
    middle = float((weight * x).sum() / weight.sum())
    power = float((weight * (x - middle) ** 2).sum())
    index = float((weight * (x - middle) * y).sum()) / power
    return measured(name, index, power**-0.5, "", (lo, hi), int(sums.n_pixels[usable].sum()))
