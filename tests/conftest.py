"""Fixtures every test may use."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is loaded anywhere
# Tests run beside one another: threads of theirs would only wait for each other, spinning.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# A shell that starts the tests in the background has them ignore Ctrl-C; some tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples on every machine, and no complaint about a busy one.
settings.register_profile(
    "seeded", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("seeded")


def pytest_sessionfinish() -> None:
    """llama_cpp opens the null device when it is imported and never closes it."""
    utils = sys.modules.get("llama_cpp._utils")
    for name in ("outnull_file", "errnull_file"):
        if (file := getattr(utils, name, None)) is not None:
            file.close()


SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def shared(folder: str) -> Path:
    """A folder of real data beside the checkout; the test is skipped where it is absent."""
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"real spectra are not beside this checkout: {path}")
    return path


@pytest.fixture(scope="session")
def real_spectra() -> Path:
    return shared("spectra")


@pytest.fixture(scope="session")
def labelled_spectra() -> Path:
    return shared("labelled")


@pytest.fixture(scope="session")
def reference_pictures() -> Path:
    return shared("render")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260601)
