"""`spec-o3 find` with processes and with Ray actors, of which three are killed, and the head once.

Each input has to be in the table once, and the sums have to be those of a search that nobody
disturbed. One in a hundred files is damaged: told with a reason. `SPEC_O3_BENCH_KILLS` is another
number of inputs.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil

from app.core.finding.inputs import Input
from app.core.finding.looking import Look, LookSettings, bundled_ids
from app.core.finding.table import FindTable
from tests.bench.measuring import figure_line

INPUTS = int(os.environ.get("SPEC_O3_BENCH_KILLS", "100000"))
KINDS, IN_A_FOLDER, DAMAGED_EACH = 20, 1000, 100
WORKERS, KILLS = 8, 3
PIXELS = 600  # so few that a hundred thousand take minutes
LONGEST_S = 7200.0
SETTINGS = LookSettings(bundled_ids(), plant_each=0)
WORDS = {
    "processes": ("--workers", str(WORKERS)),
    "Ray actors": ("--ray", "--actors", str(WORKERS)),
}
CHILD = {"processes": "finding/child.py", "Ray actors": "ray::Shell"}


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        survey = Path(folder) / "survey"
        expected = _write(survey)
        for how, words in WORDS.items():
            table = Path(folder) / f"{len(how)}.find"
            command = [
                sys.executable, "-m", "app.cli.main", "find", str(survey), "--to", str(table),
                "--plant", "0", *words,
            ]  # fmt: skip
            began = time.monotonic()
            kills = _disturbed(command, table, CHILD[how], random.Random(5))
            seconds = time.monotonic() - began
            yield from _checked(how, FindTable(table), expected, kills, seconds)


def _write(survey: Path) -> float:
    """Hard links to a few files, one in a hundred to a damaged one; the sum of all S/N."""
    rng = np.random.default_rng(2)
    survey.mkdir()
    kinds = []
    for number in range(KINDS):
        wavelength = np.linspace(4800.0, 5400.0, PIXELS)
        flux = 1.0 + 0.02 * (number + 1) * rng.standard_normal(PIXELS)
        kinds.append(survey.parent / f"kind{number}.csv")
        rows = np.column_stack([wavelength, flux, np.full(PIXELS, 0.02 * (number + 1))])
        np.savetxt(kinds[-1], rows, delimiter=",", header="wavelength,flux,error", comments="")
    damaged = survey.parent / "damaged.fits"
    damaged.write_bytes(b"SIMPLE  =                    T" + bytes(3000))
    looks = Look(SETTINGS)([Input(str(path)) for path in kinds])
    total = 0.0
    for number in range(INPUTS):
        place = survey / f"{number // IN_A_FOLDER:04d}"
        place.mkdir(exist_ok=True)
        if number % DAMAGED_EACH == 0:
            os.link(damaged, place / f"{number}.fits")
        else:
            os.link(kinds[number % KINDS], place / f"{number}.csv")
            total += looks.rows["snr"][number % KINDS]
    return total


def _disturbed(command: list[str], table: Path, child: str, chance: random.Random) -> int:
    """Run to the end; kill some children, and the head once in the middle. How many were killed."""
    killed, is_headless = 0, False
    until = time.monotonic() + LONGEST_S
    while time.monotonic() < until:
        head = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while head.poll() is None and time.monotonic() < until:
            time.sleep(chance.uniform(1.0, 4.0))
            children = _children(child)
            if killed < KILLS and len(children) >= WORKERS:
                os.kill(chance.choice(children), signal.SIGKILL)
                killed += 1
            elif killed == KILLS and not is_headless and len(list(table.glob("part-*"))) > 0:
                head.kill()
                is_headless = True
        if head.wait() == 0:
            return killed + is_headless
    raise TimeoutError(f"no end after {LONGEST_S:g} s")


def _children(words: str) -> list[int]:
    lines = {each.pid: each.info["cmdline"] for each in psutil.process_iter(["cmdline"])}
    return [pid for pid, line in lines.items() if words in " ".join(line or ())]


def _checked(
    how: str, table: FindTable, expected: float, kills: int, seconds: float
) -> Iterator[dict[str, object]]:
    columns = table.columns(["path", "snr"])
    paths = columns["path"].tolist()
    unread = {path for path, _, _ in table.unread()}
    damaged, total = len(range(0, INPUTS, DAMAGED_EACH)), float(columns["snr"].sum(dtype=float))
    yield figure_line(
        f"{WORKERS} {how}, {INPUTS:,} inputs: missing, twice, damaged not told",
        [INPUTS - damaged - len(set(paths)), len(paths) - len(set(paths)), damaged - len(unread)],
        "inputs", baseline=[0, 0, 0], killed=kills, rate=INPUTS / seconds,
        sum_is_exact=abs(total - expected) < 1e-6 * expected,
    )  # fmt: skip
