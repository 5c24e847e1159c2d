"""SpecVI-Bench from an archive: all steps from its files to the sets, in order."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agent.checked_toml import printable
from agent.errors import WorkbenchError, write_errors
from agent.examples.examples import Example, example, write_examples
from agent.spectra.pixel_grid import IndexArray
from agent.spectra.spectrum import BoolArray, FloatArray
from train.bench import splits
from train.bench.archive import NO_VALUES, FileJob, open_archive
from train.bench.measuring import SelectionRule, content_of, measure, merged, spectra
from train.bench.settings import BenchSettings
from train.bench.sources import (
    Catalogues,
    Sources,
    best_of_each_object,
    catalogued,
    faults_of,
    sources_of,
)
from train.bench.splits import Choice
from train.parallel import Workers
from train.simulate.source import Rng

if TYPE_CHECKING:
    import pyarrow

Numbers = NDArray[np.float32]  # measurements with a row per spectrum, NaN where there is none
MEASURED = "measured"
LEAST_POSITIVES = 8
ROUNDS, LEAVES, RATE, BINS = 60, 8, 0.1, 63


@dataclass(frozen=True, kw_only=True)
class AcceptanceCounts:
    """How the sources of an archive, objects above the S/N cut, were judged for one task."""

    positives: int  # sources in the catalogue
    scored: int  # sources in no catalogue, all of which the weak classifier scored
    accepted: int  # scored sources above the limit of the classifier
    members_accepted: int | None = None
    """Accepted sources that are true members, where the truth is known."""

    @property
    def acceptance(self) -> float:
        return self.accepted / self.scored if self.scored else 0.0


@dataclass(eq=False)
class Bench:
    """The rows of each file of a benchmark, and figures about how they were selected."""

    settings: BenchSettings
    sources: Sources
    simulated: bool
    files: dict[str, list[splits.Choice]]
    tasks: dict[str, AcceptanceCounts]
    faults: list[Mapping[str, object]]
    notes: list[str] = field(default_factory=list)
    """Everything that fell short of the request, as sentences."""


def build(
    out: Path,
    archives: Sequence[Path],
    settings: BenchSettings,
    *,
    catalogues: Catalogues,
    spectra_folder: Path | None = None,
    workers: Workers = 1,
    started: Callable[[int], None] = lambda files: None,
    advance: Callable[[int], None] = lambda files: None,
) -> Bench:
    """Make the sets in `out`.

    `started` is called with the number of files, `advance` with the number of those newly done.
    """
    archive = open_archive(list(archives), spectra_folder)
    missing = [task for task in settings.all_tasks if task not in catalogues]
    if missing and not (archive.simulated or archive.is_labelled):
        raise WorkbenchError(
            f"no catalogue of {', '.join(missing)}: give --catalogue {missing[0]}=FILE for each, "
            "leave the task out (--set tasks=..., --set cross_tasks=...), or give an archive with "
            "labels: folders named after classes, or a list with a column label"
        )
    if not archive.simulated:
        # Nobody hides members of labelled spectra from their own labels.
        settings = replace(settings, uncatalogued=0.0)
    started(len(archive.jobs))
    rule = SelectionRule(settings.survey, settings.min_snr)
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
    catalogues: Catalogues,
    simulated: bool,
) -> Bench:
    """Select the spectra from their measurements, without reading any file."""
    sources = sources_of(jobs, measured)
    rule = SelectionRule(settings.survey, settings.min_snr)
    pool = best_of_each_object(sources, rule)
    if not pool.size:
        raise WorkbenchError(_nothing_usable(sources, settings))
    tasks, hidden = settings.all_tasks, settings.uncatalogued
    members = catalogued(sources, tasks, catalogues, hidden, settings.seed)
    bench = Bench(settings, sources, simulated, {}, {}, faults_of(measured))
    is_known = np.logical_or.reduce(list(members.values()))
    assigned: splits.Assigned = {}
    rows: list[splits.Choice] = []
    for number, task in enumerate(tasks):
        rng = np.random.default_rng([settings.seed, 1, number])
        candidates = _candidates(bench, task, pool, members[task], is_known, rng)
        if candidates is not None:
            rows += splits.choose(task, settings.size(task), candidates, sources, assigned, rng)
            _note_shortfall(bench, task, rows, candidates)
    rng = np.random.default_rng([settings.seed, 2])
    main = [row for row in rows if row.task in settings.tasks]
    bench.files[splits.TRAIN] = [row for row in main if row.split == splits.TRAIN]
    bench.files[splits.TEST] = [row for row in main if row.split == splits.TEST]
    bench.files["cold"] = splits.cold_start(main, settings.tasks, settings.cold_per_task, rng)
    crossed = [row for row in rows if row.task not in settings.tasks]
    bench.files[splits.CROSS] = [replace(row, split=splits.CROSS) for row in crossed]
    for name, survey in _survey_files(settings).items():
        bench.files[name] = splits.other_survey(main, survey, settings, sources, rng)
        if not bench.files[name]:
            note = f"{name}: no test object is within 3 arcsec of an object of {survey}"
            bench.notes.append(note)
    if not main:
        raise WorkbenchError(f"no set could be made: {'; '.join(bench.notes)}")
    return bench


def _candidates(
    bench: Bench, task: str, pool: IndexArray, members: BoolArray, is_known: BoolArray, rng: Rng
) -> splits.Candidates | None:
    """Positives and hard negatives of a task; None, with a note, if it has too few members."""
    settings, sources = bench.settings, bench.sources
    is_member = members[pool]
    count = int(is_member.sum())
    if count < LEAST_POSITIVES:
        whose = f" of {settings.survey}" if settings.survey else ""
        others = int((members & (sources.survey != settings.survey)).sum())
        hint = f"; {others} are of another survey: --set survey=..." if whose and others else ""
        bench.notes.append(
            f"{task}: left out, because only {count} objects of its catalogue are in the archive"
            f"{whose} with S/N over {settings.min_snr:g} (at least {LEAST_POSITIVES} are needed)"
            f"{hint}"
        )
        return None
    numbers, seed = sources.numbers[pool], int(rng.integers(2**31))
    others, folds = settings.random_per_positive, settings.folds
    p = cross_fitted(numbers, is_member, random_per_positive=others, folds=folds, seed=seed)
    is_true = sources.label[pool] == task
    unknown = ~is_known[pool]
    hard = unknown & (p > settings.p_negative)
    bench.tasks[task] = AcceptanceCounts(
        positives=count,
        scored=int(unknown.sum()),
        accepted=int(hard.sum()),
        members_accepted=int((hard & is_true).sum()) if sources.knows_truth else None,
    )
    return splits.candidates_of(pool, p, is_member, is_known[pool], is_true, settings, rng)


def _note_shortfall(
    bench: Bench, task: str, rows: Sequence[splits.Choice], candidates: splits.Candidates
) -> None:
    size = bench.settings.size(task)
    for split, wanted in ((splits.TRAIN, size.train), (splits.TEST, size.test)):
        chosen = [row for row in rows if (row.task, row.split) == (task, split)]
        yes = sum(row.answer == "YES" for row in chosen)
        no = len(chosen) - yes
        if (yes, no) != wanted:
            of = f"{yes}/{no} of {wanted[0]}/{wanted[1]} positives/negatives"
            bench.notes.append(f"{task} {split}: {of}")
    limit = bench.settings.p_negative
    if filled := sum(row.filled for row in rows if row.task == task):
        bench.notes.append(
            f"{task}: only {candidates.accepted} negatives passed p > {limit:g}; "
            f"{filled} with the next highest p were added"
        )


def examples(
    jobs: Sequence[FileJob], bench: Bench, rows: Sequence[splits.Choice], lost: list[str]
) -> Iterator[Example]:
    """Second pass: read the chosen spectra again, file by file.

    Spectra that have changed since they were measured are skipped and noted in `lost`.
    """
    sources = bench.sources
    by_job: dict[int, list[splits.Choice]] = {}
    for row in rows:
        by_job.setdefault(int(sources.job[row.source]), []).append(row)
    for number in sorted(by_job):
        job = jobs[number]
        wanted: dict[int, list[splits.Choice]] = {}
        for row in by_job[number]:
            wanted.setdefault(int(sources.row[row.source]), []).append(row)
        stated = dict(zip(job.rows, job.stated, strict=True))
        asked = tuple(sorted(wanted))
        job_again = FileJob(job.path, asked, tuple(stated.get(at, NO_VALUES) for at in asked))
        for at, values, spectrum in spectra(job_again):
            content = int(sources.content[wanted[at][0].source])
            if isinstance(spectrum, str) or content_of(spectrum) != content:
                lost.append(f"{job.path} row {at}: has changed since it was measured: left out")
                continue
            seen = merged(spectrum, values)
            for row in wanted[at]:
                yield example(
                    seen,
                    task=row.task,
                    answer=row.answer,
                    label=str(sources.label[row.source]),
                    subtype=values.subtype,
                    split=row.split,
                )


def _survey_files(settings: BenchSettings) -> dict[str, str]:
    return {f"survey-{survey}": survey for survey in settings.cross_surveys}


def _nothing_usable(sources: Sources, settings: BenchSettings) -> str:
    names, counts = np.unique(sources.survey, return_counts=True)
    counted = zip(names, counts, strict=True)
    available = ", ".join(f"{name or 'no survey stated'} {count}" for name, count in counted)
    wanted = f"of {settings.survey} " if settings.survey else ""
    return (
        f"no spectrum {wanted}with S/N over {settings.min_snr:g} among {len(sources)} "
        f"readable ones ({available or 'none'}): change --set survey=... (empty for all) "
        "or --set min_snr=..."
    )


# The weak classifier of a class: catalogue members against random sources, on simple
# measurements. It only has to find sources that look like members. No source is scored by a model
# trained on it.
def cross_fitted(
    numbers: Numbers, is_member: BoolArray, *, random_per_positive: int, folds: int, seed: int
) -> FloatArray:
    """p(member) of every row, from a model of the folds that do not contain it.

    A row is an object. The training set has all members and a random sample of the other rows.
    """
    rng = np.random.default_rng(seed)
    members, others = np.flatnonzero(is_member), np.flatnonzero(~is_member)
    fold = np.zeros(is_member.size, dtype=np.intp)  # members and others in equal parts
    for which in (members, others):
        fold[rng.permutation(which)] = np.arange(which.size) % folds
    count = min(others.size, random_per_positive * int(is_member.sum()))
    drawn = rng.choice(others, count, replace=False)
    trained = np.concatenate([members, drawn]).astype(np.intp)
    p = np.zeros(is_member.size)
    for number in range(folds):
        seen, held_out = trained[fold[trained] != number], np.flatnonzero(fold == number)
        if held_out.size:
            columns = _varying_columns(numbers[seen])
            model = _fitted(numbers[np.ix_(seen, columns)], is_member[seen], seed)
            share = float(is_member[seen].mean())
            found = model.predict_proba(numbers[np.ix_(held_out, columns)])[:, 1]
            p[held_out] = rebalanced(found, share)
    return p


def _fitted(numbers: Numbers, is_member: BoolArray, seed: int) -> Any:
    """Boosted trees, which need no scaling and accept missing values."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(
        max_iter=ROUNDS, max_leaf_nodes=LEAVES, learning_rate=RATE, max_bins=BINS,
        early_stopping=False, random_state=seed,
    )  # fmt: skip
    with threadpool_limits(1):  # in so small a fit, threads would mostly wait
        model.fit(numbers, is_member)
    return model


