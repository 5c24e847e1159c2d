"""`spec-o3-train evaluate words`: what a model says in its thoughts, against our measurements."""

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from agent.evidence.kinds import feature_row
from agent.evidence.measurements import SpectrumMeasurements
from agent.examples.examples import read_examples
from agent.models.registry import find_model
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import read_trajectories
from train.evaluate.evaluation import check_same_judge, write
from train.evaluate.judges import JudgeSpec, choose_keys, judge_set, trajectories_path
from train.evaluate.sight import sight_set, sight_tasks
from train.parallel import counted
from train.vision.grades import (
    LINE_OF_WIDTH,
    GradePhrase,
    absent_grade,
    asked_features,
    climate,
    grade_phrases,
    own_features,
    ranks,
    told_features,
    told_quantities,
    words,
)

CERTAIN = 10.0  # sigma from which on a feature must be told
SIGNED = 3.0  # sigma from which on a sign is known
FAR_OFF = 2  # grades


@dataclass
class WordFigures:
    """Counts over inspections: of features once in each, of phrases every time."""

    certain: int = 0  # features of the guideline above 10 sigma in the windows looked at
    told: int = 0  # of these, told with the right sign
    said: int = 0  # phrases
    wrong_sign: int = 0
    far_off: int = 0  # two grades or more
    looks: int = 0
    silent: int = 0
    """Looks of which nothing is said although a feature of the guideline is above 10 sigma."""

    def __add__(self, other: "WordFigures") -> "WordFigures":
        names = [each.name for each in fields(self)]
        return WordFigures(*(getattr(self, name) + getattr(other, name) for name in names))


class MeasuredValues(NamedTuple):
    """The range of a spectrum, the ranks of all quantities, and their values and errors by name."""

    range: Window
    ranks: FloatArray
    values: dict[str, tuple[float, float]]


