"""`spec-o3-train weights`: fit the measured inspector; `measured`: how good it is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table

from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import brier_score, expected_calibration_error, reliability_curve
from agent.errors import WorkbenchError, write_errors
from agent.evidence.assessment import TaskWeights, assess_measurements
from agent.evidence.kinds import Kinds
from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.spectrum import FloatArray
from agent.tasks.catalogue import bundled_tasks, find_task
from app.core.statistics.summary import to_plain
from train.parallel import in_order
from train.simulate.campaign import CONTAMINANTS, Settings, assignments
from train.simulate.production import simulate_spectrum
from train.simulate.realism.library import Library
from train.simulate.sky import LABELS
from train.simulate.telescope.observation import to_spectrum
from train.weights.fit import draw, fit_all

CLEAR_SNR = 10.0
SURVEYS = "LAMOST,SDSS,DESI"
CHUNK = 50


SeedOption = Annotated[int, typer.Option(min=0, help="The same seed gives the same weights.")]
WorkersOption = Annotated[int, typer.Option(min=1, max=256, help="Processes.")]
OutOption = Annotated[
    Path | None, typer.Option(help="Folder to write to; default: that of the program.")
]


def weights(
    per_label: Annotated[
        int, typer.Option(min=10, max=100_000, help="Simulated spectra per kind of object.")
    ] = 600,
    seed: SeedOption = 1,
    workers: WorkersOption = 2,
    out: OutOption = None,
) -> None:
    """Fit the weights of the measured inspector on simulated spectra alone."""
    folder = out or Path(str(files("resources") / "weights"))
    if unknown := [task.id for task in bundled_tasks() if task.id not in CONTAMINANTS]:
        raise WorkbenchError(
            f"no simulated stars of {', '.join(unknown)}: weights can be fitted for "
            f"{', '.join(CONTAMINANTS)}"
        )
    with Progress(console=Console(stderr=True), transient=True) as progress:
        drawing = progress.add_task("simulating and measuring", total=len(LABELS))
        draws = draw(per_label, seed, workers, lambda: progress.advance(drawing))
    kinds, tasks = fit_all(draws, bundled_tasks(), seed)
    made_by = (
        f"Made by: spec-o3-train weights --per-label {per_label} --seed {seed}",
        f"from {len(draws)} simulated spectra, {per_label} of each of {len(LABELS)} kinds.",
    )
    with write_errors(folder):
        write_kinds(folder / "kinds.toml", kinds, made_by)
        write_tasks(folder / "tasks.toml", tasks, made_by)
    Console().print(f"weights of {len(tasks)} tasks written to {folder}", markup=False)


def measured(
    real: Annotated[
        Path | None,
        typer.Option(
            help="Labelled real spectra to judge: a folder with a MANIFEST.csv of file, label."
        ),
    ] = None,
    count: Annotated[
        int, typer.Option(min=30, max=1_000_000, help="Candidates per task and survey.")
    ] = 2000,
    survey: Annotated[
        str, typer.Option(help="One survey or several separated by commas.")
    ] = SURVEYS,
    seed: Annotated[
        int, typer.Option(min=0, help="Use a seed that the weights were not made with.")
    ] = 77,
    workers: WorkersOption = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Judge simulated candidates at odds of 1:5, or a folder of real spectra, without a model."""
    ids = tuple(task.id for task in bundled_tasks())
    if real is not None:
        lists = {"real": library(real, ids)}
    else:
        lists = {each: _simulated(ids, each, count, seed, workers) for each in survey.split(",")}
    if as_json:
        typer.echo(json.dumps(to_plain(_as_json(lists)), allow_nan=False))
        return
    for name, judged in lists.items():
        Console().print(_table(name, judged))


