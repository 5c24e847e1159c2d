"""What ordinary stars look like, line by line, and how far a spectrum is from all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.ndimage import uniform_filter1d

from agent.spectra.instrument import in_terrestrial
from agent.spectra.pixel_grid import LIGHT_KMS, pixel_grid
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

STEP_KMS = 69.0  # a pixel of LAMOST and SDSS
FIRST, LAST = 3700.0, 9200.0  # angstrom, what LAMOST, SDSS and DESI have in common
EDGES: FloatArray = np.exp(np.arange(math.log(FIRST), math.log(LAST), STEP_KMS / LIGHT_KMS))
BINS = EDGES.size - 1
MIDDLES: FloatArray = np.sqrt(EDGES[1:] * EDGES[:-1])
MIN_COVERAGE = 0.5  # of a bin, by good pixels
MIN_BINS = 200  # 14,000 km/s, one arm of LAMOST's medium resolution
CONTINUUM_BINS = 151  # some 200 angstrom: wider than a Balmer line, narrower than the response
LEAST_CONTINUUM = 0.05  # times the median flux
DEEPEST, HIGHEST = -1.0, 3.0

SCALES = (1, 5, 25)  # bins: lines, wide lines, bands
PARTS = 4  # of the wavelengths, each judged alone: a companion shows at one end
MOST_SIGMA = 10.0  # so that one cosmic ray is not all
MIN_PART = 60  # bins that a part must have
RIDGE = 1e-3
NEIGHBOURS = 5
LEFT_NUMBERS = (
    *(f"left_{scale}_{part}" for scale in SCALES for part in range(PARTS)), "left_sky", "apart",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Lines:
    """A spectrum divided by its continuum, less 1, on the bins of this module."""

    values: FloatArray  # 0 where nothing was measured
    errors: FloatArray
    known: BoolArray


def lines_of(spectrum: Spectrum, shift: float = 1.0) -> Lines | None:
    """The lines at rest for a star whose wavelengths are stretched by `shift`."""
    grid = pixel_grid(spectrum)
    if not grid.is_usable:
        return None
    sums = grid.sums(EDGES[:-1] * shift, EDGES[1:] * shift)
    known = sums.coverage > MIN_COVERAGE
    if known.sum() < MIN_BINS:
        return None
    # Divide by a running mean of what is known.
    flux = np.where(known, sums.mean, 0.0)
    share = uniform_filter1d(known.astype(np.float64), CONTINUUM_BINS, mode="constant")
    mean = uniform_filter1d(flux, CONTINUUM_BINS, mode="constant") / np.maximum(share, 1e-6)
    least = LEAST_CONTINUUM * max(float(np.median(flux[known])), 1e-9)
    continuum = np.maximum(mean, least)
    values = np.where(known, np.clip(flux / continuum - 1.0, DEEPEST, HIGHEST), 0.0)
    return Lines(values, np.where(known, sums.error, 0.0) / continuum, known)


@cache
def terrestrial_bins() -> BoolArray:
    """Bins in lines of the night sky and in telluric bands."""
    return in_terrestrial(MIDDLES)


@dataclass(frozen=True, eq=False)
class OrdinarySpectra:
    """A mean spectrum of lines, components, and how far ordinary stars scatter around them."""

    mean: FloatArray
    components: FloatArray  # (components, BINS), orthogonal
    spread: FloatArray  # of the coefficients of ordinary stars
    floor: FloatArray  # what the components leave of a star without noise, per bin
    members: FloatArray  # (stars, components): coefficients of ordinary stars over their spread
    snr: FloatArray  # at which `usual` and `scatter` are known
    usual: FloatArray  # (snr, numbers)
    scatter: FloatArray

    @cached_property
    def _own_distances(self) -> FloatArray:
        """How far each member is from its neighbours, which is more where few stars are."""
        apart = ((self.members[:, None] - self.members[None]) ** 2).sum(axis=2)
        return np.asarray(
            np.partition(apart, NEIGHBOURS, axis=1)[:, 1 : NEIGHBOURS + 1].mean(axis=1)
        )

    def sigmas(self, numbers: list[float], snr: float) -> list[float]:
        """The numbers in standard deviations from what is usual at this S/N."""
        at = math.log(min(max(snr, self.snr[0]), self.snr[-1]))
        steps = np.log(self.snr)
        return [
            float((number - np.interp(at, steps, usual)) / np.interp(at, steps, scatter))
            for number, usual, scatter in zip(numbers, self.usual.T, self.scatter.T, strict=True)
        ]

    def numbers(self, lines: Lines) -> list[float]:
        """The LEFT_NUMBERS, as logarithms: the mean square of what the components leave, in each
        part at each scale and in the sky lines, and the distance to the most similar ordinary
        stars. NaN where not covered."""
        variance = lines.errors**2 + self.floor**2
        weights = np.where(lines.known, 1.0 / variance, 0.0)
        coefficients, left = self.fitted(lines.values, weights)
        sigmas = np.clip(left * np.sqrt(weights), -MOST_SIGMA, MOST_SIGMA)
        numbers = []
        for scale in SCALES:
            smooth = sigmas if scale == 1 else uniform_filter1d(sigmas, scale) * math.sqrt(scale)
            for part, known in zip(
                np.array_split(smooth, PARTS), np.array_split(lines.known, PARTS), strict=True
            ):
                enough = known.sum() >= MIN_PART
                numbers.append(math.log(np.mean(part[known] ** 2) + 0.1) if enough else math.nan)
        sky = sigmas[terrestrial_bins() & lines.known]
        numbers.append(math.log(np.mean(sky**2) + 0.1) if sky.size >= MIN_PART else math.nan)
        apart = ((self.members - coefficients / self.spread) ** 2).sum(axis=1)
        nearest = np.argpartition(apart, NEIGHBOURS)[:NEIGHBOURS]
        usual = float(self._own_distances[nearest].mean())
        numbers.append(math.log(float(apart[nearest].mean()) / usual + 0.01))
        return numbers

    def fitted(self, values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the components, and what they leave."""
        weighted = self.components * weights
        normal = weighted @ self.components.T
        # Where half the spectrum is missing the spread of ordinary stars decides.
        normal += np.diag(RIDGE * np.trace(normal) / len(normal) + 1.0 / self.spread**2)
        wanted = weighted @ (values - self.mean)
        coefficients = np.asarray(np.linalg.solve(normal, wanted), dtype=np.float64)
        return coefficients, values - self.mean - coefficients @ self.components
