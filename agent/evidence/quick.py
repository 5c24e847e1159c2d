"""A first look at a spectrum that millions can have: kind, velocity, oddness, quality.

It takes a tenth of what a whole inspection takes: no line is fitted. Weights, templates of the
velocity and the ordinary spectra that oddness is measured from are in resources/weights/quick.npz,
which `spec-o3-train quick-weights` makes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft
from scipy.ndimage import uniform_filter1d

from agent.evidence.feature_numbers import BOTH
from agent.evidence.kinds import Kinds, feature_row, softmax
from agent.evidence.measurements import SpectrumMeasurements
from agent.evidence.ordinary import (
    LEFT_NUMBERS,
    STEP_KMS,
    Lines,
    OrdinarySpectra,
    lines_of,
    terrestrial_bins,
)
from agent.evidence.star_velocity import StarVelocity
from agent.hashing import bytes_hash
from agent.spectra.instrument import terrestrial_range
from agent.spectra.lines import builtin_lines
from agent.spectra.pixel_grid import LIGHT_KMS, doppler, kept_with, pixel_grid
from agent.spectra.rebinning import measurable
from agent.spectra.spectrum import FloatArray, Spectrum

FFT_SIZE = 4096  # the next power of two: the bins beyond the spectrum keep its ends apart
FASTEST_BINS = 14  # 970 km/s, faster than any star of the disc or the halo
REACH = 30  # bins of the correlation that are looked at
SHARP_BINS = 15  # lines of metals are narrower, those of hydrogen wider
SECOND = np.arange(3, 9)  # bins, 200 to 550 km/s: where a second star's lines may lie

# Of the features: of a red arm fewer are known, and the weights were fitted on whole spectra. A
# hundredth of LAMOST's own spectra have fewer, for lack of light.
LEAST_KNOWN = 0.45
# Names of what oddness is told from, but for the p of each kind, which follow.
ODD_NUMBERS = (
    *LEFT_NUMBERS, "height", "width", "second", "snr", "join", "sky", "noise", "undecided",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class QuickNumbers:
    """What one first look found; `p` is the probability of each kind of object."""

    p: FloatArray
    velocity: StarVelocity
    oddness: float
    """Log-odds, in nats, of being none of the ordinary stars; NaN where little is covered."""
    numbers: SpectrumMeasurements
    """At this velocity, of the features that the look needs."""
    known: float  # share of the features that could be measured


class Trees(NamedTuple):
    """A sum of decision trees; each array is (trees, nodes), and a leaf has feature -1."""

    feature: NDArray[np.int16]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.bool_]  # where a number that is not known goes
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    value: NDArray[np.float32]

    def score(self, numbers: FloatArray) -> float:
        """All trees take a step at a time, until every one is at a leaf."""
        tree, node = np.arange(len(self.feature)), np.zeros(len(self.feature), np.int16)
        while (feature := self.feature[tree, node]).max() >= 0:
            value = numbers[feature]
            goes_left = np.where(
                np.isnan(value), self.missing_left[tree, node], value <= self.threshold[tree, node]
            )
            step = np.where(goes_left, self.left[tree, node], self.right[tree, node])
            node = np.where(feature < 0, node, step)
        return float(self.value[tree, node].sum())


@dataclass(frozen=True, eq=False)
class QuickWeights:
    """All that a first look was fitted with."""

    kinds: Kinds
    templates: FloatArray  # (templates, BINS): lines of typical stars at rest
    error_scale: float  # of the velocity, found on simulated stars
    ordinary: OrdinarySpectra
    odd: Trees
    cuts: FloatArray
    """For each kind the least p that a member of its class has, but for 0.5 % of them."""
    sha256: str

    def may_be(self, label: str, quick: QuickNumbers) -> bool:
        """Whether a spectrum may belong to a class; what the weights cannot judge always may."""
        if label not in self.kinds.labels or quick.known < LEAST_KNOWN:
            return True
        place = self.kinds.labels.index(label)
        return bool(quick.p[place] >= self.cuts[place])

    @cached_property
    def transforms(self) -> FloatArray:
        """Of the templates, each of length 1, conjugated."""
        return np.asarray(np.conj(rfft(_of_length_1(self.templates), FFT_SIZE)))

    def look(self, spectrum: Spectrum) -> QuickNumbers:
        """The first look; a spectrum with too few good pixels has no velocity and no oddness."""
        numbers, peak = self.measured(measurable(spectrum))
        p, known = self.kinds_of(numbers)
        oddness = math.nan
        if peak is not None:
            oddness = self.odd.score(self.odd_numbers(numbers, peak, p))
        return QuickNumbers(p, numbers.velocity, oddness, numbers, known)

    def measured(self, spectrum: Spectrum) -> tuple[SpectrumMeasurements, CorrelationPeak | None]:
        """What kinds are told from, at the velocity of the best template, and its peak."""
        lines = lines_of(spectrum)
        peak = None if lines is None else self.correlated(lines)
        velocity = StarVelocity() if peak is None else peak.velocity
        return SpectrumMeasurements(spectrum, velocity, self._index_names), peak

    @cached_property
    def _index_names(self) -> frozenset[str]:
        parts = (part for name in self.kinds.features for part in BOTH.get(name, ("",))[1:])
        return frozenset({*self.kinds.features, *parts})

    def kinds_of(self, numbers: SpectrumMeasurements) -> tuple[FloatArray, float]:
        """The probability of each kind, and the share of the features that are known."""
        values, errors = feature_row(numbers, self.kinds.features, profiles=False)
        terms = self.kinds.terms(values[None, :], errors[None, :])
        known = float(np.isfinite(values).mean())
        return np.asarray(softmax(self.kinds.scores(terms))[0]), known

    def odd_numbers(
        self, numbers: SpectrumMeasurements, peak: CorrelationPeak, p: FloatArray
    ) -> FloatArray:
        """What oddness is told from, in the order of ODD_NUMBERS; NaN where not covered."""
        spectrum, state = numbers.spectrum, numbers.quality
        rest = lines_of(spectrum, doppler(peak.velocity.kms))
        left = [math.nan] * len(LEFT_NUMBERS) if rest is None else self.ordinary.numbers(rest)
        logs = np.log10(np.maximum(p, 1e-6))
        step = state.join_step
        return np.array(
            [
                *self.ordinary.sigmas(left, numbers.overall_snr),
                peak.height, peak.width, peak.second, math.log(max(numbers.overall_snr, 0.1)),
                math.nan if step.value is None else abs(step.value),
                math.log(max(sky_ratio(spectrum), 0.01)),
                math.nan if state.noise_ratio is None else math.log(max(state.noise_ratio, 0.01)),
                float(-(p * logs).sum()), *logs,
            ]
        )  # fmt: skip

    def correlated(self, lines: Lines) -> CorrelationPeak:
        """Where the best template's lines lie, by cross-correlation (Tonry & Davis 1979)."""
        values = np.where(terrestrial_bins(), 0.0, lines.values)
        correlation = irfft(rfft(values, FFT_SIZE)[None, :] * self.transforms, FFT_SIZE)
        near = np.concatenate([correlation[:, -REACH:], correlation[:, : REACH + 1]], axis=1)
        inside = slice(REACH - FASTEST_BINS, REACH + FASTEST_BINS + 1)
        best = int(np.argmax(near[:, inside].max(axis=1)))
        at = inside.start + int(np.argmax(near[best, inside]))
        before, peak, after = near[best, at - 1 : at + 2].tolist()
        curve = before - 2.0 * peak + after
        offset = at - REACH + 0.5 * (before - after) / curve if curve < 0 else math.inf
        if not peak > 0 or abs(offset) > FASTEST_BINS:
            return NO_PEAK
        # An ideal peak is symmetric: what is not is noise of the height of the peak.
        rolled = np.roll(correlation[best], -round(offset))
        uneven = float(np.sqrt(np.mean((rolled - np.roll(rolled[::-1], 1)) ** 2) / 2.0))
        width = math.sqrt(peak / -curve)
        error = width / (1.0 + peak / max(math.sqrt(2.0) * uneven, 1e-12))
        kms = LIGHT_KMS * math.expm1(offset * STEP_KMS / LIGHT_KMS)
        return CorrelationPeak(
            StarVelocity(kms, self.error_scale * STEP_KMS * error, "quick"),
            height=peak / max(float(np.linalg.norm(values)), 1e-12),
            width=math.log(width / self.widths[best]),
            second=self._second(values, best, round(offset)),
        )

    @cached_property
    def _sharp(self) -> tuple[FloatArray, FloatArray]:
        """Transforms of the sharp lines of each template, and their correlation with themselves."""
        transforms = rfft(_of_length_1(_sharp_lines(self.templates)), FFT_SIZE)
        return np.conj(transforms), irfft(np.abs(transforms) ** 2, FFT_SIZE)

    def _second(self, values: FloatArray, best: int, offset: int) -> float:
        """How high a second peak stands beside the first, where two stars have sharp lines."""
        transforms, own = self._sharp
        correlation = irfft(rfft(_sharp_lines(values), FFT_SIZE) * transforms[best], FFT_SIZE)
        beside = np.concatenate([SECOND, -SECOND])
        peak = float(correlation[offset])
        left = float((correlation[offset + beside] - peak * own[best][beside]).max())
        return left / peak if peak > 0 else math.nan

    @cached_property
    def widths(self) -> FloatArray:
        """How wide the peak of each template with itself is."""
        own = irfft(np.abs(self.transforms) ** 2, FFT_SIZE)
        return np.asarray(np.sqrt(own[:, 0] / (2.0 * own[:, 0] - own[:, 1] - own[:, -1])))


