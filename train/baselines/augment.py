"""A training row a little changed each time it is seen; never across the class line."""

from __future__ import annotations

import torch
from torch import Tensor

MAX_SHIFT = 5
"""Pixels; a small velocity or an error of calibration."""
NOISE = (0.0, 0.08)
"""One sigma of added noise, in units of the row's own spread."""
TILT = 0.15
"""Of the row's spread over half its length, one sigma, in slope and in bend."""
DROPPED, DROPPED_LENGTH = 2, 60
"""Runs of pixels set to the row's mean, and the longest."""


def augmented(rows: Tensor, generator: torch.Generator) -> Tensor:
    count, pixels = rows.shape
    rows = _shifted(rows, generator)
    spread = rows.std(dim=1, keepdim=True)
    place = torch.linspace(-1.0, 1.0, pixels)
    slopes = torch.randn((2, count, 1), generator=generator) * TILT
    rows = rows + spread * (slopes[0] * place + slopes[1] * (place**2 - 1.0 / 3.0))
    low, high = NOISE
    sigma = spread * (low + (high - low) * torch.rand((count, 1), generator=generator))
    rows = rows + sigma * torch.randn(rows.shape, generator=generator)
    return _with_gaps(rows, generator)


def _shifted(rows: Tensor, generator: torch.Generator) -> Tensor:
    """Each row by its own whole pixels; the ends keep their last value."""
    count, pixels = rows.shape
    shifts = torch.randint(-MAX_SHIFT, MAX_SHIFT + 1, (count, 1), generator=generator)
    places = (torch.arange(pixels)[None] + shifts).clamp(0, pixels - 1)
    return rows.gather(1, places)


def _with_gaps(rows: Tensor, generator: torch.Generator) -> Tensor:
    count, pixels = rows.shape
    mean = rows.mean(dim=1, keepdim=True)
    places = torch.arange(pixels)[None]
    for _ in range(DROPPED):
        start = torch.randint(0, pixels, (count, 1), generator=generator)
        length = torch.randint(0, DROPPED_LENGTH, (count, 1), generator=generator)
        rows = torch.where((places >= start) & (places < start + length), mean, rows)
    return rows
