"""How far the simulated sky is from the real one, measured: `spec-o3-train realism DIR`.

Each labelled real spectrum is met by simulated ones of its class, observed as it was: the same
wavelengths, resolution and signal-to-noise. Then two questions. Does every measurement of the real
spectra of a class lie inside the simulated distribution of that class? And can a classifier that
sees only measurements tell real from simulated, and by what?
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d

from agent.errors import WorkbenchError
from agent.spectra.features import feature_names, feature_vector
from agent.spectra.noise import signal_to_noise
from agent.spectra.spectrum import Spectrum
from train.simulate.frame import log_uniform
from train.simulate.instrument import chebyshev
from train.simulate.library import Base, Library
from train.simulate.observation import to_spectrum
from train.simulate.optics import blur, integrate, pixel_edges, sigma_pixels
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import GRID, FloatArray, Source
from train.simulate.surveys import SURVEYS
from train.simulate.telescope import observe

ALIASES = {"OTHER": "SDB"}
DEFAULT_RESOLUTION = {"MILES": 2200.0, "PICKLES": 500.0, "CALSPEC": 900.0, "STELIB": 2000.0}
WARP = 0.03
RIPPLE = (0.001, 0.006)
RIPPLE_PIXELS = (3.0, 25.0)
MIN_REAL = 3
"""Fewer real spectra of a class with a measurement say nothing about its distribution."""

Rng = np.random.Generator


@dataclass(frozen=True)
class Meeting:
    """One real spectrum and its simulated counterparts, as feature rows."""

    name: str
    survey: str
    label: str
    real: FloatArray
    simulated: FloatArray


@dataclass(frozen=True)
class Outlier:
    """A measurement whose real values sit oddly in the simulated distribution of their class."""

    label: str
    feature: str
    n_real: int
    median_percentile: float
    outside: float
    """Share of the real values beyond the simulated 1st to 99th percentile."""
    real_median: float
    simulated: tuple[float, float, float]
    """Simulated 5th, 50th and 95th percentile."""


def mimic(source: Source, real: Spectrum, rng: Rng) -> Spectrum:
    """The source as the real spectrum was observed: its pixels, sharpness and noise level."""
    first, last = np.searchsorted(real.wavelength, (GRID[0] + 20, GRID[-1] - 20))
    wavelength = real.wavelength[first:last]
    resolution = real.resolution or DEFAULT_RESOLUTION.get(real.survey.upper(), 1800.0)
    seen = integrate(
        blur(source.flux, sigma_pixels(resolution, source.resolution)),
        pixel_edges(wavelength),
        0.0,
    )
    shape = chebyshev(wavelength.size, 8)
    seen *= np.exp(shape @ rng.normal(0.0, WARP, shape.shape[1]))
    seen *= 1 + rng.uniform(*RIPPLE) * _ripple(wavelength.size, rng)
    sigma = np.maximum(seen, 1e-3 * np.median(seen)) / _snr_along(real, wavelength)
    noisy = seen + sigma * rng.standard_normal(wavelength.size)
    ivar = None if real.ivar is None else np.where(real.good[first:last], sigma**-2.0, 0.0)
    return Spectrum(wavelength=wavelength, flux=noisy, ivar=ivar, simulated=True)


def _ripple(pixels: int, rng: Rng) -> FloatArray:
    """Unit-variance residual of flat fields and flux standards, some tens of pixels long."""
    ripple = gaussian_filter1d(rng.standard_normal(pixels), log_uniform(rng, RIPPLE_PIXELS))
    return np.asarray(ripple / ripple.std())


def _snr_along(real: Spectrum, wavelength: FloatArray) -> FloatArray:
    """Signal-to-noise of the real spectrum in stretches of 300 angstrom, joined by lines."""
    places = np.arange(wavelength[0] + 150, wavelength[-1], 300.0)
    levels = np.array([signal_to_noise(real, at - 150, at + 150).number for at in places])
    known = np.isfinite(levels)
    if not known.any():
        return np.full(wavelength.size, 50.0)
    return np.interp(wavelength, places[known], np.clip(levels[known], 1.0, 1000.0))


def counterpart(label: str, real: Spectrum, rng: Rng) -> Spectrum:
    """One simulated spectrum of the class, by the survey's own telescope where we have it."""
    source = draw_source(label, rng)
    if real.survey not in SURVEYS:
        return mimic(source, real, rng)
    survey = "BOSS" if real.survey == "SDSS" and real.range[1] > 9500 else real.survey
    snr = real.snr or signal_to_noise(real, 6000, 6800).number
    level = float(np.clip(snr, 4.0, 150.0)) if np.isfinite(snr) else None
    seen = observe(source, survey, rng, snr=level)
    return to_spectrum(replace(seen, errors_known=real.ivar is not None))


def meetings(
    library: Library, per_real: int, seed: int, advance: Callable[[], None] = lambda: None
) -> Iterator[Meeting]:
    """Every usable spectrum of the library with `per_real` simulated ones."""
    from agent.spectra.readers import read

    for number, base in enumerate(library.bases):
        label = ALIASES.get(base.label, base.label)
        advance()
        if label not in LABELS:
            continue
        rng = np.random.default_rng([seed, number])
        yield _meet(base, label, read(base.path), per_real, rng)


