"""Runs jobs in several processes, yields their results in order, and shows how many are done."""

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agent.cluster.options import RayPlace
from agent.errors import WorkbenchError
from train.ray_work import ray_in_order

Job = TypeVar("Job")
Result = TypeVar("Result")
JOBS_AHEAD = 8  # submitted jobs per worker


def end_with_parent() -> None:
    """Make a worker exit as soon as its parent process is killed."""
    # Otherwise it would first finish all jobs it has been given.
    Thread(target=_end_after_parent, name="end with parent", daemon=True).start()


def _end_after_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


Workers = int | RayPlace  # how many processes of this machine, or a Ray cluster


def in_order(
    work: Callable[[Job], Result], jobs: Iterable[Job], workers: Workers = 1
) -> Generator[Result, None, None]:
    """The result of `work` for each job; one worker means this process."""
    if isinstance(workers, RayPlace):
        yield from ray_in_order(lambda: nullcontext(work), jobs, workers)
        return
    if workers <= 1:
        yield from map(work, jobs)
        return
    # spawn works alike on every system and is safe beside the thread of a progress bar.
    with ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent) as pool:
        waiting = iter(jobs)
        first = islice(waiting, workers * JOBS_AHEAD)
        under_way: list[Future[Result]] = [pool.submit(work, job) for job in first]
        try:
            with worker_deaths():
                while under_way:
                    yield under_way.pop(0).result()
                    under_way += [pool.submit(work, job) for job in islice(waiting, 1)]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def counting(console: Console, *, transient: bool = False) -> Progress:
    """A bar with the number of what is done, and of all."""
    what = TextColumn("{task.description}")
    columns = (what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=transient)


@contextmanager
def counted(
    what: str, total: int | None, console: Console | None = None, *, transient: bool = False
) -> Iterator[Callable[..., None]]:
    """Show a bar of one task; call what it gives with the number just done, or for one."""
    with counting(console or Console(stderr=True), transient=transient) as progress:
        yield partial(progress.advance, progress.add_task(what, total=total))


@contextmanager
def worker_deaths() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool as error:
        raise WorkbenchError(
            "a worker process was killed (out of memory?): repeat the command with fewer "
            "--workers to continue"
        ) from error