def _simulated(
    ids: Sequence[str], survey: str, count: int, seed: int, workers: int
) -> dict[str, list[JudgedCandidate]]:
    with Progress(console=Console(stderr=True), transient=True) as progress:
        total = len(ids) * -(-count // CHUNK)
        advance = partial(progress.advance, progress.add_task(f"judging {survey}", total=total))
        return {each: candidates(each, survey, count, seed, workers, advance) for each in ids}


def _clear(rows: Sequence[JudgedCandidate]) -> list[JudgedCandidate]:
    return [row for row in rows if row.snr > CLEAR_SNR]


def _wrong(rows: Sequence[JudgedCandidate], task_id: str) -> list[JudgedCandidate]:
    return [row for row in rows if (row.label == task_id) != (row.p_yes >= 0.5)]


def _as_json(lists: dict[str, dict[str, list[JudgedCandidate]]]) -> dict[str, object]:
    def figures(rows: Sequence[JudgedCandidate], task_id: str) -> dict[str, object]:
        every, clear = (threshold_scores(each, task_id) for each in (rows, _clear(rows)))
        wrong = [asdict(row) for row in _wrong(rows, task_id)]
        return {"all": asdict(every), "clear": asdict(clear), "wrong": wrong}

    return {
        name: {task: figures(rows, task) for task, rows in judged.items()}
        for name, judged in lists.items()
    }


def _table(name: str, judged: dict[str, list[JudgedCandidate]]) -> Table:
    figures = ("F1", f"F1, S/N > {CLEAR_SNR:g}", "precision", "recall", "Brier", "ECE")
    columns = (Column(figure, justify="right") for figure in figures)
    title = f"{name}: judged without a model"
    table = Table("task", *columns, "wrong", title=title, box=box.SIMPLE)
    scores = {task_id: threshold_scores(rows, task_id) for task_id, rows in judged.items()}
    clear = {task_id: threshold_scores(_clear(rows), task_id) for task_id, rows in judged.items()}
    for task_id, rows in judged.items():
        one = scores[task_id]
        shares = (one.f1, clear[task_id].f1, one.precision, one.recall)
        numbers = (f"{number:.3f}" for number in (*shares, one.brier, one.calibration_error))
        table.add_row(task_id, *numbers, _confusions(_wrong(rows, task_id), task_id))
    means = (np.nanmean([one.f1 for one in each.values()]) for each in (scores, clear))
    table.add_row("mean", *(f"{mean:.3f}" for mean in means), *[""] * 5)
    return table


def _confusions(wrong: Sequence[JudgedCandidate], task_id: str) -> str:
    """Likeliest kinds of the misses and true labels of the false alarms, most frequent first."""
    misses = [row.likeliest for row in wrong if row.label == task_id]
    alarms = [row.label for row in wrong if row.label != task_id]

    def counted(words: list[str]) -> str:
        ranked = sorted(set(words), key=lambda word: (-words.count(word), word))
        return ", ".join(f"{word} {words.count(word)}" for word in ranked[:3]) or "-"

    return f"missed as {counted(misses)}; alarms {counted(alarms)}"


# Writing the fitted weights to the files that the inspector reads.
def write_kinds(path: Path, kinds: Kinds, made_by: Sequence[str]) -> None:
    n_knots = kinds.knots.shape[1]
    lines = [
        f"labels = [{', '.join(_quoted(label) for label in kinds.labels)}]",
        f"intercepts = {_numbers(kinds.intercepts)}",
    ]
    for index, feature in enumerate(kinds.features):
        rows = kinds.weights[index * n_knots : (index + 1) * n_knots]
        lines += [
            "",
            "[[gates]]",
            f"name = {_quoted(feature)}",
            f"knots = {_numbers(kinds.knots[index], 4)}",
            f"scales = {_numbers(kinds.scales[index], 4)}",
            "weights = [",
            *(f"  {_numbers(row)[1:-1]}," for row in rows),
            "]",
        ]
    _write(path, made_by, lines)


def write_tasks(path: Path, tasks: Mapping[str, TaskWeights], made_by: Sequence[str]) -> None:
    lines = []
    for task_id, weights in tasks.items():
        lines += [
            "",
            "[[tasks]]",
            f"id = {_quoted(task_id)}",
            f"intercept = {weights.intercept:.4g}",
            f"kind = {weights.kind:.4g}",
            f"claims = [{', '.join(_quoted(name) for name in weights.claims)}]",
            f"weights = {_numbers(np.array(list(weights.claims.values())))}",
        ]
    _write(path, made_by, lines)


def _numbers(values: FloatArray, digits: int = 3) -> str:
    return f"[{', '.join(f'{value:.{digits}g}' for value in values.tolist())}]"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _write(path: Path, made_by: Sequence[str], lines: Sequence[str]) -> None:
    head = (f"# {line}" for line in ("Fitted weights: do not edit, make them again.", *made_by))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join((*head, *lines)) + "\n", encoding="utf-8")


