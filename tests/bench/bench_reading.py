"""How fast spectra are read: median milliseconds per survey, and the ratio to specutils.

Works on real files where they lie beside the checkout, otherwise on files written here.
"""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from agent.errors import ReadError
from agent.spectra.readers import read
from tests.agent.spectra.readers import samples
from tests.bench.measuring import figure_line
from tests.conftest import SHARED

ROUNDS = 15
NAMED = {
    "SDSS": ("Spectrum", "SDSS-III/IV spec", "spec-0266-51602-0031.fits"),
    "DESI": ("SpectrumList", "DESI coadd", "coadd-4-80613-thru20210324.fits"),
}


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        files = _files(Path(folder))
        yield from _reading(files)
        if importlib.util.find_spec("specutils") is not None:
            yield from _against_specutils(Path(folder))


def _files(folder: Path) -> dict[str, list[Path]]:
    """Readable files by survey."""
    places = [SHARED / "spectra", SHARED / "labelled"]
    paths = [path for place in places if place.is_dir() for path in sorted(place.iterdir())]
    found: dict[str, list[Path]] = {}
    for path in paths or _written(folder):
        try:
            survey = read(path).survey or "text"
        except ReadError:
            continue
        found.setdefault(survey, []).append(path)
    return found


def _written(folder: Path) -> list[Path]:
    made = {
        "lamost.fits.gz": samples.gz(samples.lamost_table()),
        "med.fits.gz": samples.gz(samples.lamost_mrs()), NAMED["SDSS"][2]: samples.sdss(),
        NAMED["DESI"][2]: samples.desi(), "star.dat": samples.text(),
    }  # fmt: skip
    for name, data in made.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in made]


def _reading(files: dict[str, list[Path]]) -> Iterator[dict[str, object]]:
    every = []
    for survey, paths in sorted(files.items()):
        times = [_medians_ms(lambda path=path: read(path))[0] for path in paths]
        every += times
        yield _figure(f"read {survey}", statistics.median(times), files=len(paths))
    yield _figure("read, all files", statistics.median(every), files=len(every), target=15.0)
    yield _figure("read, slowest file", max(every), files=len(every))


def _against_specutils(folder: Path) -> Iterator[dict[str, object]]:
    import specutils

    for survey, (kind, name, file) in NAMED.items():
        path = SHARED / "spectra" / file
        if not path.is_file():
            path = folder / file
        loader = getattr(specutils, kind).read
        for way, options in (("format named", {"format": name}), ("auto", {})):
            ours, theirs = _medians_ms(
                lambda path=path: read(path),
                lambda load=loader, given=options, path=path: _quietly(load, path, given),
            )
            yield figure_line(
                f"read {survey}, times faster than specutils, {way}", round(theirs / ours, 1),
                "ratio", baseline="specutils", ours_ms=round(ours, 2),
                specutils_ms=round(theirs, 2), target=5.0, file=path.name
            )  # fmt: skip


def _quietly(load: Callable[..., Any], path: Path, options: dict[str, str]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(str(path), **options)


def _medians_ms(*works: Callable[[], Any]) -> list[float]:
    """Medians of works done in turns, so that a busy moment of the machine hits all alike."""
    times: list[list[float]] = [[] for _ in works]
    for turn in range(ROUNDS + 1):
        for work, spent in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            if turn:  # imports and the file cache are not what is measured
                spent.append(time.perf_counter() - start)
    return [1000 * statistics.median(spent) for spent in times]


def _figure(name: str, value: float, **more: object) -> dict[str, object]:
    return figure_line(name, round(value, 3), "ms", **more)
