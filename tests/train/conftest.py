from collections.abc import Iterator
from multiprocessing import get_all_start_methods, get_context

import pytest

from agent.evidence import measurements
from tests.measured_once import once


@pytest.fixture(scope="package", autouse=True)
def equal_spectra_are_measured_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        made = once(measurements.SpectrumMeasurements, most=200)  # tens of megabytes
        patch.setattr(measurements, "SpectrumMeasurements", made)
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
