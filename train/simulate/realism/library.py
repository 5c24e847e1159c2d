"""Real spectra of the user as bases for simulation (`--library DIR`).

DIR holds spectra in any readable format and a MANIFEST.csv (or labels.csv) with columns `file`,
`label` and optionally `subtype`. Each draw is augmented, so that a base never appears twice alike.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d

from agent.errors import ReadError, WorkbenchError
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray, Spectrum
from train.simulate.sky.physics import reddening, smooth_warp
from train.simulate.source import GRID, LIGHT_KMS, STEP_KMS, Rng, Source
from train.simulate.telescope.observation import log_uniform

TABLES = ("MANIFEST.csv", "labels.csv")
MAX_BASES = 100_000
CONTRAST = (0.6, 1.5)
EXTRA_EBV = (0.01, 0.5)
WARP = 0.06
VELOCITY_KMS = 60.0
CONTINUUM_KMS = 6000.0
NOISY_SNR = 40.0
DEFAULT_RESOLUTION = 1800.0
MIN_SPAN = 800.0


@dataclass(frozen=True)
class Base:
    path: Path
    label: str
    subtype: str


class Library:
    """The labelled spectra of a folder; a file is read when it is first drawn."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bases = _bases(folder)
        self.by_label: dict[str, list[Base]] = {}
        for base in self.bases:
            self.by_label.setdefault(base.label, []).append(base)

    def readable(self) -> Iterator[tuple[int, Base, Spectrum]]:
        """The bases that can be read, each with its number and its spectrum."""
        for number, base in enumerate(self.bases):
            try:
                spectrum = read(base.path)
            except ReadError:
                continue
            yield number, base, spectrum

    def unreadable(self, labels: set[str]) -> list[str]:
        """Reasons why bases of these labels cannot be used; each base is tried once."""
        reasons = []
        for base in self.bases:
            if base.label in labels:
                try:
                    base_source(base)
                except WorkbenchError as error:
                    reasons.append(str(error))
        return reasons

    def draw(self, label: str, rng: Rng) -> Source:
        bases = self.by_label.get(label)
        if not bases:
            known = ", ".join(sorted(self.by_label))
            raise WorkbenchError(
                f"{self.folder} has no spectrum labelled {label!r}; it has {known}"
            )
        base = bases[int(rng.integers(len(bases)))]
        return augmented(base_source(base), rng)


def _bases(folder: Path) -> list[Base]:
    table = next((folder / name for name in TABLES if (folder / name).is_file()), None)
    if table is None:
        raise WorkbenchError(f"{folder} has no {' or '.join(TABLES)} with columns file, label")
    bases = []
    root = folder.resolve()
    with table.open(newline="", encoding="utf-8", errors="replace") as file:
        rows = csv.DictReader(file)
        if not {"file", "label"} <= set(rows.fieldnames or ()):
            raise WorkbenchError(f"{table} has no columns file and label")
        for number, row in enumerate(rows):
            if number >= MAX_BASES:
                raise WorkbenchError(f"{table} lists more than {MAX_BASES} spectra")
            name, label = (row["file"] or "").strip(), (row["label"] or "").strip()
            path = (root / name).resolve()
            if not name or not label:
                continue
            if not path.is_relative_to(root):
                raise WorkbenchError(f"{table} names a file outside its folder: {name}")
            bases.append(Base(path, label, (row.get("subtype") or "").strip()))
    if not bases:
        raise WorkbenchError(f"{table} lists no labelled spectrum")
    return bases


@lru_cache(maxsize=512)
def base_source(base: Base) -> Source:
    """The base on GRID as observed, with bad pixels interpolated and noise smoothed."""
    spectrum = read(base.path)
    good = spectrum.good
    if np.count_nonzero(good) < 200:
        raise WorkbenchError(f"{base.path.name} has too few good pixels for a base")
    wavelength, flux = spectrum.wavelength[good], spectrum.flux[good]
    resolution = spectrum.resolution or DEFAULT_RESOLUTION
    on_grid = np.interp(GRID, wavelength, flux)
    smoothing = _smoothing_kms(spectrum, good)
    if smoothing:
        on_grid = gaussian_filter1d(on_grid, smoothing / STEP_KMS, mode="nearest")
        own = LIGHT_KMS / resolution / 2.3548
        resolution = LIGHT_KMS / 2.3548 / float(np.hypot(own, smoothing))
    low, high = float(max(wavelength[0], GRID[0])), float(min(wavelength[-1], GRID[-1]))
    if high - low < MIN_SPAN:
        raise WorkbenchError(f"{base.path.name} covers only {low:.0f}-{high:.0f} A")
    level = float(np.median(on_grid[(low <= GRID) & (high >= GRID)]))
    if not (np.isfinite(level) and level > 0):
        raise WorkbenchError(f"{base.path.name} has no positive median flux")
    return Source(
        label=base.label,
        subtype=base.subtype,
        flux=on_grid / level,
        resolution=resolution,
        valid=(low, high),
        parameters={"library": base.path.parent.name, "base": base.path.name},
    )


def _smoothing_kms(spectrum: Spectrum, good: np.ndarray) -> float:
    """Sigma of the extra blur of a noisy base, so that models do not learn its noise."""
    if spectrum.ivar is None:
        return 0.0
    snr = float(np.median(spectrum.flux[good] * np.sqrt(spectrum.ivar[good])))
    if snr >= NOISY_SNR or snr <= 0:
        return 0.0
    return float(np.clip(60.0 * np.sqrt(NOISY_SNR / snr) - 40.0, 20.0, 150.0))


def augmented(base: Source, rng: Rng) -> Source:
    """The base with more dust, a smooth warp, deeper or weaker features, and another velocity."""
    ebv = log_uniform(rng, EXTRA_EBV)
    contrast = log_uniform(rng, CONTRAST)
    velocity = float(VELOCITY_KMS * rng.standard_normal())
    flux = _with_contrast(base, contrast) * reddening(ebv) * smooth_warp(rng, WARP)
    parameters = {**base.parameters, "extra_ebv": round(ebv, 4), "contrast": round(contrast, 4)}
    return replace(base, flux=flux, velocity_kms=velocity, parameters=parameters)


def _with_contrast(base: Source, power: float) -> FloatArray:
    """Continuum times (flux / continuum) ** power; pixels near or below zero stay as they are."""
    # Most of a base with little coverage can be zero.
    floor = max(1e-3 * float(np.median(np.abs(base.flux))), float(np.finfo(float).tiny))
    smooth = gaussian_filter1d(base.flux, CONTINUUM_KMS / 2.3548 / STEP_KMS, mode="nearest")
    continuum = np.maximum(smooth, floor)
    ratio = base.flux / continuum
    positive = ratio > 1e-3
    return np.where(positive, continuum * np.power(np.maximum(ratio, 1e-3), power), base.flux)
