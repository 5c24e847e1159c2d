"""A run of drafting: examples in, lines out in their order, resumable at any point.

Beside OUT.jsonl lies OUT.json with the settings, how far the run came and what became of every
example. Neither workers nor interruptions change a byte of the lines.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from agent.errors import WorkbenchError
from agent.hashing import text_hash
from agent.trajectory.trajectory_file import to_line
from train.draft.settings import DraftSettings
from train.draft.teachers import MeasuredTeacher, Teacher, Why
from train.examples import Example, column, count_examples, read_examples
from train.parallel import in_order

CHUNK = 8
MAX_PROGRESS = 1_000_000

Lines = list[tuple[Why, str]]


@dataclass(frozen=True, kw_only=True)
class DraftRun:
    """All that decides what is written."""

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
        hashes = [
            text_hash("".join(f"{row['sha256']}{row['task']}" for row in rows))
            for rows in (column(path, "sha256", "task") for path in self.sets)
        ]
        return {
            "teacher": self.teacher,
            "seed": self.seed,
            "settings": asdict(self.settings),
            "sets": [
                {"name": path.name, "sha256": sha256}
                for path, sha256 in zip(self.sets, hashes, strict=True)
            ],
        }


def draft_all(
    run: DraftRun,
    *,
    teacher: Teacher | None = None,
    workers: int = 1,
    advance: Callable[[int], None] = lambda done: None,
) -> Counter[str]:
    """Draft what is missing; what became of each example, those of earlier runs included.

    A `teacher` of the caller's works in threads of this process, the measured one in processes.
    """
    if run.out.suffix != ".jsonl":
        raise WorkbenchError(f"{run.out}: name the file of drafts *.jsonl")
    run.out.parent.mkdir(parents=True, exist_ok=True)
    done, counts = _claim(run)
    advance(done)
    examples = chain.from_iterable(read_examples(path) for path in run.sets)
    rest = islice(examples, done, run.total)
    chunks = _chunks(rest)
    with run.out.open("ab") as file:
        for size, lines in _drafted(run, chunks, teacher, workers):
            counts.update(why for why, _ in lines)
            file.writelines(line.encode() + b"\n" for _, line in lines if line)
            file.flush()
            os.fsync(file.fileno())
            done += size
            _save(run, done, file.tell(), counts)
            advance(size)
    return counts


def _drafted(
    run: DraftRun, chunks: Iterator[list[Example]], teacher: Teacher | None, workers: int
) -> Iterator[tuple[int, Lines]]:
    """How many examples a chunk had, and what became of them."""
    if teacher is None:
        work = partial(_draft_chunk, MeasuredTeacher(run.settings), run.settings, run.seed)
        yield from in_order(work, chunks, workers)
        return
    write = partial(draft_examples, teacher, run.settings, run.seed)
    with ThreadPoolExecutor(workers) as threads:
        for chunk in chunks:
            made = list(threads.map(lambda one: write([one]), chunk))
            yield len(chunk), [line for lines in made for line in lines]


def _draft_chunk(
    teacher: Teacher, settings: DraftSettings, seed: int, examples: Sequence[Example]
) -> tuple[int, Lines]:
    return len(examples), draft_examples(teacher, settings, seed, examples)


def draft_examples(
    teacher: Teacher, settings: DraftSettings, seed: int, examples: Sequence[Example]
) -> Lines:
    """What became of each draft of some examples, with its line where it may be used."""
    made: Lines = []
    for example in examples:
        told: set[tuple[str, ...]] = set()
        for variant in range(settings.per_spectrum):
            found = teacher.draft(example, variant, seed)
            record = found.trajectory
            if record is None:
                made.append((found.why, ""))
            elif record.replies not in told:
                told.add(record.replies)
                made.append((found.why, to_line(record)))
    return made


def _chunks(examples: Iterable[Example]) -> Iterator[list[Example]]:
    rest = iter(examples)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


def _claim(run: DraftRun) -> tuple[int, Counter[str]]:
    """How far an earlier run came; what it wrote after its last note is cut off."""
    path = run.progress_path
    if not path.is_file():
        if run.out.is_file() and run.out.stat().st_size:
            raise WorkbenchError(
                f"{run.out} is there already and no run left it half done: choose another name"
            )
        run.out.touch()
        _save(run, 0, 0, Counter())
        return 0, Counter()
    before = _progress(path)
    if before["run"] != json.loads(json.dumps(run.identity)):
        raise WorkbenchError(
            f"{run.out} was begun with other settings (see {path.name}): repeat them to go on, or "
            "choose another name"
        )
    size = run.out.stat().st_size if run.out.is_file() else 0
    if size < before["bytes"]:
        raise WorkbenchError(f"{run.out} is shorter than {path.name} says: begin anew elsewhere")
    os.truncate(run.out, before["bytes"])
    return before["done"], Counter(before["counts"])


def _progress(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(MAX_PROGRESS))
        whole = all(type(found[name]) is int and found[name] >= 0 for name in ("done", "bytes"))
        counts = all(type(count) is int for count in found["counts"].values())
        if whole and counts and isinstance(found["run"], dict):
            return dict(found)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise WorkbenchError(f"{path} is no note of a run of draft: choose another name")


def _save(run: DraftRun, done: int, size: int, counts: Counter[str]) -> None:
    note = {"run": run.identity, "done": done, "bytes": size, "counts": dict(counts)}
    part = run.progress_path.with_name(f".{run.progress_path.name}.part")
    part.write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")
    part.replace(run.progress_path)