def rebalanced(p: FloatArray, share: float) -> FloatArray:
    """p of a model trained on this share of members, as if that had been one half.

    Weights in the fit would have the same effect at forty times the cost.
    """
    members, others = p / share, (1.0 - p) / (1.0 - share)
    return members / (members + others)


def _varying_columns(numbers: Numbers) -> IndexArray:
    """The columns with at least two values; the binning of the trees does not accept others."""
    low = np.where(np.isnan(numbers), np.inf, numbers).min(axis=0)
    high = np.where(np.isnan(numbers), -np.inf, numbers).max(axis=0)
    return np.flatnonzero(low < high)


# The data card: content of the sets and how they were made, for people and for programs.
FIGURES_FILE, CARD_FILE = "bench.json", "README.md"
MAX_FAULTS = 1000
FAULTS_SHOWN = 20
USES = {
    "train": "training, about balanced",
    "test": "the main test, about 1:5",
    "cold": "candidates for the cold start, all of them from train",
    "cross": "the cross-task test",
}


def write_card(
    out: Path, bench: Bench, archives: Sequence[Path], catalogues: Sequence[str]
) -> None:
    figures = figures_of(bench, [path.name for path in archives], list(catalogues))
    with write_errors(out):
        text = json.dumps(figures, indent=1, allow_nan=False) + "\n"
        (out / FIGURES_FILE).write_text(text, encoding="utf-8")
        parts = (*_about(figures), *_sets(figures), *_negatives(figures), *_rest(figures))
        (out / CARD_FILE).write_text("\n".join(parts), encoding="utf-8")


