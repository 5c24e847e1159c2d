"""Tests whether a model's verdicts depend on its pictures, by giving it other ones."""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agent.confidence.scores import Estimate, wilson
from agent.errors import WorkbenchError
from agent.examples.examples import Example, count_examples, example, write_examples
from agent.models.card import ReportedFigure
from agent.models.card_file import read_card, write_card
from agent.tasks.catalogue import load_tasks
from agent.trajectory.trajectory_file import read_trajectories
from train.evaluate.evaluation import adapt_to_bench, check_same_judge, write
from train.evaluate.judgement import Judgement, mean_f1
from train.evaluate.judges import (
    PICTURES,
    SHIFT_A,
    Advance,
    JudgeSpec,
    Pictures,
    choose_keys,
    judge_set,
    trajectories_path,
)
from train.evaluate.tables import KINDS, figure_json, percent, table_lines, with_interval
from train.models.card_figures import per_cent
from train.simulate.realism.library import Library

NAMES: Mapping[Pictures, str] = {
    "own": "as they are",
    "white": "white paper",
    "other": "of another spectrum of another class",
    "mirrored": "mirrored in wavelength",
    "shifted": f"shifted by {SHIFT_A:g} Å",
}
HEAD = ("pictures", "mean F1 (95 %)", "mean p(YES)", "same verdicts", "same replies", "follows")
TABLE = "sight"
Replies = Mapping[tuple[str, str], tuple[str, ...]]
"""The replies of each inspection, by task and hash of the spectrum."""


@dataclass(frozen=True, kw_only=True)
class SightFigures:
    """Figures for one kind of pictures; the shares compare with the pictures as they are."""

    pictures: Pictures
    n: int
    positives: int
    mean_f1: Estimate
    p_yes: float | None
    same_verdicts: float
    same_replies: float  # share of inspections with the same replies, word for word
    differing: int
    """Candidates whose true answer is another one than that for the spectrum in the pictures."""
    follows: Estimate | None  # share of those in which the verdict is that for the pictures


def sight_figures(
    pictures: Pictures,
    judgements: Sequence[Judgement],
    replies: Replies,
    own: Sequence[Judgement],
    own_replies: Replies,
    seed: int = 0,
) -> SightFigures:
    known = [one.p_yes for one in judgements if one.p_yes is not None]
    before = {one.key: one.verdict for one in own}
    both = replies.keys() & own_replies.keys()
    differing = [one for one in judgements if one.shown_answer not in (None, one.answer)]
    n, count = len(differing), sum(one.verdict == one.shown_answer for one in differing)
    follows = Estimate(count / n, *wilson(count, n)) if n else None
    return SightFigures(
        pictures=pictures,
        n=len(judgements),
        positives=sum(one.answer == "YES" for one in judgements),
        mean_f1=mean_f1(judgements, seed),
        p_yes=statistics.fmean(known) if known else None,
        same_verdicts=statistics.fmean(one.verdict == before[one.key] for one in judgements),
        same_replies=sum(replies[key] == own_replies[key] for key in both) / max(len(both), 1),
        differing=n,
        follows=follows,
    )


def sight_rows(rows: Sequence[SightFigures]) -> Iterator[tuple[str, ...]]:
    """The cells of the table, one row for each kind of pictures."""
    for one in rows:
        yield (
            NAMES[one.pictures],
            with_interval(one.mean_f1),
            "-" if one.p_yes is None else f"{one.p_yes:.3f}",
            "" if one.pictures == "own" else percent(one.same_verdicts),
            "" if one.pictures == "own" else percent(one.same_replies),
            f"{percent(one.follows.value)} of {one.differing}" if one.follows else "",
        )


def sight_markdown(model: str, name: str, rows: Sequence[SightFigures]) -> str:
    first = rows[0]
    lines = [
        f"## Test of sight: {model} on {name}",
        "",
        f"{first.positives} positives, {first.n - first.positives} negatives; the numbers told "
        "stay those of the right spectrum. Shares in per cent, of the verdicts and replies that "
        "the pictures as they are give. *Follows*: verdicts that agree with the picture where its "
        "true answer is another.",
        "",
        *table_lines(HEAD, sight_rows(rows)),
        "",
    ]
    return "\n".join(lines)


def sight_json(sets: Mapping[str, Mapping[str, Sequence[SightFigures]]]) -> str:
    """The file from which the report is written: for each set and model its figures."""
    table = {
        name: {model: [_plain(one) for one in rows] for model, rows in models.items()}
        for name, models in sets.items()
    }
    return json.dumps({"table": TABLE, "sets": table}, indent=1) + "\n"


def _plain(one: SightFigures) -> dict[str, Any]:
    follows = None if one.follows is None else figure_json(one.follows)
    return asdict(one) | {"mean_f1": figure_json(one.mean_f1), "follows": follows}


def read_sight(text: str) -> dict[str, dict[str, list[SightFigures]]]:
    """What `sight_json` wrote."""
    return {
        name: {model: [_figures(row) for row in rows] for model, rows in models.items()}
        for name, models in json.loads(text)["sets"].items()
    }


