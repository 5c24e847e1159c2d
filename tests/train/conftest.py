from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from hashlib import sha256
from multiprocessing import get_all_start_methods, get_context

import numpy as np
import pytest

from agent.evidence import measurements
from agent.evidence.measurements import SpectrumMeasurements
from agent.evidence.star_velocity import StarVelocity
from agent.spectra.spectrum import Spectrum

NAMES = tuple(each.name for each in fields(Spectrum))
MOST = 200
"""Spectra whose measurements are kept: tens of megabytes."""


def fingerprint(spectrum: Spectrum, names: tuple[str, ...] = NAMES) -> bytes:
    values = (getattr(spectrum, name) for name in names)
    parts = (one.tobytes() if isinstance(one, np.ndarray) else repr(one).encode() for one in values)
    return sha256(b"\0".join(parts)).digest()


@pytest.fixture(scope="package", autouse=True)
def equal_spectra_are_measured_once() -> Iterator[None]:
    """Sets and drafts are read anew in test after test, and each time the same few spectra would be
    measured again."""
    known: dict[tuple[bytes, StarVelocity | None], SpectrumMeasurements] = {}

    def of(spectrum: Spectrum, velocity: StarVelocity | None = None) -> SpectrumMeasurements:
        key = fingerprint(spectrum), velocity
        known[key] = known.pop(key, None) or SpectrumMeasurements(spectrum, velocity)
        if len(known) > MOST:
            del known[next(iter(known))]
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measurements, "SpectrumMeasurements", of)
        yield


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes forked from one that has imported what they need, where that goes: each
    spawned one imports for two seconds. Tests of judging and questions spawn them as users do."""
    if "forkserver" in get_all_start_methods():
        context = get_context("forkserver")
        modules = ("bench.measuring", "draft.drafting", "simulate.archive", "weights.command")
        context.set_forkserver_preload(["pytest", *(f"train.{name}" for name in modules)])
        monkeypatch.setattr("train.parallel.get_context", lambda _: context)
