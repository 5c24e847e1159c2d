from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.readers.image_rows import is_wavelengths


@pytest.mark.parametrize(
    "row",
    [
        np.linspace(3500.0, 9000.0, 300),
        np.linspace(9000.0, 3500.0, 300),
        10 ** np.linspace(3.5, 4.0, 300),
        np.concatenate([np.linspace(3500.0, 5500.0, 200), np.linspace(6600.0, 9000.0, 300)]),
    ],
    ids=["linear", "falling", "log", "two arms"],
)
def test_wavelengths(row: np.ndarray) -> None:
    assert is_wavelengths(row)


@pytest.mark.parametrize(
    "row",
    [
        np.arange(300.0),
        np.linspace(0.3, 0.9, 300),
        np.full(300, 5000.0),
        5000.0 + np.cumsum(np.random.default_rng(3).exponential(1.0, 300) ** 2),
        5000.0 + np.random.default_rng(3).normal(0, 50, 300),
        np.append(np.linspace(3500.0, 9000.0, 299), np.nan),
        np.linspace(3500.0, 9e6, 300),
    ],
    ids=["pixels", "micron", "constant", "uneven", "flux", "not finite", "beyond"],
)
def test_other_rows(row: np.ndarray) -> None:
    assert not is_wavelengths(row)
