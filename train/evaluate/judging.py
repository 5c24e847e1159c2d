"""A set judged by one judge: in parallel, and going on where it stopped."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing
from itertools import islice
from pathlib import Path

from agent.errors import WorkbenchError
from agent.trajectory.trajectory_file import write_trajectories
from train.evaluate.judgement import Judgement, add_judgements, read_judgements
from train.evaluate.judges import Judge, JudgeSpec, Said, make_judge
from train.examples import Example, column, read_examples
from train.parallel import end_with_parent

CHUNK = 4
"""Examples a process takes at once: few, so that a stop loses little."""
WHOLE_CHUNK = 256
"""For a specialist, which judges a batch as fast as one."""
AHEAD = 2
"""Chunks that wait for each process."""

Advance = Callable[[int], None]


def judge_set(
    spec: JudgeSpec,
    path: Path,
    out: Path,
    *,
    workers: int = 1,
    limit: int | None = None,
    tasks: Sequence[str] = (),
    advance: Advance = lambda count: None,
) -> list[Judgement]:
    """Judge what `out` does not hold yet and return all judgements in the order of the set.

    `limit` takes the first so many of each task and answer. Trajectories go beside `out`.
    """
    wanted = chosen(path, limit, tasks)
    done = {one.key: one for one in _so_far(out)} if out.exists() else {}
    left = [key for key in wanted if key not in done]
    advance(len(wanted) - len(left))
    out.parent.mkdir(parents=True, exist_ok=True)
    for part in _judged(spec, _examples(path, set(left)), workers):
        judgements = [judgement for judgement, _ in part]
        # The record first: a judgement says that all of it is kept.
        records = [trajectory for _, trajectory in part if trajectory is not None]
        if records:
            write_trajectories(trajectories_beside(out), records, add=True)
        add_judgements(out, judgements)
        done.update((one.key, one) for one in judgements)
        advance(len(judgements))
    return [done[key] for key in wanted]


def trajectories_beside(out: Path) -> Path:
    return out.with_name(f"{out.stem}.trajectories.jsonl")


def chosen(path: Path, limit: int | None, tasks: Sequence[str] = ()) -> list[str]:
    """The keys to judge. With a limit the odds of the set are kept as far as whole numbers go."""
    rows = [
        row for row in column(path, "key", "task", "answer") if not tasks or row["task"] in tasks
    ]
    if len({row["key"] for row in rows}) != len(rows):
        raise WorkbenchError(f"{path} names two examples alike")
    if limit is None:
        return [row["key"] for row in rows]
    return list(_first_of_each(rows, limit))


def _first_of_each(rows: Sequence[dict[str, str]], limit: int) -> Iterator[str]:
    for name in dict.fromkeys(row["task"] for row in rows):
        own = [row for row in rows if row["task"] == name]
        positives = [row["key"] for row in own if row["answer"] == "YES"]
        negatives = [row["key"] for row in own if row["answer"] != "YES"]
        share = len(positives) / len(own)
        number = min(len(positives), max(round(limit * share), 1 if positives else 0))
        yield from positives[:number]
        yield from negatives[: max(limit - number, 0)]


def _so_far(out: Path) -> list[Judgement]:
    """What is there, the file cut to whole lines so that the next is not joined to a broken one."""
    found = list(read_judgements(out))
    data = out.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) != len(data):
        out.write_bytes(whole)
    return found


def _examples(path: Path, keys: set[str]) -> Iterator[Example]:
    if keys:
        yield from (one for one in read_examples(path) if one.key in keys)


def _judged(spec: JudgeSpec, examples: Iterator[Example], workers: int) -> Iterator[list[Said]]:
    size = WHOLE_CHUNK if spec.kind == "specialist" else CHUNK
    first = list(islice(examples, size))
    if not first:
        return
    if workers == 1 or spec.kind == "specialist":
        with closing(make_judge(spec)) as judge:
            while first:
                yield judge.judge(first)
                first = list(islice(examples, size))
        return
    context = multiprocessing.get_context("spawn")  # threads of torch do not survive a fork
    with ProcessPoolExecutor(workers, context, _begin, (spec,)) as pool:
        yield from _in_parallel(pool, examples, first, size, workers * AHEAD)


def _in_parallel(
    pool: ProcessPoolExecutor,
    examples: Iterator[Example],
    first: list[Example],
    size: int,
    ahead: int,
) -> Iterator[list[Said]]:
    running: set[Future[list[Said]]] = set()
    chunk = first
    try:
        while chunk or running:
            while chunk and len(running) < ahead:
                running.add(pool.submit(_judge, chunk))
                chunk = list(islice(examples, size))
            ready, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ready:
                yield future.result()
    finally:
        for future in running:
            future.cancel()


_own: list[Judge | WorkbenchError] = []


def _begin(spec: JudgeSpec) -> None:
    """In each process: load the judge once. What speaks against it is told when it is asked: a
    process that dies while it begins takes its reason with it."""
    end_with_parent()
    try:
        _own.append(make_judge(spec))
    except WorkbenchError as error:
        _own.append(error)


def _judge(examples: list[Example]) -> list[Said]:
    judge = _own[0]
    if isinstance(judge, WorkbenchError):
        raise judge
    return judge.judge(examples)
