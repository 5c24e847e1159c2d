"""Judges a set with one judge, in parallel, and resumes where it stopped."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path

from agent.cluster.options import RayPlace
from agent.errors import WorkbenchError
from agent.examples.examples import Example, column, read_examples
from agent.json_lines import drop_half_line
from agent.trajectory.trajectory_file import write_trajectories
from train.evaluate.judgement import MAX_LINE, Judgement, add_judgements, read_judgements
from train.evaluate.judges import Judge, JudgedExample, JudgeSpec, make_judge
from train.parallel import Workers, end_with_parent, worker_deaths
from train.ray_work import ray_results

CHUNK = 4  # Examples per job; few, so that a stopped run loses little.
SPECIALIST_CHUNK = 256
"""Examples per job of a specialist, which judges a batch as fast as one example."""
CHUNKS_AHEAD = 2  # jobs submitted per process
Advance = Callable[[int], None]


def judge_set(
    spec: JudgeSpec,
    path: Path,
    out: Path,
    *,
    workers: Workers = 1,
    limit: int | None = None,
    tasks: Sequence[str] = (),
    advance: Advance = lambda count: None,
) -> list[Judgement]:
    """Judge up to `limit` examples per task, resuming `out`; returns all judgements in order."""
    wanted = choose_keys(path, limit, tasks)
    drop_half_line(out, MAX_LINE)
    drop_half_line(trajectories_path(out))
    done = {one.key: one for one in read_judgements(out)} if out.exists() else {}
    left = [key for key in wanted if key not in done]
    advance(len(wanted) - len(left))
    out.parent.mkdir(parents=True, exist_ok=True)
    unjudged = set(left)
    examples: Iterator[Example] = iter(())
    if left:
        examples = (one for one in read_examples(path) if one.key in unjudged)
    for part in _judge_chunks(spec, examples, workers):
        judgements = [judgement for judgement, _ in part]
        # Trajectories first, so that every stored judgement has its trajectory.
        records = [trajectory for _, trajectory in part if trajectory is not None]
        if records:
            write_trajectories(trajectories_path(out), records, add=True)
        add_judgements(out, judgements)
        done.update((one.key, one) for one in judgements)
        advance(len(judgements))
    return [done[key] for key in wanted]


def trajectories_path(out: Path) -> Path:
    return out.with_name(f"{out.stem}.trajectories.jsonl")


def choose_keys(path: Path, limit: int | None, tasks: Sequence[str] = ()) -> list[str]:
    """The keys to judge; a limit keeps the set's odds as far as whole numbers allow."""
    every = column(path, "key", "task", "answer")
    rows = [row for row in every if not tasks or row["task"] in tasks]
    if len({row["key"] for row in rows}) != len(rows):
        raise WorkbenchError(f"{path} has two examples with the same key")
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


def _judge_chunks(
    spec: JudgeSpec, examples: Iterator[Example], workers: Workers
) -> Iterator[list[JudgedExample]]:
    size = SPECIALIST_CHUNK if spec.kind == "specialist" else CHUNK
    chunks = iter(lambda: list(islice(examples, size)), [])
    first = next(chunks, None)
    if first is None:
        return  # and load no model
    chunks = chain([first], chunks)
    if workers == 1 or spec.kind == "specialist":
        with closing(make_judge(spec)) as judge:
            yield from map(judge.judge, chunks)
    elif isinstance(workers, RayPlace):
        for _, judged in ray_results(partial(_open_judge, spec), chunks, workers):
            yield judged
    else:
        context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
        with worker_deaths(), ProcessPoolExecutor(workers, context, _start_worker, (spec,)) as pool:
            yield from _in_parallel(pool, chunks, workers * CHUNKS_AHEAD)


def _in_parallel(
    pool: ProcessPoolExecutor, chunks: Iterator[list[Example]], ahead: int
) -> Iterator[list[JudgedExample]]:
    running: set[Future[list[JudgedExample]]] = set()
    try:
        while True:
            for chunk in islice(chunks, ahead - len(running)):
                running.add(pool.submit(_judge, chunk))
            if not running:
                return
            ready, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ready:
                yield future.result()
    finally:
        for future in running:
            future.cancel()


@contextmanager
def _open_judge(spec: JudgeSpec) -> Iterator[Callable[[Sequence[Example]], list[JudgedExample]]]:
    with closing(make_judge(spec)) as judge:
        yield judge.judge


_worker_judge: list[Judge | WorkbenchError] = []


def _start_worker(spec: JudgeSpec) -> None:
    """Load the judge once in each worker process."""
    # An error is kept for the first job: a worker that dies at its start loses the reason.
    end_with_parent()
    try:
        _worker_judge.append(make_judge(spec))
    except WorkbenchError as error:
        _worker_judge.append(error)


def _judge(examples: list[Example]) -> list[JudgedExample]:
    judge = _worker_judge[0]
    if isinstance(judge, WorkbenchError):
        raise judge
    return judge.judge(examples)
