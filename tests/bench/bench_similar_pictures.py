"""Whether the seeing model's view of a spectrum finds better neighbours than its features do.

Tokens of the vision tower are pooled, whole or in regions of wavelength, each value in units of its
scatter over simulated spectra. Their weight beside the features is the one that is best on those
simulations, which are as noisy as the real spectra and of the kind that the model learned from. The
logarithm of the flux, which costs next to nothing, is tried in the same way.

python -m tests.bench similar_pictures
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.engines.gguf.engine import GgufEngine
from agent.inspection.built_in import EYE
from agent.inspection.engine_loader import load_engine
from agent.inspection.pictures import PictureMaker
from agent.models.registry import find_model
from agent.spectra.spectrum import Spectrum, Window
from app.core.similar.features import EDGES, features
from tests.bench.bench_similar import Matrix, labelled, log_flux, shares
from tests.bench.tower_tokens import Tokens, tower_tokens
from tests.conftest import SHARED
from train.eye.lessons import simulated
from train.eye.settings import LessonSettings
from train.simulate.sky import LABELS

PER_CLASS = 20
"""Simulated spectra of each of the simulator's classes."""
SEED = 4711
SNR, LOW_SNR = (4.0, 100.0), (4.0, 8.0)
"""Of the simulations beside the real spectra as they are, and beside those with noise."""
NOISY_SNR = 5.0
"""Per pixel, in medians of the flux: the noise added to the real spectra."""
REGIONS = 8
WEIGHTS = np.arange(0.0, 1.01, 0.05)
RESAMPLED = 4000
FEATURES = "features"
Classes = NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class Viewed:
    """Spectra of known classes in each way of describing them, one row each."""

    classes: Classes
    ways: dict[str, Matrix]


class Viewer:
    """Describes spectra; it draws them as the card of the seeing model says."""

    def __init__(self) -> None:
        location = find_model(EYE)
        engine = load_engine(location, threads=1)
        assert isinstance(engine, GgufEngine), "llama-cpp-python is not installed"
        self._engine, self._style = engine, location.card.style
        self.ms_drawing: list[float] = []
        self.ms_encoding: list[float] = []

    def view(self, spectra: list[Spectrum], classes: Classes) -> Viewed:
        rows: dict[str, list[Matrix]] = {}
        kept = []
        for each, label in zip(spectra, classes, strict=True):
            vector = features(each)
            if vector is None:
                continue
            kept.append(label)
            tokens, (low, high) = self._see(each)
            for way, values in {
                FEATURES: vector.astype(np.float64),
                "log flux": log_flux(each),
                "the picture": tokens.mean(axis=(0, 1), dtype=np.float64),
                f"the picture in {REGIONS} regions": in_regions(tokens, low, high).ravel(),
            }.items():
                rows.setdefault(way, []).append(values)
        return Viewed(np.array(kept), {way: np.array(values) for way, values in rows.items()})

    def _see(self, spectrum: Spectrum) -> tuple[Tokens, Window]:
        """The tokens, and the wavelengths at their left and right edge."""
        began = time.perf_counter()
        maker = PictureMaker(spectrum=spectrum, style=self._style, sizing=self._engine.sizing)
        picture = maker.overview()
        drawn = time.perf_counter()
        tokens = tower_tokens(self._engine, picture)
        self.ms_drawing.append(1e3 * (drawn - began))
        self.ms_encoding.append(1e3 * (time.perf_counter() - drawn))
        return tokens, maker.shown.range

    def close(self) -> None:
        self._engine.close()


def figures() -> Iterator[dict[str, object]]:
    if not (SHARED / "labelled").is_dir():
        return
    real, classes = labelled()
    with closing(Viewer()) as viewer:
        yield from _compared(
            viewer.view(*simulations_of(PER_CLASS, SNR)),
            viewer.view(real, classes),
            f"{len(real)} real spectra",
        )
        yield from _compared(
            viewer.view(*simulations_of(PER_CLASS, LOW_SNR)),
            viewer.view(noisy(real), classes),
            f"the same with noise, S/N {NOISY_SNR:g}",
        )
    yield {
        "figure": f"the picture of a spectrum through the vision tower of {EYE}",
        "value": statistics.median(viewer.ms_encoding),
        "unit": "ms on one core",
        "ms_drawing": round(statistics.median(viewer.ms_drawing), 1),
    }


