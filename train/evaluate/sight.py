"""Tests whether a model's verdicts depend on its pictures, by giving it other ones."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from agent.errors import WorkbenchError
from agent.examples.examples import Example, count_examples, example, write_examples
from agent.models.card_file import read_card, write_card
from agent.tasks.catalogue import load_tasks
from agent.trajectory.trajectory_file import read_trajectories
from train.evaluate.evaluation import adapt_to_bench, check_same_judge, write
from train.evaluate.judgement import Judgement
from train.evaluate.judges import JudgeSpec
from train.evaluate.judging import Advance, choose_keys, judge_set, trajectories_path
from train.evaluate.sight_figures import (
    TABLE,
    Replies,
    SightFigures,
    card_figures,
    read_sight,
    sight_figures,
    sight_json,
    sight_markdown,
)
from train.evaluate.sight_pictures import PICTURES, Pictures
from train.evaluate.tables import KINDS
from train.simulate.realism.library import Library

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
    _write_tables(out, name, spec.name, figures)
    return figures


def _replies(file: Path) -> Replies:
    if not file.is_file():
        return {}
    return {(one.task, one.spectrum.sha256): one.replies for one in read_trajectories(file)}


def _write_tables(out: Path, name: str, model: str, figures: Sequence[SightFigures]) -> None:
    path = out / f"{TABLE}.json"
    sets = read_sight(path.read_text(encoding="utf-8")) if path.is_file() else {}
    sets.setdefault(name, {})[model] = list(figures)
    write(path, sight_json(sets))
    every = ((judge, of, rows) for of, own in sets.items() for judge, rows in own.items())
    texts = [sight_markdown(*each) for each in every]
    write(out / f"{TABLE}.md", "\n".join(texts))


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