# Quality of the measured inspector on new simulated candidates and on real spectra.
@dataclass(frozen=True)
class JudgedCandidate:
    name: str
    label: str
    snr: float
    p_yes: float
    likeliest: str  # the most probable kind of object


@dataclass(frozen=True)
class ThresholdScores:
    """Scores of a list at a threshold of one half."""

    f1: float
    precision: float
    recall: float
    brier: float
    calibration_error: float
    """Mean distance of stated and true shares of YES, over bins of equal width."""
    count: int


def candidates(
    task_id: str,
    survey: str,
    count: int,
    seed: int,
    workers: int = 1,
    advance: Callable[[], None] = lambda: None,
) -> list[JudgedCandidate]:
    """Judge a simulated list of members and contaminants of a task at odds of 1:5."""
    settings = Settings(seed=seed, count=count, task=task_id, survey=survey, snr=(3.0, 100.0))
    starts = range(0, count, CHUNK)
    judged: list[JudgedCandidate] = []
    for part in in_order(partial(_chunk, settings), starts, workers):
        judged += part
        advance()
    return judged


def _chunk(settings: Settings, start: int) -> list[JudgedCandidate]:
    found = []
    for assignment in assignments(settings)[start : start + CHUNK]:
        made = simulate_spectrum(settings, assignment)
        spectrum = to_spectrum(made.entry.observation, made.entry.pipeline_class)
        name = f"{assignment.survey} {assignment.index}"
        found.append(judged(SpectrumMeasurements(spectrum), settings.task, name, made.source.label))
    return found


def judged(numbers: SpectrumMeasurements, task_id: str, name: str, label: str) -> JudgedCandidate:
    found = assess_measurements(numbers, find_task(task_id))
    return JudgedCandidate(name, label, found.snr, found.p_yes, found.kinds.ranked()[0][0])


def library(folder: Path, task_ids: Sequence[str]) -> dict[str, list[JudgedCandidate]]:
    """Judge the labelled real spectra of a folder for every task; unreadable files are skipped."""
    found: dict[str, list[JudgedCandidate]] = {task_id: [] for task_id in task_ids}
    for _, base, spectrum in Library(folder).readable():
        numbers = SpectrumMeasurements(spectrum)
        for task_id in task_ids:
            found[task_id].append(judged(numbers, task_id, base.path.name, base.label))
    return found


def threshold_scores(rows: Sequence[JudgedCandidate], task_id: str) -> ThresholdScores:
    """Scores of a list; raises a WorkbenchError if it is empty."""
    truth = np.array([row.label == task_id for row in rows], dtype=np.bool_)
    chances = np.array([row.p_yes for row in rows], dtype=np.float64)
    if not rows:
        raise WorkbenchError(f"no candidates of {task_id} to judge")
    is_yes = chances >= 0.5
    hits = int((truth & is_yes).sum())
    found = JudgedScores(chances, truth)
    return ThresholdScores(
        f1=_share(2 * hits, int(truth.sum() + is_yes.sum())),
        precision=_share(hits, int(is_yes.sum())),
        recall=_share(hits, int(truth.sum())),
        brier=brier_score(found),
        calibration_error=expected_calibration_error(reliability_curve(found)),
        count=len(rows),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
