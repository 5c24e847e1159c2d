"""`spec-o3 find`: spectra a second, memory of a process, names listed, choosing of a million."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from agent.cluster.ray_actors import Answer
from app.core.finding.choice import ChoiceRule, choose
from app.core.finding.inputs import Input, inputs
from app.core.finding.looking import Look, LookResult, LookSettings, bundled_ids
from app.core.finding.search import Search
from app.core.finding.table import FindTable
from tests.bench.measuring import figure_line, seconds_of, told_by
from train.simulate.archive import run_campaign
from train.simulate.campaign import Settings

FILES, MILLION = 1500, 1_000_000
IN_A_FOLDER = 1000
FIVE, TIMED = ("CV", "CS", "SS", "MG", "WD"), 300
WANTED = {"rate": 60.0, "memory": 400.0, "names": 60.0, "choosing": 5.0}


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = simulated(Path(folder), FILES)
        rate, share, memory = told_by("-m", __spec__.name, "look", folder)
        yield figure_line(
            "look at gzipped LAMOST files at natural odds, one process", rate, "spectra/s",
            baseline=WANTED["rate"], spectra=len(paths), measured_in_full=share,
        )  # fmt: skip
        five, *_ = told_by("-m", __spec__.name, "look", folder, *FIVE)
        yield figure_line("the same without O, B and A", five, "spectra/s")
        first, full = told_by("-m", __spec__.name, "milliseconds", folder)
        yield figure_line("a first look alone, file and all", first, "ms", with_inspection=full)
        yield figure_line(
            f"peak memory of a process after {FILES} files", memory, "MB",
            baseline=WANTED["memory"],
        )  # fmt: skip
    for count in (10_000, MILLION):
        yield figure_line(
            f"peak memory of the head, {count:,} inputs",
            told_by("-m", __spec__.name, "head", str(count)), "MB", baseline=WANTED["memory"],
        )  # fmt: skip
    yield figure_line(
        "memory to list a million file names", told_by("-m", __spec__.name, "names"), "MB",
        baseline=WANTED["names"],
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        table = synthetic_table(Path(folder) / "million.find", MILLION)
        rule = ChoiceRule(task="CV", keep=5000)
        yield figure_line(
            "choose 5,000 of a million", seconds_of(lambda: choose(table, rule)), "s",
            baseline=WANTED["choosing"],
        )  # fmt: skip


def simulated(folder: Path, count: int, seed: int = 4) -> list[Path]:
    """Gzipped LAMOST files at natural odds."""
    settings = Settings(seed=seed, count=count, labels=("NATURAL",), survey="LAMOST")
    run_campaign(folder, settings)
    return sorted(folder.rglob("*.fits.gz"))


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def look(folder: str, *classes: str) -> tuple[float, float, float]:
    """Spectra a second, the share that was measured in full, and the peak of the memory."""
    paths = [str(path) for path in sorted(Path(folder).rglob("*.fits*"))]
    looker = Look(LookSettings(classes or bundled_ids()))
    looker([Input(path) for path in paths[:20]])
    began, measured = time.process_time(), 0
    for start in range(0, len(paths), 32):
        found = looker([Input(path) for path in paths[start : start + 32]])
        measured += sum(found.rows["measured"])
    seconds = time.process_time() - began
    return len(paths) / seconds, measured / len(paths), peak_mb()


def milliseconds(folder: str) -> list[float]:
    """Medians for a spectrum that only the first look sees, and for one inspected in full."""
    looker = Look(LookSettings(bundled_ids()))
    times: tuple[list[float], list[float]] = [], []
    for path in sorted(Path(folder).rglob("*.fits*"))[:TIMED]:
        began = time.process_time()
        found = looker([Input(str(path))])
        times[found.rows["measured"][0]].append(1e3 * (time.process_time() - began))
    return [statistics.median(some) for some in times]


class InstantFinders:
    """Finders that have looked before they are asked."""

    count = 1

    def __init__(self, row: dict[str, Any]) -> None:
        self._row = row

    def run(self, calls: Iterator[tuple[int, list[Input]]]) -> Generator[Answer[int], None, None]:
        for key, call in calls:
            rows = {name: [value] * len(call) for name, value in self._row.items()}
            rows["path"] = [one.path for one in call]
            yield Answer(key, LookResult(rows))


def one_row() -> dict[str, Any]:
    ids = bundled_ids()
    return {
        "path": "", "row": 0, "rows": 1, "object_id": "J001122.33+445566.7", "ra": 12.3456789,
        "dec": -1.2345678, "survey": "LAMOST", "epoch": 58000.0, "snr": 31.5, "z": 1e-4,
        "velocity_kms": 12.5, "velocity_error_kms": 4.5, "low": 3700.0, "high": 9100.0,
        "quality": 0, "kind": "G", "kind_p": 0.9, "oddness": -4.0, "measured": False,
        "planted": "", "planted_snr": np.nan, "planted_quick": np.nan, "planted_p": np.nan,
        **{f"quick_{each}": 1e-3 for each in ids}, **{f"p_{each}": np.nan for each in ids},
    }  # fmt: skip


def head(count: str) -> float:
    """The peak of the memory of the process that hands out the work."""
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "list.csv"
        with listing.open("w", encoding="utf-8") as file:
            file.write("path\n")
            for number in range(int(count)):
                file.write(f"{number // IN_A_FOLDER:04d}/spec-{number:07d}.fits.gz\n")
        table = FindTable.made(Path(folder) / "x.find", [str(listing)], LookSettings(bundled_ids()))
        state = Search(table).run(InstantFinders(one_row()))
        assert state.looked_at == int(count), state
        return peak_mb()


def names() -> float:
    """What the names of a million files take, over what the process took before."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(MILLION // IN_A_FOLDER):
            place = Path(folder) / f"{number:04d}"
            place.mkdir()
            for each in range(IN_A_FOLDER):
                (place / f"spec-{number * IN_A_FOLDER + each:07d}.fits.gz").touch()
        before = peak_mb()
        assert sum(1 for _ in inputs(folder, print)) == MILLION
        return peak_mb() - before


def synthetic_table(folder: Path, count: int) -> FindTable:
    table = FindTable.made(folder, ["/nowhere"], LookSettings(bundled_ids()))
    rng = np.random.default_rng(1)
    for start in range(0, count, 50_000):
        size = min(50_000, count - start)
        rows: dict[str, Any] = {name: [value] * size for name, value in one_row().items()}
        rows["path"] = [f"/nowhere/spec-{number}.fits" for number in range(start, start + size)]
        rows["ra"] = rng.uniform(0, 360, size)
        rows["dec"] = np.degrees(np.arcsin(rng.uniform(-1, 1, size)))
        measured = rng.random(size) < 0.1
        for task in bundled_ids():
            rows[f"quick_{task}"] = rng.beta(0.1, 3.0, size).astype(np.float32)
            rows[f"p_{task}"] = np.where(measured, rng.beta(0.1, 3.0, size), np.nan)
        rows["planted"] = np.where(rng.random(size) < 0.02, "CV", "").tolist()
        rows["planted_p"] = rng.beta(5, 0.5, size)
        table.add(rows, [])
    return table


if __name__ == "__main__":
    told: dict[str, Callable[..., object]] = {
        "look": look,
        "milliseconds": milliseconds,
        "head": head,
        "names": names,
    }
    print(json.dumps(told[sys.argv[1]](*sys.argv[2:])))
