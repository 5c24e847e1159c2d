"""Work shared among processes: results in the order of the jobs, a bounded number under way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TypeVar

from agent.errors import WorkbenchError

Job = TypeVar("Job")
Result = TypeVar("Result")

JOBS_AHEAD = 8


def end_with_parent() -> None:
    """At the start of a worker: it ends at once when the command that began it is killed.

    Left to itself it would work through whatever was handed out, for nobody.
    """
    Thread(target=_end_after_parent, name="end with parent", daemon=True).start()


def _end_after_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def in_order(
    work: Callable[[Job], Result], jobs: Iterable[Job], workers: int = 1
) -> Iterator[Result]:
    """`work` of each job; in this process where one worker is asked for."""
    if workers <= 1:
        yield from map(work, jobs)
        return
    # spawn: the same on every system, and safe beside the progress bar's thread.
    with ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent) as pool:
        waiting = iter(jobs)
        under_way: list[Future[Result]] = [
            pool.submit(work, job) for job in islice(waiting, workers * JOBS_AHEAD)
        ]
        try:
            while under_way:
                yield under_way.pop(0).result()
                under_way += [pool.submit(work, job) for job in islice(waiting, 1)]
        except BrokenProcessPool as error:
            raise WorkbenchError(
                "a worker process was killed (out of memory?): repeat the command, "
                "with fewer --workers, to go on"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
