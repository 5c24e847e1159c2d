"""Spectra like those of published libraries: bright, well observed, on any wavelength grid."""

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.spectrum import FloatArray
from train.simulate.source import GRID, LIGHT_KMS, Rng, Source
from train.simulate.telescope.detector import smooth_curve
from train.simulate.telescope.instrument import chebyshev
from train.simulate.telescope.night import oxygen_depth
from train.simulate.telescope.observation import Observation, Record, band_snr, happens, log_uniform
from train.simulate.telescope.optics import blur, integrate, pixel_edges, sigma_pixels
from train.simulate.telescope.surveys import ATLAS

KNOWN_RANGES = (
    (3540.0, 7410.0), (3465.0, 9469.0), (3310.0, 9500.0), (4000.0, 8000.0), (3310.0, 10600.0),
    (3600.0, 9200.0), (3850.0, 6800.0),
)  # fmt: skip
STEPS = (0.9, 5.0)
RESOLUTIONS = (400.0, 2500.0)
SNR_RANGE = (30.0, 500.0)
MIN_SPAN = 800.0


def observe_atlas(
    source: Source, rng: Rng, snr: float | None = None, errors_known: bool | None = None
) -> Observation:
    """A library spectrum of this source: linear grid, high S/N, no sky, almost no artefacts."""
    snr = log_uniform(rng, SNR_RANGE) if snr is None else snr
    resolution = min(log_uniform(rng, RESOLUTIONS), source.resolution or np.inf)
    wavelength = _grid(source, resolution, rng)
    velocity = source.velocity_kms if happens(rng, 0.3) else 0.0
    blurred = blur(source.flux, sigma_pixels(resolution, source.resolution))
    seen = integrate(blurred, pixel_edges(wavelength), velocity)
    level = float(np.median(seen))
    if not level > 0:
        span = f"{wavelength[0]:.0f}-{wavelength[-1]:.0f} A"
        raise WorkbenchError(f"the simulated {source.label} has no flux in {span}")
    # Half photon noise, half a constant fraction of the flux: flat-field errors dominate here.
    flux = seen / level
    sigma = np.sqrt(0.5 * np.maximum(flux, 0.02) + 0.5 * flux**2) / snr
    flux = flux + sigma * rng.standard_normal(flux.size)
    flux *= np.exp(smooth_curve(rng, chebyshev(wavelength.size, 8), 0.015))
    record: Record = {"resolution": round(resolution, 1), "velocity_seen_kms": round(velocity, 2)}
    if happens(rng, 0.25):
        residual = float(rng.uniform(0.05, 0.9))
        flux *= 1.0 - residual * oxygen_depth(wavelength)
        record["oxygen_left"] = round(residual, 3)
    scale = 10.0 ** rng.uniform(-1.0, 3.0) if happens(rng, 0.5) else 1.0
    ivar = 1.0 / (sigma * scale) ** 2
    none = np.zeros(wavelength.size, dtype=np.int32)
    record |= {"snr_asked": round(snr, 2), "step": round(float(wavelength[1] - wavelength[0]), 4)}
    return Observation(
        wavelength=wavelength,
        flux=flux * scale,
        ivar=ivar,
        andmask=none,
        ormask=none,
        survey=ATLAS,
        resolution=float(resolution),
        snr=band_snr(wavelength, flux * scale, ivar),
        parameters=record,
        errors_known=happens(rng, 0.4) if errors_known is None else errors_known,
    )


def _grid(source: Source, resolution: float, rng: Rng) -> FloatArray:
    """The range of a known library or a random one, with two pixels per resolution element."""
    if happens(rng, 0.7):
        low, high = KNOWN_RANGES[int(rng.integers(len(KNOWN_RANGES)))]
    else:
        low = rng.uniform(3350.0, 4300.0)
        high = rng.uniform(6800.0, 10600.0)
    doppler = 1.0 + source.velocity_kms / LIGHT_KMS
    low = max(low, source.valid[0] * doppler, GRID[0] + 5.0)
    high = min(high, source.valid[1] * doppler, GRID[-1] - 5.0)
    if high - low < MIN_SPAN:
        raise WorkbenchError(f"{source.label} {source.subtype} covers only {low:.0f}-{high:.0f} A")
    step = min(log_uniform(rng, STEPS), 5500.0 / resolution / 2.0)
    return np.arange(low, high, step)