@dataclass(frozen=True)
class CorrelationPeak:
    """The highest peak of the correlation with a template."""

    velocity: StarVelocity
    height: float  # 1 for the very template
    width: float  # logarithm of its width, over that of the template with itself
    second: float  # height of what is left beside it without the template, over its own


def _of_length_1(templates: FloatArray) -> FloatArray:
    return np.asarray(templates / np.linalg.norm(templates, axis=1, keepdims=True))


def _sharp_lines(values: FloatArray) -> FloatArray:
    return np.asarray(values - uniform_filter1d(values, SHARP_BINS, axis=-1, mode="constant"))


NO_PEAK = CorrelationPeak(StarVelocity(), height=0.0, width=math.nan, second=math.nan)


@kept_with
def sky_ratio(spectrum: Spectrum) -> float:
    """How much more a spectrum scatters in the lines of the night sky than elsewhere."""
    grid = pixel_grid(spectrum)
    if not grid.is_usable or grid.wavelength.size < 10:
        return 0.0
    inside = np.zeros(grid.wavelength.size, dtype=np.bool_)
    for line in builtin_lines().terrestrial:
        if line.kind == "sky":
            inside[grid.slice(*terrestrial_range(line))] = True
    # Third differences: neither lines of the star nor its continuum are in them.
    third = np.abs(np.diff(grid.flux, 3)) / grid.sigma[1:-2]
    good = grid.good[:-3] & grid.good[1:-2] & grid.good[2:-1] & grid.good[3:]
    sky, rest = third[inside[1:-2] & good], third[~inside[1:-2] & good]
    if sky.size < 10 or rest.size < 10:
        return 0.0
    return float(sky.mean() / max(float(rest.mean()), 1e-9))


