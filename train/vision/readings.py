"""How well the eye reads each quantity, from the whole spectrum and from a window around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from agent.rendering.style import EYE
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from train.vision.lessons import picture
from train.vision.model import Eye, feature_places
from train.vision.targets import asked_features, feature_windows, measured_values

AROUND_A = 350.0
"""Half width of a window, beyond the quantity's own range."""
LEAST = 10
"""Spectra below which a correlation says nothing."""
BATCH = 64

Read = Callable[[NDArray[np.uint8], FloatArray], FloatArray]
"""Ranks (n, features) of pictures and the ranges of their axes."""


@dataclass(frozen=True, kw_only=True)
class QuantityReading:
    """Rank correlation of what the eye reads with what is measured; NaN where too few are known."""

    quantity: str
    whole: float
    window: float
    spectra: int


def readings(read: Read, spectra: Sequence[Spectrum]) -> list[QuantityReading]:
    """One row for each quantity, over spectra of stars at rest."""
    truth = np.array([measured_values(each, 0.0) for each in spectra])
    whole = _read_all(read, spectra, [each.range for each in spectra])
    rows = []
    for number, (low, high) in enumerate(feature_windows().tolist()):
        windows = [
            (max(each.range[0], low - AROUND_A), min(each.range[1], high + AROUND_A))
            for each in spectra
        ]
        is_in = [start < low and high < end for start, end in windows]
        known = np.isfinite(truth[:, number]) & is_in
        near = np.full(len(spectra), np.nan)
        at = np.flatnonzero(known).tolist()
        seen = _read_all(read, [spectra[each] for each in at], [windows[each] for each in at])
        near[at] = seen[:, number]
        rows.append(
            QuantityReading(
                quantity=asked_features()[number],
                whole=_correlation(truth[known, number], whole[known, number]),
                window=_correlation(truth[known, number], near[known]),
                spectra=int(known.sum()),
            )
        )
    return rows


def _read_all(read: Read, spectra: Sequence[Spectrum], windows: Sequence[Window]) -> FloatArray:
    """(spectra, features); NaN where a window holds nothing to draw."""
    found = np.full((len(spectra), len(asked_features())), np.nan)
    drawn = [picture(one, window, EYE) for one, window in zip(spectra, windows, strict=True)]
    at = [number for number, each in enumerate(drawn) if each is not None]
    for start in range(0, len(at), BATCH):
        rows = at[start : start + BATCH]
        pictures = np.stack([each for each in (drawn[row] for row in rows) if each is not None])
        found[rows] = read(pictures, np.array([windows[row] for row in rows]))
    return found


def _correlation(truth: FloatArray, said: FloatArray) -> float:
    from scipy.stats import spearmanr

    both = np.isfinite(truth) & np.isfinite(said)
    if both.sum() < LEAST or np.ptp(truth[both]) == 0.0 or np.ptp(said[both]) == 0.0:
        return float("nan")
    return float(spearmanr(truth[both], said[both]).statistic)


def reader(eye: Eye) -> Read:
    """Reads pictures with an eye."""
    device = next(eye.parameters()).device
    windows = torch.from_numpy(feature_windows()).float()

    @torch.no_grad()
    def read(pictures: NDArray[np.uint8], ranges: FloatArray) -> FloatArray:
        places = feature_places(torch.from_numpy(ranges).float(), windows)
        answers = eye.answers(torch.from_numpy(pictures).to(device), places.to(device))
        return np.asarray(answers.ranks.float().cpu().numpy(), dtype=np.float64)

    return read
