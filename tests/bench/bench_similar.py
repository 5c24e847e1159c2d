"""Similar spectra: how many neighbours share a class; time and memory of a hundred thousand.

The candidates for the features are compared on real spectra of known classes, where they lie beside
the checkout: of the five nearest neighbours of each, the share of its own class.
"""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.measure.continuum import pseudo_continuum
from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum
from app.core.similar.features import SIZE, binned, features
from app.core.similar.index import SimilarIndex
from app.core.spectra.prefetch import SpectrumKey
from tests.bench.measuring import figure_line, median_ms
from tests.conftest import SHARED

SPECTRA = 100_000
ASKED = 6
_ms = partial(median_ms, calls=15)
FEWEST = 6
"""Spectra of a class that counts in the mean over classes."""
Matrix = NDArray[np.float64]


def figures() -> Iterator[dict[str, object]]:
    yield from _speed()
    if (SHARED / "labelled").is_dir():
        yield from _precision()


def labelled() -> tuple[list[Spectrum], NDArray[np.str_]]:
    folder = SHARED / "labelled"
    with (folder / "MANIFEST.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [read(folder / row["file"]) for row in rows], np.array([row["label"] for row in rows])


def unit(values: NDArray[np.generic]) -> Matrix:
    vector = np.nan_to_num(values.astype(np.float64))
    return vector / max(float(np.linalg.norm(vector)), 1e-300)


def precision_at_5(vectors: Matrix, classes: NDArray[np.str_]) -> tuple[float, float]:
    """The mean over spectra, and over the classes that have enough of them."""
    same = shares(vectors, classes)
    names, counts = np.unique(classes, return_counts=True)
    of_class = [same[classes == name].mean() for name in names[counts >= FEWEST]]
    return float(same.mean()), float(np.mean(of_class))


def shares(vectors: Matrix, classes: NDArray[np.str_]) -> Matrix:
    """Of the five nearest of each spectrum, the share of its own class."""
    alike = vectors @ vectors.T
    np.fill_diagonal(alike, -np.inf)
    nearest = np.argsort(-alike, axis=1, kind="stable")[:, :5]
    same: Matrix = (classes[nearest] == classes[:, None]).mean(axis=1)
    return same


def _precision() -> Iterator[dict[str, object]]:
    spectra, classes = labelled()
    ways: dict[str, Callable[[], Matrix]] = {
        "flux": lambda: np.array([_centred(quietly_binned(each)) for each in spectra]),
        "log flux": lambda: np.array([log_flux(each) for each in spectra]),
        "flux over pseudo-continuum": lambda: np.array([_over_continuum(each) for each in spectra]),
        "indices of the measured inspector": lambda: _indices(spectra),
        "lines as in the index": lambda: np.array([_features(each) for each in spectra]),
    }
    base = 0.0
    for name, make in ways.items():
        began = time.perf_counter()
        vectors = make()
        ms = 1e3 * (time.perf_counter() - began) / len(spectra)
        mean, over_classes = precision_at_5(vectors, classes)
        base = base or mean
        yield figure_line(
            f"precision at 5: {name}", mean, "share", over_classes=round(over_classes, 3),
            ms_a_spectrum=round(ms, 3), baseline="flux", ratio=round(mean / base, 3)
        )  # fmt: skip


def _speed() -> Iterator[dict[str, object]]:
    drawn = np.random.default_rng(7).integers(-127, 128, (SPECTRA, SIZE), dtype=np.int8)
    index = SimilarIndex()
    for number, vector in enumerate(drawn, 1):
        index.add(SpectrumKey(number, ""), vector)
    plain = drawn.astype(np.float32)
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    baseline = "all as 32-bit floats, numpy argsort of everything"
    by_sort = _ms(lambda: np.argsort(-(plain @ plain[5])))
    for name, call in {
        f"the {ASKED} nearest": lambda: index.nearest(drawn[5], ASKED, without=6),
        "all in order": lambda: index.order(drawn[5]),
    }.items():
        ms = _ms(call)
        yield figure_line(
            f"{name} of {SPECTRA:,} spectra", ms / by_sort, "ratio", ms=round(ms, 2),
            baseline=baseline, baseline_ms=round(by_sort, 2)
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "similar"
        kept = SimilarIndex(path, "id", writes=True)
        for number, vector in enumerate(drawn, 1):
            kept.add(SpectrumKey(number, ""), vector)
        kept.save()
        ms, plain_ms = _ms(lambda: SimilarIndex(path, "id")), _ms(path.read_bytes)
        yield figure_line(
            f"opening the file of {SPECTRA:,} spectra", ms / plain_ms, "ratio", ms=round(ms, 1),
            MiB=round(path.stat().st_size / 2**20, 1), baseline="reading its bytes",
            baseline_ms=round(plain_ms, 2)
        )  # fmt: skip
    title = f"memory of {SPECTRA:,} spectra"
    MiB = round(index.nbytes / 2**20, 1)
    baseline_MiB = round(plain.nbytes / 2**20, 1)
    value = index.nbytes / plain.nbytes
    beside = "all as 32-bit floats"
    yield figure_line(title, value, "ratio", MiB=MiB, baseline=beside, baseline_MiB=baseline_MiB)


def _features(spectrum: Spectrum) -> Matrix:
    vector = features(spectrum)
    return np.zeros(SIZE) if vector is None else unit(vector)


def _centred(flux: Matrix) -> Matrix:
    with np.errstate(all="ignore"):
        return unit(
            flux / np.nanmedian(np.abs(flux)) - np.nanmean(flux / np.nanmedian(np.abs(flux)))
        )


def log_flux(spectrum: Spectrum) -> Matrix:
    flux = quietly_binned(spectrum)
    logs = np.log(np.clip(flux / np.nanmedian(np.abs(flux)), 0.02, 50.0))
    return unit(logs - np.nanmean(logs))


def _over_continuum(spectrum: Spectrum) -> Matrix:
    with np.errstate(all="ignore"):
        flux = spectrum.flux / pseudo_continuum(spectrum)
    flat = Spectrum(wavelength=spectrum.wavelength, flux=flux, mask=~spectrum.good)
    return unit(np.clip(quietly_binned(flat) - 1.0, -1.0, 2.0))


def _indices(spectra: list[Spectrum]) -> Matrix:
    """Each in units of its scatter over the spectra, limited; 0 where it was not measured."""
    measured = [SpectrumMeasurements(each).indices for each in spectra]
    names = sorted({name for each in measured for name in each})
    values = np.array(
        [[each[name].value if name in each else None for name in names] for each in measured],
        dtype=np.float64,
    )
    middle = np.nanmedian(values, axis=0)
    scatter = np.nanmedian(np.abs(values - middle), axis=0) + 1e-9
    return np.array([unit(np.tanh(row)) for row in (values - middle) / (3.0 * scatter)])


def quietly_binned(spectrum: Spectrum) -> Matrix:
    with np.errstate(all="ignore"):
        return binned(spectrum)[0]