def evaluate_words(
    model: Annotated[str, typer.Argument(help="A model's name, folder, .gguf or server.")],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SET", help="A Parquet set, a bench, or spectra with a MANIFEST.csv."
        ),
    ],
    out: Annotated[Path, typer.Argument(help="Folder for judgements; resumed if it exists.")],
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes.")] = 1,
    limit: Annotated[int | None, typer.Option(min=6, help="Most candidates per task.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=512)] = None,
) -> None:
    """Compare what a model says in its thoughts with what is measured."""
    path, _ = sight_set(source, out)
    spec = JudgeSpec(
        name=find_model(model).card.name, kind="inspector", source=model, threads=threads
    )
    file = out / "judgements" / path.stem / f"{spec.name}.jsonl"
    check_same_judge(file, spec, path)
    tasks = sight_tasks(path)
    with counted("judging", len(choose_keys(path, limit, tasks)), transient=True) as advance:
        judge_set(spec, path, file, workers=workers, limit=limit, tasks=tasks, advance=advance)
    found, known = dict[str, WordFigures](), dict[str, MeasuredValues]()
    records = read_trajectories(trajectories_path(file))
    told = {(one.task, one.spectrum.sha256): one for one in records}
    for asked in read_examples(path):
        if (record := told.get((asked.task, asked.sha256))) is not None:
            if asked.sha256 not in known:  # once for all questions about it
                known[asked.sha256] = measured(asked.spectrum)
            figures = word_figures(record, known[asked.sha256])
            found[asked.task] = found.get(asked.task, WordFigures()) + figures
    text = words_markdown(found)
    write(out / "words.md", text)
    typer.echo(text)


def words_markdown(found: dict[str, WordFigures]) -> str:
    head = "| class | told with the right sign | wrong sign | two grades off | silent looks |"
    rows = [head, "|---|---|---|---|---|"]
    for name, one in [*sorted(found.items()), ("all", sum(found.values(), WordFigures()))]:
        shares = (
            (one.told, one.certain), (one.wrong_sign, one.said),
            (one.far_off, one.said), (one.silent, one.looks),
        )  # fmt: skip
        cells = (f"{100 * part / max(of, 1):.1f} % of {of}" for part, of in shares)
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def word_figures(record: Trajectory, truth: MeasuredValues) -> WordFigures:
    """The figures of one inspection."""
    task = find_task(record.task)
    found, right, wrong, certain = WordFigures(), set[str](), set[str](), set[str]()
    for window, thought in _looks(record):
        spoken = list(said(thought))
        for feature, stated in spoken:
            value, error = truth.values[feature]
            if not error > 0.0:
                continue
            found.said += 1
            sign, known = stated_sign(feature, stated), sign_of(feature, value)
            is_known = abs(value - _nothing(feature)) >= SIGNED * error
            if sign and known and is_known:
                (right if sign == known else wrong).add(feature)
                found.wrong_sign += sign != known
            found.far_off += distance(feature, stated, value, error) >= FAR_OFF
        if window is not None:
            here = set(certain_features(window, task, truth))
            certain |= here
            found.looks += 1
            found.silent += bool(here and not spoken)
    found.certain, found.told = len(certain), len(certain & right - wrong)
    return found


def _looks(record: Trajectory) -> Iterator[tuple[Window | None, str]]:
    """Each look, a window or None for the whole spectrum, and what the model thinks of it."""
    window: Window | None = None
    for step in record.steps:
        if step.kind == "zoom":
            window = None if step.whole else step.range
        elif step.kind == "think":
            yield window, step.text
            window = None


def measured(spectrum: Spectrum) -> MeasuredValues:
    values, errors = feature_row(SpectrumMeasurements(spectrum), asked_features())
    pairs = zip(values.tolist(), errors.tolist(), strict=True)
    known = np.nan_to_num(ranks(values), nan=0.0)  # the middle
    return MeasuredValues(spectrum.range, known, dict(zip(asked_features(), pairs, strict=True)))


def certain_features(window: Window, task: Task, truth: MeasuredValues) -> Iterator[str]:
    """Features of the guideline that are measured above 10 sigma within a window."""
    kind = climate(truth.ranks, truth.range)
    for feature in told_features(window, task, kind, is_whole=False):
        value, error = truth.values[feature]
        if feature in own_features(task) and feature not in LINE_OF_WIDTH and error > 0.0:
            far = abs(value - _nothing(feature)) >= CERTAIN * error
            if far and sign_of(feature, value):
                yield feature


def said(thought: str) -> Iterator[tuple[str, GradePhrase]]:
    """What is stated in a thought, each with its quantity."""
    for match in _pattern().finditer(thought):
        yield _by_text()[match.group()]


@cache
def _by_text() -> dict[str, tuple[str, GradePhrase]]:
    every = ((feature, each) for feature in told_quantities() for each in grade_phrases(feature))
    return {each.text: (feature, each) for feature, each in every}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_by_text(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def _nothing(feature: str) -> float:
    """The value where nothing is there: the middle of its grade, or its outer border."""
    borders, absent = words(feature)[0], absent_grade(feature)
    if absent is None:
        return float("nan")
    around = borders[max(absent - 1, 0) : absent + 1]
    return sum(around) / len(around)


def sign_of(feature: str, value: float) -> int:
    """-1 or 1 where something is there, by the side of nothing on which it is; else 0."""
    absent = absent_grade(feature)
    grade = bisect(words(feature)[0], value)
    return 0 if absent is None else (grade > absent) - (grade < absent)


def stated_sign(feature: str, stated: GradePhrase) -> int:
    absent = absent_grade(feature)
    return 0 if absent is None else (stated.first > absent) - (stated.last < absent)


def distance(feature: str, stated: GradePhrase, value: float, error: float) -> int:
    """How many grades a phrase is away from the measured value and its error."""
    low, high = (bisect(words(feature)[0], value + part) for part in (-error, error))
    return max(0, stated.first - high, low - stated.last)