def _compared(simulations: Viewed, spectra: Viewed, on: str) -> Iterator[dict[str, object]]:
    plain = shares(scaled(simulations, spectra, FEATURES), spectra.classes)
    yield {
        "figure": f"precision at 5: features alone, {on}",
        "value": float(plain.mean()),
        "unit": "share",
    }
    for way in spectra.ways:
        if way == FEATURES:
            continue
        weight = float(WEIGHTS[np.argmax(by_weight(simulations, simulations, way))])
        alone = scaled(simulations, spectra, way)
        both = shares(mixed(simulations, spectra, way, weight), spectra.classes)
        gain = both - plain
        drawn = np.random.default_rng(SEED).integers(0, len(gain), (RESAMPLED, len(gain)))
        low, high = np.percentile(gain[drawn].mean(axis=1), (2.5, 97.5))
        yield {
            "figure": f"precision at 5: features and {way}, {on}",
            "value": float(both.mean()),
            "unit": "share",
            "weight_by_simulations": round(weight, 2),
            "gain": round(float(gain.mean()), 4),
            "gain_95": [round(float(low), 4), round(float(high), 4)],
            "alone": round(float(shares(alone, spectra.classes).mean()), 4),
            # Of the weights tried on these very spectra, so rather too high.
            "most_with_any_weight": round(float(by_weight(simulations, spectra, way).max()), 4),
            "baseline": "features",
            "ratio": round(float(both.mean() / plain.mean()), 3),
        }


def simulations_of(per_class: int, snr: tuple[float, float]) -> tuple[list[Spectrum], Classes]:
    """Simulated spectra of every class, drawn without any real star."""
    labels = [label for label in LABELS for _ in range(per_class)]
    settings = LessonSettings(snr=snr)
    spectra = [
        simulated(label, settings, np.random.default_rng([SEED, number]))
        for number, label in enumerate(labels)
    ]
    return spectra, np.array(labels)


def noisy(spectra: list[Spectrum]) -> list[Spectrum]:
    rng = np.random.default_rng(SEED)
    made = []
    for each in spectra:
        sigma = float(np.median(np.abs(each.flux[each.good]))) / NOISY_SNR
        made.append(
            Spectrum(
                wavelength=each.wavelength,
                flux=each.flux + rng.normal(0.0, sigma, len(each.flux)),
                ivar=np.full(len(each.flux), sigma**-2),
                mask=each.mask,
            )
        )
    return made


def in_regions(tokens: Tokens, low: float, high: float) -> Matrix:
    """The mean over each column at the middles of regions of wavelength; NaN beyond the ends."""
    columns = tokens.mean(axis=0, dtype=np.float64)
    edges = np.geomspace(EDGES[0], EDGES[-1], REGIONS + 1)
    place = (np.sqrt(edges[1:] * edges[:-1]) - low) / (high - low)
    at = np.clip(place * len(columns) - 0.5, 0.0, len(columns) - 1.0)
    left = np.minimum(at.astype(int), len(columns) - 2)
    share = (at - left)[:, None]
    values = (1.0 - share) * columns[left] + share * columns[left + 1]
    return np.where(((place >= 0.0) & (place <= 1.0))[:, None], values, np.nan)


def scaled(simulations: Viewed, spectra: Viewed, way: str) -> Matrix:
    """Vectors of length 1; a value that is not known is as in the mean simulation."""
    values = spectra.ways[way]
    if way != FEATURES:
        known = simulations.ways[way]
        values = (values - np.nanmean(known, axis=0)) / (np.nanstd(known, axis=0) + 1e-6)
    values = np.nan_to_num(values)
    return values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12)


def mixed(simulations: Viewed, spectra: Viewed, way: str, weight: float) -> Matrix:
    """Vectors whose products are the weighted mean of both likenesses."""
    parts = (scaled(simulations, spectra, FEATURES), scaled(simulations, spectra, way))
    return np.hstack([np.sqrt(1.0 - weight) * parts[0], np.sqrt(weight) * parts[1]])


def by_weight(simulations: Viewed, spectra: Viewed, way: str) -> Matrix:
    """The precision at 5 with each of WEIGHTS."""
    means = [
        shares(mixed(simulations, spectra, way, float(weight)), spectra.classes).mean()
        for weight in WEIGHTS
    ]
    return np.array(means)
