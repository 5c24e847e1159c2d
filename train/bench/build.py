"""SpecVI-Bench from an archive, from its files to its sets: one story that reads top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.spectrum import BoolArray, Spectrum
from train.bench.archive import NOTHING, FileJob, open_archive
from train.bench.catalogues import catalogued
from train.bench.looking import Rule, content_of, merged, spectra
from train.bench.measuring import measure
from train.bench.settings import BenchSettings
from train.bench.sources import Sources, best_of_each_object, faults_of, sources_of
from train.bench.splits import (
    CROSS,
    TEST,
    TRAIN,
    Assigned,
    Candidates,
    Choice,
    candidates_of,
    choose,
    cold_start,
    other_survey,
)
from train.bench.weak import LEAST_POSITIVES, cross_fitted
from train.examples import Example, example, write_examples

if TYPE_CHECKING:
    import pyarrow

MEASURED = "measured"


@dataclass(frozen=True, kw_only=True)
class AcceptanceCounts:
    """What became of the archive for one task; sources are objects above the cut in S/N."""

    positives: int
    """In the catalogue."""
    scored: int
    """In no catalogue, all seen by the weak classifier."""
    accepted: int
    """Of them above its limit."""
    members_accepted: int | None = None
    """Of them members in truth, where that is known."""

    @property
    def acceptance(self) -> float:
        return self.accepted / self.scored if self.scored else 0.0


@dataclass(eq=False)
class Bench:
    """What was made: the rows of each file and the figures of how."""

    settings: BenchSettings
    sources: Sources
    simulated: bool
    files: dict[str, list[Choice]]
    tasks: dict[str, AcceptanceCounts]
    faults: list[Mapping[str, object]]
    notes: list[str] = field(default_factory=list)
    """Whatever fell short of what was asked for, in plain words."""


def build(
    out: Path,
    places: Sequence[Path],
    settings: BenchSettings,
    *,
    catalogues: Mapping[str, Sequence[Path]],
    spectra_folder: Path | None = None,
    workers: int = 1,
    started: Callable[[int], None] = lambda files: None,
    advance: Callable[[int], None] = lambda files: None,
) -> Bench:
    """Make the sets in `out`. `started` hears how many files there are, `advance` of those done."""
    archive = open_archive(list(places), spectra_folder)
    missing = [task for task in settings.all_tasks if task not in catalogues]
    if missing and not archive.simulated:
        raise WorkbenchError(
            f"no catalogue of {', '.join(missing)}: give --catalogue {missing[0]}=FILE for each, "
            "or leave the task out (--set tasks=..., --set cross_tasks=...)"
        )
    started(len(archive.jobs))
    rule = Rule(settings.survey, settings.min_snr)
    measured = measure(archive.jobs, rule, out / MEASURED, workers, advance)
    bench = plan(archive.jobs, measured, settings, catalogues, bool(archive.simulated))
    names = ("train", "test", "cold", "cross", *_survey_files(settings))
    for stale in {*out.glob("survey-*.parquet")} - {out / f"{name}.parquet" for name in names}:
        stale.unlink()
    for name in names:
        rows = bench.files.get(name, [])
        lost: list[str] = []
        write_examples(out / f"{name}.parquet", examples(archive.jobs, bench, rows, lost))
        bench.notes += lost
    return bench


def plan(
    jobs: Sequence[FileJob],
    measured: pyarrow.Table,
    settings: BenchSettings,
    catalogues: Mapping[str, Sequence[Path]],
    simulated: bool,
) -> Bench:
    """Which spectra are chosen; reads none of them."""
    sources = sources_of(jobs, measured)
    rule = Rule(settings.survey, settings.min_snr)
    pool = best_of_each_object(sources, rule)
    if not pool.size:
        raise WorkbenchError(_nothing_usable(sources, settings))
    members = catalogued(
        sources, settings.all_tasks, catalogues, settings.uncatalogued, settings.seed
    )
    bench = Bench(settings, sources, simulated, {}, {}, faults_of(measured))
    is_known = np.logical_or.reduce(list(members.values()))
    assigned = Assigned()
    rows: list[Choice] = []
    for number, task in enumerate(settings.all_tasks):
        rng = np.random.default_rng([settings.seed, 1, number])
        found = _candidates(bench, task, pool, members[task], is_known, rng)
        if found is not None:
            rows += choose(task, settings.size(task), found, sources, assigned, rng)
            _note_shortfall(bench, task, rows, found)
    rng = np.random.default_rng([settings.seed, 2])
    main = [row for row in rows if row.task in settings.tasks]
    bench.files[TRAIN] = [row for row in main if row.split == TRAIN]
    bench.files[TEST] = [row for row in main if row.split == TEST]
    bench.files["cold"] = cold_start(main, settings.tasks, settings.cold_per_task, rng)
    bench.files[CROSS] = [
        replace(row, split=CROSS) for row in rows if row.task not in settings.tasks
    ]
    for name, survey in _survey_files(settings).items():
        bench.files[name] = other_survey(main, survey, settings, sources, rng)
        if not bench.files[name]:
            bench.notes.append(f"{name}: no test object lies within 3 arcsec of one of {survey}")
    if not main:
        raise WorkbenchError(f"no set could be made: {'; '.join(bench.notes)}")
    return bench


def _candidates(
    bench: Bench,
    task: str,
    pool: np.ndarray,
    in_catalogue: BoolArray,
    is_known: BoolArray,
    rng: np.random.Generator,
) -> Candidates | None:
    """Positives and hard negatives of a task; None, with a note, where it has too few members."""
    settings, sources = bench.settings, bench.sources
    is_member = in_catalogue[pool]
    count = int(is_member.sum())
    if count < LEAST_POSITIVES:
        bench.notes.append(
            f"{task}: left out, as only {count} objects of its catalogue are in the archive "
            f"with S/N over {settings.min_snr:g} (at least {LEAST_POSITIVES})"
        )
        return None
    p = cross_fitted(
        sources.numbers[pool],
        is_member,
        random_per_positive=settings.random_per_positive,
        folds=settings.folds,
        seed=int(rng.integers(2**31)),
    )
    is_true = sources.label[pool] == task
    unknown = ~is_known[pool]
    hard = unknown & (p > settings.p_negative)
    bench.tasks[task] = AcceptanceCounts(
        positives=count,
        scored=int(unknown.sum()),
        accepted=int(hard.sum()),
        members_accepted=int((hard & is_true).sum()) if sources.knows_truth else None,
    )
    return candidates_of(pool, p, is_member, is_known[pool], is_true, settings, rng)


def _note_shortfall(
    bench: Bench, task: str, rows: Sequence[Choice], candidates: Candidates
) -> None:
    size = bench.settings.size(task)
    for split, wanted in ((TRAIN, size.train), (TEST, size.test)):
        its = [row for row in rows if (row.task, row.split) == (task, split)]
        got = (
            sum(row.answer == "YES" for row in its),
            sum(row.answer == "NO" for row in its),
        )
        if got != wanted:
            bench.notes.append(
                f"{task} {split}: {got[0]}/{got[1]} of {wanted[0]}/{wanted[1]} positives/negatives"
            )
    filled = sum(row.filled for row in rows if row.task == task)
    limit = bench.settings.p_negative
    if filled:
        bench.notes.append(
            f"{task}: only {candidates.accepted} negatives passed p > {limit:g}; "
            f"{filled} with the next highest p were taken beside them"
        )


def examples(
    jobs: Sequence[FileJob], bench: Bench, rows: Sequence[Choice], lost: list[str]
) -> Iterator[Example]:
    """The second pass: the chosen spectra read again, file by file. What has changed since it was
    measured is left out and goes to `lost`."""
    sources = bench.sources
    by_job: dict[int, list[Choice]] = {}
    for row in rows:
        by_job.setdefault(int(sources.job[row.source]), []).append(row)
    for number in sorted(by_job):
        job = jobs[number]
        wanted: dict[int, list[Choice]] = {}
        for row in by_job[number]:
            wanted.setdefault(int(sources.row[row.source]), []).append(row)
        stated = dict(zip(job.rows, job.stated, strict=True))
        asked = tuple(sorted(wanted))
        again = FileJob(job.path, asked, tuple(stated.get(at, NOTHING) for at in asked))
        for at, said, spectrum in spectra(again):
            if isinstance(spectrum, str) or _has_changed(sources, wanted[at][0], spectrum):
                lost.append(f"{job.path} row {at}: has changed since it was measured, left out")
                continue
            seen = merged(spectrum, said)
            for row in wanted[at]:
                yield example(
                    seen,
                    task=row.task,
                    answer=row.answer,
                    label=str(sources.label[row.source]),
                    subtype=said.subtype,
                    split=row.split,
                )


def _has_changed(sources: Sources, row: Choice, spectrum: Spectrum) -> bool:
    return content_of(spectrum) != int(sources.content[row.source])


def _survey_files(settings: BenchSettings) -> dict[str, str]:
    return {f"survey-{survey}": survey for survey in settings.cross_surveys}


def _nothing_usable(sources: Sources, settings: BenchSettings) -> str:
    names, counts = np.unique(sources.survey, return_counts=True)
    there = ", ".join(
        f"{name or 'no survey named'} {count}" for name, count in zip(names, counts, strict=True)
    )
    asked = f"of {settings.survey} " if settings.survey else ""
    return (
        f"no spectrum {asked}with S/N over {settings.min_snr:g} among {len(sources)} readable ones "
        f"({there or 'none'}): change --set survey=... (empty for all) or --set min_snr=..."
    )
