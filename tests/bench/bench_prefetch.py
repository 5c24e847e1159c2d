"""How long a person waits for the next spectrum, with and without reading ahead.

Real files where they lie beside the checkout, otherwise the sample's simulated ones. A person who
looks for 50 ms judges twenty a second, far more than anybody does; one who never looks at all is
faster than any disk, and shows what is left then.
"""

from __future__ import annotations

import statistics
import threading
from collections.abc import Iterator
from pathlib import Path

from agent.errors import ReadError
from app.core.spectra.prefetch import Prefetch, SpectrumKey, read_by_key
from tests.bench.measuring import figure_line, ms_of
from tests.conftest import SHARED

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample" / "spectra"
OBJECTS = 150
LOOKS_S = {"50 ms": 0.05, "no time": 0.0}
FRAME_MS = 16.7


def figures() -> Iterator[dict[str, object]]:
    keys = list(_keys())
    without = [ms_of(lambda key=key: read_by_key(key)) for key in keys]
    for name, looks_s in LOOKS_S.items():
        with Prefetch() as prefetch:
            waits, hit_rate = _walk(prefetch, keys, looks_s)
            held = prefetch._bytes
        title = f"wait for the next spectrum, 95th percentile, {name} on each"
        baseline_ms = round(_p95(without), 3)
        baseline = "read when asked for"
        yield figure_line(
            title, _p95(waits), "ms", baseline=baseline, baseline_ms=baseline_ms, target=FRAME_MS
        )
        yield figure_line(f"ready when asked for, {name} on each", hit_rate, "share")
        yield figure_line(f"held, {name} on each", held / 2**20, "MiB")
    yield figure_line("get of a spectrum that is ready", _ready_us(keys[0]), "us")
    yield figure_line("threads left behind", threading.active_count() - 1, "threads")


def _keys() -> Iterator[SpectrumKey]:
    """Each object another key, so that nothing is read once for two."""
    places = [SHARED / "labelled", SHARED / "spectra", SAMPLE]
    folder = next(place for place in places if place.is_dir())
    files = [path for path in sorted(folder.iterdir()) if _is_readable(path)]
    for number in range(OBJECTS):
        yield SpectrumKey(number, str(files[number % len(files)]))


def _is_readable(path: Path) -> bool:
    try:
        read_by_key(SpectrumKey(0, str(path)))
    except ReadError:
        return False
    return True


def _walk(prefetch: Prefetch, keys: list[SpectrumKey], looks_s: float) -> tuple[list[float], float]:
    """Milliseconds waited for each but the first, and the share that was ready at once."""
    waits, ready = [], 0
    for at, key in enumerate(keys):
        prefetch.read_ahead(key, keys[at + 1 : at + 9], keys[max(0, at - 3) : at][::-1])
        ready += prefetch.peek(key) is not None
        waits.append(ms_of(lambda key=key: prefetch.get(key)))
        if looks_s:
            threading.Event().wait(looks_s)
    return waits[1:], ready / len(keys)


def _ready_us(key: SpectrumKey) -> float:
    with Prefetch(workers=1) as prefetch:
        prefetch.get(key)
        return 1e3 * statistics.median(ms_of(lambda: prefetch.get(key)) for _ in range(1000))


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]
