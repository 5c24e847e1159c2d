"""Random changes to training rows that are too small to change the class."""

from __future__ import annotations

import torch
from torch import Tensor

MAX_SHIFT = 5
"""Pixels; as by a small velocity or a wavelength error."""
NOISE = (0.0, 0.08)
"""Range of the sigma of added noise, in units of the row's standard deviation."""
TILT = 0.15
"""Sigma of the added slope and bend over half the row, in units of its standard deviation."""
DROPPED, DROPPED_LENGTH = 2, 60
"""Number of runs of pixels set to the row's mean, and their maximum length."""


def augment(rows: Tensor, generator: torch.Generator) -> Tensor:
    count, pixels = rows.shape
    rows = _shift(rows, generator)
    spread = rows.std(dim=1, keepdim=True)
    x = torch.linspace(-1.0, 1.0, pixels)
    slopes = torch.randn((2, count, 1), generator=generator) * TILT
    rows = rows + spread * (slopes[0] * x + slopes[1] * (x**2 - 1.0 / 3.0))
    low, high = NOISE
    sigma = spread * (low + (high - low) * torch.rand((count, 1), generator=generator))
    rows = rows + sigma * torch.randn(rows.shape, generator=generator)
    return _add_gaps(rows, generator)


def _shift(rows: Tensor, generator: torch.Generator) -> Tensor:
    """Shift each row by its own number of whole pixels, repeating the end values."""
    count, pixels = rows.shape
    shifts = torch.randint(-MAX_SHIFT, MAX_SHIFT + 1, (count, 1), generator=generator)
    indices = (torch.arange(pixels)[None] + shifts).clamp(0, pixels - 1)
    return rows.gather(1, indices)


def _add_gaps(rows: Tensor, generator: torch.Generator) -> Tensor:
    count, pixels = rows.shape
    mean = rows.mean(dim=1, keepdim=True)
    indices = torch.arange(pixels)[None]
    for _ in range(DROPPED):
        start = torch.randint(0, pixels, (count, 1), generator=generator)
        length = torch.randint(0, DROPPED_LENGTH, (count, 1), generator=generator)
        rows = torch.where((indices >= start) & (indices < start + length), mean, rows)
    return rows
