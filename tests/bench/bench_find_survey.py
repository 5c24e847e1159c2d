"""`spec-o3 find` on a large simulated survey: recall of real members, planted oddities.

The labelled real spectra of five classes lie among 100,000 simulated others at natural odds, all in
memory: the files of so many would fill a disk. `SPEC_O3_BENCH_SURVEY` is another number of others,
`SPEC_O3_BENCH_REAL` another folder of labelled spectra.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from agent.confidence.scores import wilson
from agent.errors import WorkbenchError
from agent.evidence.assessment import assess_measurements
from agent.evidence.measurements import measurements_of
from agent.evidence.quick import quick_weights
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray, Spectrum
from agent.tasks.catalogue import find_task
from app.core.finding.plant import members_of, planted
from tests.bench.measuring import figure_line
from tests.bench.oddities import KINDS, ODD_LABELS, odd_spectrum
from tests.conftest import SHARED
from train.parallel import in_order
from train.simulate.campaign import NATURAL
from train.simulate.sky import draw_source
from train.simulate.source import Rng
from train.simulate.telescope.observation import log_uniform, to_spectrum
from train.simulate.telescope.telescope import observe

OTHERS = int(os.environ.get("SPEC_O3_BENCH_SURVEY", "100000"))
REAL = Path(os.environ.get("SPEC_O3_BENCH_REAL", str(SHARED / "labelled")))
TASKS = ("CV", "CS", "SS", "MG", "WD")
SNR = (5.0, 100.0)
CHUNK = 200
ODD_EACH = 100
BEST, ODDEST = 0.01, 0.02

Look = tuple[str, list[float], list[float], float]
"""What it is; the score of each of TASKS, and p(YES) of a whole inspection; oddness."""


def figures() -> Iterator[dict[str, object]]:
    others = [
        look
        for part in in_order(_others, range(0, OTHERS, CHUNK), 2)
        for look in part
    ]  # fmt: skip
    yield from _recall(others)
    yield from _estimates()
    yield from _oddness(others)


SURVEYS, IN_SURVEY, MEMBERS, PLANT_EACH, KEPT = 20, 1500, 60, 5, 90


def _estimates() -> Iterator[dict[str, object]]:
    """On simulated surveys: does the share of planted members that is kept tell that of members?"""
    inside, wide = 0, []
    for true, low, high in in_order(_estimate, range(SURVEYS), 2):
        # The share of so few members scatters, too: twice its standard deviation.
        spread = 2.0 * np.sqrt(max(true * (1.0 - true), 0.01) / MEMBERS)
        inside += low - spread <= true <= high + spread
        wide.append(high - low)
    yield figure_line(
        "surveys in which the recall told by planted members holds", inside / SURVEYS, "share",
        baseline=0.95, surveys=SURVEYS, interval=float(np.mean(wide)),
    )  # fmt: skip


def _estimate(number: int) -> tuple[float, float, float]:
    task = TASKS[number % len(TASKS)]
    place, members = TASKS.index(task), members_of(task)
    assert members is not None
    rng = np.random.default_rng([10, number])
    plain = [one for start in range(0, IN_SURVEY, CHUNK) for one in _spectra(rng, CHUNK)]
    scores = [_looked(label, spectrum)[1][place] for label, spectrum in plain]
    own = [_looked(task, spectrum)[1][place] for _, spectrum in _spectra(rng, MEMBERS, task)]
    twins = [
        planted(spectrum, members, seed) for seed, (_, spectrum) in enumerate(plain[::PLANT_EACH])
    ]
    told = [_looked(task, twin)[1][place] for twin in twins if twin is not None]
    least = np.sort(np.array(scores + own))[::-1][KEPT]
    hits = sum(score >= least for score in told)
    return float(np.mean(np.array(own) >= least)), *wilson(hits, len(told))


def _recall(others: list[Look]) -> Iterator[dict[str, object]]:
    with (REAL / "MANIFEST.csv").open(newline="", encoding="utf-8") as file:
        listed = [(str(REAL / row["file"]), row["label"]) for row in csv.DictReader(file)]
    real = [look for part in in_order(_real, listed, 2) for look in part]
    found, members, lost, yes = 0, 0, [], 0
    for place, task in enumerate(TASKS):
        # Simulated members of the class are no "others".
        scores = np.array([look[1][place] for look in others if look[0] != task])
        kept = np.sort(scores)[::-1][int(BEST * len(scores))]
        own = [look for look in real if look[0] == task]
        hits = sum(look[1][place] >= kept for look in own)
        found, members = found + hits, members + len(own)
        said_yes = [look for look in real if look[2][place] >= 0.5]
        yes += len(said_yes)
        cut = np.sort([look[1][place] for look in own])[int(0.01 * len(own))]
        lost += [look[0] for look in said_yes if look[0] == task and look[1][place] < cut]
        yield figure_line(
            f"real {task} in the best 1 % of {len(scores):,}", hits / max(len(own), 1), "share",
            members=len(own), least_kept=float(kept),
        )  # fmt: skip
    yield figure_line(
        "real members in the best 1 %", found / members, "share", baseline=0.97, members=members
    )
    yield figure_line(
        "YES of a whole inspection below the cut of 99 %", len(lost), "spectra", baseline=0, yes=yes
    )


def _oddness(others: list[Look]) -> Iterator[dict[str, object]]:
    """Among all others, of which 2 % are galaxies and quasars, and among those of no odd kind."""
    every = np.array([look[3] for look in others])
    is_ordinary = np.array([look[0] not in ODD_LABELS for look in others])
    for least in (SNR[0], 10.0):
        jobs = [(kind, least, start) for kind in KINDS for start in range(0, ODD_EACH, 25)]
        found: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for (kind, *_), part in zip(jobs, in_order(_odd, jobs, 2), strict=True):
            found[kind] += part
        for among, plain in (("ordinary", every[is_ordinary]), ("all", every)):
            shares = _shares(plain, found)
            yield figure_line(
                f"planted in the oddest 2 % of {among} others, S/N {least:g} to {SNR[1]:g}",
                float(np.mean(list(shares.values()))), "share", baseline=0.8, **shares,
            )  # fmt: skip


def _shares(plain: FloatArray, found: dict[str, list[float]]) -> dict[str, float]:
    """Of each planted kind, how many are in the oddest 2 %."""
    every = np.concatenate([plain, *found.values()])
    # They are few: as planted, one of each thousand.
    few = 1e-3 * plain.size / ODD_EACH / len(KINDS)
    weight = np.concatenate([np.ones(plain.size), np.full(every.size - plain.size, few)])
    order = np.argsort(-every)
    above = np.cumsum(weight[order]) / weight.sum()
    cut = every[order][np.searchsorted(above, ODDEST)]
    return {kind: float(np.mean(np.array(each) >= cut)) for kind, each in found.items()}


def _looked(label: str, spectrum: Spectrum, *, in_full: bool = False) -> Look:
    """The score that a row of the table has: p of a whole inspection, or p of a first look - 1."""
    weights = quick_weights()
    quick = weights.look(spectrum)
    scores, whole = [], []
    for name in TASKS:
        may_be = weights.may_be(name, quick)
        p = np.nan
        if may_be or in_full:
            p = assess_measurements(measurements_of(spectrum), find_task(name)).p_yes
        whole.append(p)
        scores.append(p if may_be else float(quick.p[weights.kinds.labels.index(name)]) - 1.0)
    return label, scores, whole, float(np.nan_to_num(quick.oddness, nan=-99.0))


def _others(start: int) -> list[Look]:
    rng = np.random.default_rng([8, start])
    return [_looked(label, spectrum) for label, spectrum in _spectra(rng, CHUNK)]


def _spectra(rng: Rng, count: int, label: str = "") -> list[tuple[str, Spectrum]]:
    """Spectra of LAMOST at natural odds, or of one class."""
    names, shares = list(NATURAL), np.array(list(NATURAL.values()))
    found: list[tuple[str, Spectrum]] = []
    while len(found) < count:
        kind = label or str(rng.choice(names, p=shares / shares.sum()))
        try:
            observed = observe(draw_source(kind, rng), "LAMOST", rng, snr=log_uniform(rng, SNR))
        except WorkbenchError:
            continue
        found.append((kind, to_spectrum(observed)))
    return found


def _real(listed: tuple[str, str]) -> list[Look]:
    path, label = listed
    try:
        return [_looked(label, read(path), in_full=True)]
    except WorkbenchError:
        return []


def _odd(job: tuple[str, float, int]) -> list[float]:
    kind, least, start = job
    rng = np.random.default_rng([9, list(KINDS).index(kind), int(least), start])
    found: list[float] = []
    while len(found) < 25:
        try:
            found.append(_looked(kind, odd_spectrum(kind, rng, (least, SNR[1])))[3])
        except WorkbenchError:
            continue
    return found