KINDS_ARRAYS = ("knots", "scales", "weights", "intercepts")


@cache
def quick_weights() -> QuickWeights:
    with as_file(files("resources") / "weights" / "quick.npz") as path:
        return read_quick_weights(path)


def read_quick_weights(path: Path) -> QuickWeights:
    content = path.read_bytes()
    with np.load(path, allow_pickle=False) as found:
        return from_arrays(dict(found), bytes_hash(content))


def from_arrays(found: dict[str, Any], sha256: str) -> QuickWeights:
    """The weights from the arrays of their file, which are kept in half precision."""
    arrays = {
        name: array.astype(np.float64) if array.dtype.kind == "f" else array
        for name, array in found.items()
    }
    kinds = Kinds(
        labels=tuple(arrays["labels"].tolist()),
        features=tuple(arrays["features"].tolist()),
        **{name: arrays[name] for name in KINDS_ARRAYS},
    )
    odd = Trees(*(found[f"odd_{name}"] for name in Trees._fields))
    names = ("mean", "components", "spread", "floor", "members", "snr", "usual", "scatter")
    ordinary = OrdinarySpectra(**{name: arrays[name] for name in names})
    scale, cuts = float(arrays["error_scale"]), arrays["cuts"]
    return QuickWeights(kinds, arrays["templates"], scale, ordinary, odd, cuts, sha256)