def figures_of(bench: Bench, archives: list[str], catalogues: list[str]) -> dict[str, Any]:
    """All figures as plain values, which only depend on the settings and the archive."""
    sources = bench.sources
    objects, sizes = np.unique(sources.object, return_counts=True)
    scored = sum(found.scored for found in bench.tasks.values())
    accepted = sum(found.accepted for found in bench.tasks.values())
    return {
        "archives": archives,
        "catalogues": catalogues,
        "simulated": bench.simulated,
        "settings": asdict(bench.settings),
        "spectra": len(sources) + len(bench.faults),
        "measured": int(sources.is_measured.sum()),
        "objects": int(objects.size),
        "most_spectra_of_one_object": int(sizes.max(initial=0)),
        "surveys": dict(sorted(Counter(sources.survey.tolist()).items())),
        "faulty": len(bench.faults),
        "faults": bench.faults[:MAX_FAULTS],
        "tasks": {
            task: {**asdict(found), "acceptance": found.acceptance}
            for task, found in bench.tasks.items()
        },
        "acceptance": accepted / scored if scored else 0.0,
        "files": {name: _of_file(bench, rows) for name, rows in bench.files.items()},
        "notes": bench.notes,
    }


def _of_file(bench: Bench, rows: Sequence[Choice]) -> dict[str, Any]:
    by_task: dict[str, list[Choice]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    return {
        "rows": len(rows),
        "objects": len({int(bench.sources.object[row.source]) for row in rows}),
        "tasks": {task: _of_rows(bench, rows_of_task) for task, rows_of_task in by_task.items()},
    }


def _of_rows(bench: Bench, rows: Sequence[Choice]) -> dict[str, Any]:
    sources = bench.sources
    indices = [row.source for row in rows]
    low, middle, high = np.quantile(sources.snr[indices], (0.1, 0.5, 0.9)).tolist()
    found: dict[str, Any] = {
        "YES": sum(row.answer == "YES" for row in rows),
        "NO": sum(row.answer == "NO" for row in rows),
        "filled": sum(row.filled for row in rows),
        "surveys": dict(sorted(Counter(sources.survey[indices].tolist()).items())),
        "snr": {"p10": round(low, 2), "median": round(middle, 2), "p90": round(high, 2)},
    }
    if sources.knows_truth:
        is_yes = [row.answer == "YES" for row in rows]
        is_true = (sources.label[indices] == np.array([row.task for row in rows])).tolist()
        pairs = list(zip(is_yes, is_true, strict=True))
        found["wrong_YES"] = sum(yes and not true for yes, true in pairs)
        found["wrong_NO"] = sum(true and not yes for yes, true in pairs)
    return found


def _about(figures: Mapping[str, Any]) -> list[str]:
    settings = figures["settings"]
    kind = "simulated spectra, no observations" if figures["simulated"] else "survey spectra"
    known = ", ".join(figures["catalogues"]) or "the simulation's truth"
    missing = settings["uncatalogued"]
    less = f", without {missing:.0%} of the members" if not figures["catalogues"] else ""
    surveys = ", ".join(f"{name or 'unnamed'} {n}" for name, n in figures["surveys"].items())
    return [
        "# SpecVI-Bench",
        "",
        f"Spectra, the question whether each shows a member of a class, and the answer: {kind}.",
        "",
        f"- Archive: {_escaped(figures['archives'])}; {figures['spectra']} spectra ({surveys}), "
        f"{figures['objects']} objects; {figures['faulty']} could not be used.",
        f"- Catalogues: {_escaped([known])}{less}.",
        f"- S/N over {settings['min_snr']:g}; the best spectrum of each object. Main sets from "
        f"{settings['survey'] or 'any survey'}.",
        "- Objects are identified by position (friends of friends within 3 arcsec) and content; "
        "none is both in train and in test, and no cold-start candidate is in a test.",
        f"- Seed {settings['seed']}; all settings and figures are in {FIGURES_FILE}.",
        "- Licence: the terms of the archive and the catalogues apply to their spectra and labels; "
        "simulated ones have no such terms.",
        "",
    ]


def _sets(figures: Mapping[str, Any]) -> list[str]:
    lines = ["## Sets", "", "| file | task | YES | NO | S/N 10 %, median, 90 % | surveys | wrong |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, found in figures["files"].items():
        for task, rows_of_task in found["tasks"].items():
            snr = rows_of_task["snr"]
            spread = f"{snr['p10']:.0f}, {snr['median']:.0f}, {snr['p90']:.0f}"
            surveys = ", ".join(f"{survey} {n}" for survey, n in rows_of_task["surveys"].items())
            wrong = rows_of_task.get("wrong_YES", 0) + rows_of_task.get("wrong_NO", 0)
            noise = str(wrong) if "wrong_NO" in rows_of_task else "unknown"
            lines.append(
                f"| {name} | {task} | {rows_of_task['YES']} | {rows_of_task['NO']} | {spread} | "
                f"{_escaped([surveys])} | {noise} |"
            )
    uses = [f"{name}: {use}" for name, use in USES.items()]
    uses.append("survey-NAME: the test objects as observed by that survey")
    return [*lines, "", "; ".join(uses) + ".", ""]


def _negatives(figures: Mapping[str, Any]) -> list[str]:
    settings = figures["settings"]
    lines = [
        "## Hard negatives",
        "",
        "A weak classifier for each class (trees on line and band measurements, trained on its "
        f"catalogue against random sources, cross-fitted in {settings['folds']} folds) scored all "
        f"sources in no catalogue; those with p > {settings['p_negative']:g} were accepted: "
        f"{figures['acceptance']:.2%} of all scores (published: 1.74 %).",
        "",
        "| task | in catalogue | scored | accepted | rate | true members accepted |",
        "|---|---|---|---|---|---|",
    ]
    for task, found in figures["tasks"].items():
        noise = found["members_accepted"]
        lines.append(
            f"| {task} | {found['positives']} | {found['scored']} | {found['accepted']} | "
            f"{found['acceptance']:.2%} | {'unknown' if noise is None else noise} |"
        )
    kept = "are kept, as label noise" if settings["label_noise"] == "keep" else "were left out"
    note = f"A true member may be in no catalogue: where the truth is known, such members {kept}."
    return [*lines, "", note, ""]


def _rest(figures: Mapping[str, Any]) -> list[str]:
    lines = []
    if figures["notes"]:
        lines += ["## Shortfalls", "", *(f"- {_escaped([note])}" for note in figures["notes"]), ""]
    if figures["faults"]:
        lines += [f"## Spectra that could not be used ({figures['faulty']})", ""]
        for each in figures["faults"][:FAULTS_SHOWN]:
            file, fault = _escaped([Path(each["file"]).name]), _escaped([each["fault"]])
            lines.append(f"- {file} row {each['row']}: {fault}")
        lines.append("")
    return lines


def _escaped(texts: Sequence[str]) -> str:
    """Texts of others on one line, with Markdown escaped."""
    return re.sub(r"[|<>\[\]`*_\\]", r"\\\g<0>", printable(", ".join(texts), 300))