def _meet(base: Base, label: str, real: Spectrum, per_real: int, rng: Rng) -> Meeting:
    simulated = [
        list(feature_vector(counterpart(label, real, rng)).values()) for _ in range(per_real)
    ]
    return Meeting(
        name=base.path.name,
        survey=real.survey,
        label=label,
        real=np.array(list(feature_vector(real).values())),
        simulated=np.array(simulated),
    )


def outliers(all_meetings: Sequence[Meeting]) -> list[Outlier]:
    """Every class and feature with enough real values, worst first."""
    rows = []
    for label in sorted({meeting.label for meeting in all_meetings}):
        of_class = [meeting for meeting in all_meetings if meeting.label == label]
        real = np.array([meeting.real for meeting in of_class])
        simulated = np.concatenate([meeting.simulated for meeting in of_class])
        for column, feature in enumerate(feature_names()):
            row = _compare(label, feature, real[:, column], simulated[:, column])
            if row is not None:
                rows.append(row)
    return sorted(rows, key=lambda row: (-row.outside, -abs(row.median_percentile - 50)))


def _compare(label: str, feature: str, real: FloatArray, simulated: FloatArray) -> Outlier | None:
    real, simulated = real[np.isfinite(real)], simulated[np.isfinite(simulated)]
    if real.size < MIN_REAL or simulated.size < 30:
        return None
    low, high = np.percentile(simulated, (1, 99))
    ranks = np.searchsorted(np.sort(simulated), real) / simulated.size
    return Outlier(
        label=label,
        feature=feature,
        n_real=int(real.size),
        median_percentile=100 * float(np.median(ranks)),
        outside=float(((real < low) | (real > high)).mean()),
        real_median=float(np.median(real)),
        simulated=tuple(np.percentile(simulated, (5, 50, 95))),
    )


@dataclass(frozen=True)
class Verdict:
    """What a classifier that tries to tell real from simulated achieves."""

    auc: float
    n_real: int
    giveaways: tuple[tuple[str, float], ...]
    """Features by the fall of AUC when they are shuffled."""


def tell_apart(all_meetings: Sequence[Meeting], seed: int, without: Sequence[str] = ()) -> Verdict:
    """Cross-validated AUC of gradient-boosted trees; a real spectrum and its mates share a fold."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.metrics import roc_auc_score
        from sklearn.model_selection import StratifiedGroupKFold
    except ImportError as error:
        raise WorkbenchError(
            "telling real from simulated needs scikit-learn: pip install 'spec-o3-workbench[train]'"
        ) from error

    names = feature_names()
    rows = np.concatenate([np.vstack([m.real[None], m.simulated]) for m in all_meetings])
    keep = [
        column
        for column, name in enumerate(names)
        if name not in without and np.unique(rows[np.isfinite(rows[:, column]), column]).size > 20
    ]
    rows = rows[:, keep]
    truth = np.concatenate([[1] + [0] * len(m.simulated) for m in all_meetings])
    groups = np.concatenate([[i] * (1 + len(m.simulated)) for i, m in enumerate(all_meetings)])
    scores, falls = np.zeros(truth.size), np.zeros(len(keep))
    likely = _most_different(rows, truth)
    folds = StratifiedGroupKFold(n_splits=5, shuffle=True, random_state=seed)
    for train, test in folds.split(rows, truth, groups):
        model = HistGradientBoostingClassifier(
            max_iter=80, learning_rate=0.1, class_weight="balanced", random_state=seed
        )
        model.fit(rows[train], truth[train])
        scores[test] = model.predict_proba(rows[test])[:, 1]
        base = roc_auc_score(truth[test], scores[test])
        for column in likely:
            shuffled = rows[test].copy()
            np.random.default_rng([seed, column]).shuffle(shuffled[:, column])
            fall = base - roc_auc_score(truth[test], model.predict_proba(shuffled)[:, 1])
            falls[column] += fall / folds.n_splits
    order = np.argsort(falls)[::-1][:12]
    return Verdict(
        auc=float(roc_auc_score(truth, scores)),
        n_real=int(truth.sum()),
        giveaways=tuple((names[keep[i]], float(falls[i])) for i in order),
    )


def _most_different(rows: FloatArray, truth: FloatArray, count: int = 30) -> list[int]:
    """Columns whose medians differ most between real and simulated, in units of their spread."""
    real, simulated = rows[truth == 1], rows[truth == 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column nobody could measure
        spread = np.nanpercentile(simulated, 84, axis=0) - np.nanpercentile(simulated, 16, axis=0)
        gap = np.abs(np.nanmedian(real, axis=0) - np.nanmedian(simulated, axis=0)) / (spread + 1e-9)
    return [int(column) for column in np.argsort(np.nan_to_num(gap))[::-1][:count]]


def load_meetings(
    folder: Path, per_real: int, seed: int, advance: Callable[[], None] = lambda: None
) -> list[Meeting]:
    return list(meetings(Library(folder), per_real, seed, advance))
