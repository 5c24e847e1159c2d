"""A run of `draft`: writes one JSON line per draft, in the order of the examples, and can resume.

OUT.json beside OUT.jsonl records the settings, the progress and the count of each outcome. Neither
the number of workers nor interruptions change a byte of OUT.jsonl.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from agent.atomic_file import write_file
from agent.cluster.options import RayPlace
from agent.errors import WorkbenchError
from agent.examples.examples import Example, column, count_examples, read_examples
from agent.hashing import text_hash
from agent.inspection.built_in import MEASURED
from agent.json_lines import append_lines
from agent.trajectory.trajectory_file import to_line
from train.draft.settings import DraftSettings
from train.draft.teachers import MeasuredTeacher, Outcome, Teacher, open_teacher
from train.parallel import Workers, in_order
from train.ray_work import ray_in_order

CHUNK = 8
MAX_PROGRESS = 1_000_000

DraftLines = list[tuple[Outcome, str]]


@dataclass(frozen=True, kw_only=True)
class DraftRun:
    """Everything that decides what is written."""

    sets: tuple[Path, ...]
    out: Path
    teacher: str
    settings: DraftSettings
    seed: int = 0
    limit: int | None = None

    @property
    def total(self) -> int:
        rows = sum(count_examples(path) for path in self.sets)
        return rows if self.limit is None else min(rows, self.limit)

    @property
    def progress_path(self) -> Path:
        return self.out.with_suffix(".json")

    @cached_property
    def identity(self) -> dict[str, Any]:
        sets = []
        for path in self.sets:
            rows = column(path, "sha256", "task")
            sha256 = text_hash("".join(f"{row['sha256']}{row['task']}" for row in rows))
            sets.append({"name": path.name, "sha256": sha256})
        settings = asdict(self.settings)
        return {"teacher": self.teacher, "seed": self.seed, "settings": settings, "sets": sets}


def draft_all(
    run: DraftRun,
    *,
    teacher: Teacher | None = None,
    workers: Workers = 1,
    advance: Callable[[int], None] = lambda done: None,
) -> Counter[str]:
    """Draft the missing examples; the counts per outcome include earlier runs.

    A given `teacher` works in threads of this process; without one, the measured teacher works in
    worker processes, and any teacher in the actors of a Ray cluster.
    """
    if run.out.suffix != ".jsonl":
        raise WorkbenchError(f"{run.out}: the name of the file of drafts must end in .jsonl")
    run.out.parent.mkdir(parents=True, exist_ok=True)
    done, counts = _resume(run)
    advance(done)
    examples = chain.from_iterable(read_examples(path) for path in run.sets)
    rest = islice(examples, done, run.total)
    chunks = iter(lambda: list(islice(rest, CHUNK)), [])
    for size, lines in _draft_in_chunks(run, chunks, teacher, workers):
        counts.update(outcome for outcome, _ in lines)
        append_lines(run.out, (line for _, line in lines if line))
        done += size
        _save_progress(run, done, run.out.stat().st_size, counts)
        advance(size)
    return counts


def _draft_in_chunks(
    run: DraftRun, chunks: Iterator[list[Example]], teacher: Teacher | None, workers: Workers
) -> Iterator[tuple[int, DraftLines]]:
    """Each chunk's number of examples and its drafts."""
    if isinstance(workers, RayPlace):
        yield from ray_in_order(partial(_open_drafting, run), chunks, workers)
        return
    if teacher is None:
        work = partial(_draft_chunk, run, MeasuredTeacher(run.settings))
        yield from in_order(work, chunks, workers)
        return
    with ThreadPoolExecutor(workers) as threads:
        for chunk in chunks:
            drafted = list(threads.map(partial(_drafts_of, run, teacher), chunk))
            yield len(chunk), [line for lines in drafted for line in lines]


@contextmanager
def _open_drafting(run: DraftRun) -> Iterator[Callable[[Sequence[Example]], object]]:
    """In an actor: what drafts a chunk with the teacher that the run names."""
    if run.teacher == MEASURED:
        yield partial(_draft_chunk, run, MeasuredTeacher(run.settings))
        return
    with open_teacher(run.teacher, run.settings) as teacher:
        yield partial(_draft_chunk, run, teacher)


def _draft_chunk(
    run: DraftRun, teacher: Teacher, examples: Sequence[Example]
) -> tuple[int, DraftLines]:
    lines = [line for example in examples for line in _drafts_of(run, teacher, example)]
    return len(examples), lines


def _drafts_of(run: DraftRun, teacher: Teacher, example: Example) -> DraftLines:
    """The outcome and JSON line of each draft; the line is empty for an unusable draft."""
    lines: DraftLines = []
    written: set[tuple[str, ...]] = set()
    for variant in range(run.settings.per_spectrum):
        draft = teacher.draft(example, variant, run.seed)
        trajectory = draft.trajectory
        if trajectory is None:
            lines.append((draft.outcome, ""))
        elif trajectory.replies not in written:
            written.add(trajectory.replies)
            lines.append((draft.outcome, to_line(trajectory)))
    return lines


def _resume(run: DraftRun) -> tuple[int, Counter[str]]:
    """The progress of an earlier run; lines written after its last saved progress are cut off."""
    path = run.progress_path
    if not path.is_file():
        if run.out.is_file() and run.out.stat().st_size:
            raise WorkbenchError(
                f"{run.out} already exists and is not an unfinished run: choose another name"
            )
        run.out.touch()
        _save_progress(run, 0, 0, Counter())
        return 0, Counter()
    before = _read_progress(path)
    if before["run"] != json.loads(json.dumps(run.identity)):
        raise WorkbenchError(
            f"{run.out} was started with other settings (see {path.name}): repeat them to resume, "
            "or choose another name"
        )
    size = run.out.stat().st_size if run.out.is_file() else 0
    if size < before["bytes"]:
        raise WorkbenchError(
            f"{run.out} is shorter than {path.name} says: start again under another name"
        )
    os.truncate(run.out, before["bytes"])
    return before["done"], Counter(before["counts"])


def _read_progress(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            progress = json.loads(file.read(MAX_PROGRESS))
        numbers = [progress[name] for name in ("done", "bytes")]
        are_numbers = all(type(number) is int and number >= 0 for number in numbers)
        are_counts = all(type(count) is int for count in progress["counts"].values())
        if are_numbers and are_counts and isinstance(progress["run"], dict):
            return dict(progress)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise WorkbenchError(f"{path} is not the progress of a draft run: choose another name")


def _save_progress(run: DraftRun, done: int, size: int, counts: Counter[str]) -> None:
    note = {"run": run.identity, "done": done, "bytes": size, "counts": dict(counts)}
    write_file(run.progress_path, json.dumps(note, indent=1) + "\n")