def _figures(row: Mapping[str, Any]) -> SightFigures:
    follows = None if row["follows"] is None else Estimate(**row["follows"])
    return SightFigures(**{**row, "mean_f1": Estimate(**row["mean_f1"]), "follows": follows})


def card_figures(name: str, rows: Sequence[SightFigures]) -> Iterator[ReportedFigure]:
    for one in rows:
        pictures = NAMES[one.pictures]
        on = f"{TABLE}: {name}, {one.positives}:{one.n - one.positives}, pictures {pictures}"
        if (mean := one.mean_f1).value is not None:
            about = f"{on}, 95 % {percent(mean.low)} to {percent(mean.high)}"
            yield per_cent("mean F1", mean.value or 0.0, about)
        if one.p_yes is not None:
            yield ReportedFigure(figure="mean p(YES)", value=round(one.p_yes, 3), on=on)
        if one.pictures != "own":
            yield per_cent("same verdicts", one.same_verdicts, on)
            yield per_cent("same replies", one.same_replies, on)
        if one.follows:
            on = f"{on}, {one.differing} with another true answer"
            yield per_cent("verdicts that follow the picture", one.follows.value or 0.0, on)


LIBRARY_SET = "library.parquet"


def sight_set(source: Path, out: Path) -> tuple[Path, str]:
    """The set of a Parquet file, a bench or a folder with a MANIFEST.csv, and its name."""
    if source.is_file():
        return source, source.stem
    if (source / "test.parquet").is_file():
        return source / "test.parquet", "test"
    if not (source / "MANIFEST.csv").is_file():
        raise WorkbenchError(f"{source} is no set, no bench and no folder with a MANIFEST.csv")
    out.mkdir(parents=True, exist_ok=True)
    write_library_set(source, out)
    return out / LIBRARY_SET, source.resolve().name


def sight_tasks(path: Path) -> tuple[str, ...]:
    """The five rare classes, or those of the set if it has none of them."""
    kind = replace(KINDS["main"], sets=((path.name, path.stem),))
    return adapt_to_bench(kind, path.parent).tasks


def count_inspections(path: Path, limit: int | None) -> int:
    return len(PICTURES) * len(choose_keys(path, limit, sight_tasks(path)))


def judge_sight(
    spec: JudgeSpec,
    path: Path,
    name: str,
    out: Path,
    *,
    workers: int = 1,
    limit: int | None = None,
    seed: int = 0,
    advance: Advance = lambda count: None,
) -> list[SightFigures]:
    """Judge the set with each kind of pictures; adds to `out`/sight.json and writes sight.md."""
    tasks = sight_tasks(path)
    found: dict[Pictures, tuple[list[Judgement], Replies]] = {}
    for pictures in PICTURES:
        file = out / "judgements" / path.stem / TABLE / f"{spec.name}-{pictures}.jsonl"
        judge = replace(spec, pictures=pictures, others=path if pictures == "other" else None)
        check_same_judge(file, judge, path)
        judgements = judge_set(
            judge, path, file, workers=workers, limit=limit, tasks=tasks, advance=advance
        )
        found[pictures] = judgements, _replies(trajectories_path(file))
    if not found["own"][0]:
        raise WorkbenchError(f"{path} has no spectra of these tasks")
    figures = [sight_figures(pictures, *found[pictures], *found["own"], seed) for pictures in found]
    table = out / f"{TABLE}.json"
    sets = read_sight(table.read_text(encoding="utf-8")) if table.is_file() else {}
    sets.setdefault(name, {})[spec.name] = figures
    write(table, sight_json(sets))
    every = ((judge, of, rows) for of, own in sets.items() for judge, rows in own.items())
    write(out / f"{TABLE}.md", "\n".join(sight_markdown(*each) for each in every))
    return figures


def _replies(file: Path) -> Replies:
    if not file.is_file():
        return {}
    return {(one.task, one.spectrum.sha256): one.replies for one in read_trajectories(file)}


def write_into_card(folder: Path, name: str, figures: Sequence[SightFigures]) -> Path:
    """Put the figures into the card of the model's folder, in place of older ones of this set."""
    card = read_card(folder)
    kept = [one for one in card.figures if not one.on.startswith(f"{TABLE}: {name},")]
    return write_card(replace(card, figures=(*kept, *card_figures(name, figures))), folder)


def write_library_set(folder: Path, out: Path) -> int:
    """Write a set of the readable spectra of a MANIFEST.csv; returns its number of questions."""
    path = out / LIBRARY_SET
    if not path.is_file() and not write_examples(path, _questions(Library(folder))):
        path.unlink()
        raise WorkbenchError(f"{folder} has no readable spectrum")
    return count_examples(path)


def _questions(library: Library) -> Iterator[Example]:
    for number, base, spectrum in library.readable():
        for task in load_tasks():
            yield example(
                spectrum,
                task=task.id,
                answer="YES" if base.label == task.id else "NO",
                key=f"{task.id}-{number}-{base.path.name}",
                label=base.label,
                subtype=base.subtype,
                split="test",
            )
