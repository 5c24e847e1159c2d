"""What the eye is asked of a picture: the measured quantities within it, and the kind of object."""

from functools import cache

import numpy as np

from agent.evidence.feature_numbers import BOTH
from agent.evidence.kinds import builtin_kinds, feature_row
from agent.evidence.measurements import SpectrumMeasurements
from agent.evidence.star_velocity import StarVelocity
from agent.evidence.window_numbers import rest_window
from agent.spectra.pixel_grid import doppler
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum, Window
from train.simulate.sky import LABELS

FILLED = 0.4  # share of a feature's range; where pixels grow with wavelength, half of them hold 0.6
EDGE = 4.0  # angstrom by which a picture must reach beyond a quantity's own range


@cache
def asked_features() -> tuple[str, ...]:
    """The features that have one place in the spectrum, in the order of the fitted kinds."""
    composite = {*BOTH, "bend"}
    return tuple(name for name in builtin_kinds().features if name not in composite)


@cache
def feature_windows() -> FloatArray:
    """(features, 2) rest-frame ranges, angstrom."""
    line_of = [name.removesuffix("_abs_fwhm").removesuffix("_peak") for name in asked_features()]
    return np.array([rest_window(name) for name in line_of])


@cache
def knots() -> FloatArray:
    """(features, steps): values between which a quantity is ranked."""
    kinds = builtin_kinds()
    return kinds.knots[[kinds.features.index(name) for name in asked_features()]]


def measured_values(spectrum: Spectrum, velocity_kms: float) -> FloatArray:
    """Features of a (nearly) noiseless spectrum at its true velocity; NaN where not measured."""
    velocity = StarVelocity(velocity_kms, 0.0, "simulation")
    values, errors = feature_row(SpectrumMeasurements(spectrum, velocity), asked_features())
    return np.where(np.isfinite(errors), values, np.nan)


def ranks(values: FloatArray) -> FloatArray:
    """Each value between -1 and 1 by its rank among all kinds of objects."""
    own_knots = knots()
    places = np.linspace(-1.0, 1.0, own_knots.shape[1])
    ranked = [np.interp(value, own, places) for value, own in zip(values, own_knots, strict=True)]
    return np.where(np.isfinite(values), np.array(ranked), np.nan)


def within(window: Window, velocity_kms: float) -> BoolArray:
    """Which features a picture of this window shows whole."""
    low, high = (feature_windows() * doppler(velocity_kms)).T
    return (low - EDGE >= window[0]) & (high + EDGE <= window[1])


def has_data(spectrum: Spectrum, velocity_kms: float) -> BoolArray:
    """Which features have good pixels to measure, and lie in no gap of the spectrum."""
    good = spectrum.wavelength[spectrum.good]
    low, high = (feature_windows() * doppler(velocity_kms)).T
    pixels = np.searchsorted(good, high) - np.searchsorted(good, low)
    return pixels * np.median(np.diff(good)) > FILLED * (high - low)


def kind_number(label: str) -> int:
    """Index of a kind of object; -1 for labels that are none, such as OTHER."""
    return LABELS.index(label) if label in LABELS else -1
