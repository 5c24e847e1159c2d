from collections.abc import Callable, Iterator
from dataclasses import fields
from hashlib import sha256
from multiprocessing import get_all_start_methods, get_context
from typing import Any

import numpy as np
import pytest

from agent.evidence import measurements
from agent.spectra.spectrum import Spectrum


def once(measure: Callable[..., Any], names: tuple[str, ...], most: int) -> Callable[..., Any]:
    """Tests read the same few spectra anew again and again: what is equal in the fields of these
    names is measured once, while there are no more than `most`."""
    known: dict[tuple[Any, ...], Any] = {}

    def found(spectrum: Spectrum, *more: Any) -> Any:
        values = (getattr(spectrum, name) for name in names)
        parts = (
            one.tobytes() if isinstance(one, np.ndarray) else str(one).encode() for one in values
        )
        key = *(sha256(each).digest() for each in parts), *more
        if key not in known:
            if len(known) == most:
                known.clear()
            known[key] = measure(spectrum, *more)
        return known[key]

    return found


@pytest.fixture(scope="package", autouse=True)
def equal_spectra_are_measured_once() -> Iterator[None]:
    names = tuple(each.name for each in fields(Spectrum))
    with pytest.MonkeyPatch.context() as patch:
        made = once(measurements.SpectrumMeasurements, names, 200)  # tens of megabytes
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
