"""A batch of inspections: from the session to the workers and back, one candidate after another.

What an agent says is kept as an inspection; nothing here ever judges in a person's name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sqlalchemy import update

from agent.errors import ReadError, WorkbenchError
from agent.tasks.catalogue import load_tasks, task_source
from agent.trajectory.trajectory import ModelRef, Trajectory
from app.core.database.tables import candidates
from app.core.inspections.store import add_inspection, mark_fault, pending_candidates
from app.core.packing import packed_spectrum
from app.core.queue import matching
from app.core.queue.filters import Words
from app.core.session.records import Candidate, Change
from app.core.session.session import Session
from app.worker.errors import InspectionError, WorkerCrash
from app.worker.pool import PoolResult, WorkerPool
from app.worker.request import InspectRequest

MAX_FAILURES = 5
"""In a row, of the engine: then it is the engine, not the spectra."""
MISSING_FILE = "there is no such file"
"""How a reader's reason ends where a file is not where the list says."""
AT_ONCE = 500


@dataclass(frozen=True, kw_only=True)
class Vetted:
    """One candidate done: a record, or why there is none."""

    candidate: Candidate
    trajectory: Trajectory | None = None
    fault: str = ""


def vet(
    session: Session,
    pool: WorkerPool,
    model: ModelRef,
    *,
    limit: int | None = None,
    seed: int = 0,
    again: bool = False,
) -> Iterator[Vetted]:
    """Inspect what the model has not inspected yet, and keep each record as it comes. `again`: also
    what could not be read before.

    Stop whenever you like: the next call goes on from there. Raises WorkbenchError where the engine
    itself keeps failing.
    """
    given: dict[int, Candidate] = {}

    def requests(task: str) -> Iterator[tuple[int, InspectRequest]]:
        for candidate in pending_candidates(session, model, limit, again=again):
            try:
                request = _request(session, candidate, task, seed)
            except ReadError as error:  # of a packed spectrum; a file's is the worker's to meet
                mark_fault(session, candidate.id, str(error))
                continue
            given[candidate.id] = candidate
            yield candidate.id, request

    failures = 0
    with worker_task(session) as task:
        for outcome in pool.run(requests(task)):
            vetted = _kept(session, given.pop(outcome.key), outcome)
            yield vetted
            failed = vetted.trajectory is not None and vetted.trajectory.stopped_by == "error"
            failures = failures + 1 if failed else 0
            if failures >= MAX_FAILURES and vetted.trajectory is not None:
                raise WorkbenchError(
                    f"{failures} inspections in a row ended early: {vetted.trajectory.stop_reason}"
                )


def clear_missing_file_faults(session: Session) -> int:
    """Of files that were not there and now are, as on a disk that is mounted again, let the fault
    be forgotten: they are inspected as if nothing had been. How many."""
    gone = matching(session, Words("fault", "contains", MISSING_FILE), at_once=AT_ONCE)
    back = (line.candidate.id for line in gone if _is_back(line.candidate))
    count = 0
    while some := list(islice(back, AT_ONCE)):
        with session.database.writing() as connection:
            here = candidates.c.id.in_(some)
            connection.execute(update(candidates).where(here).values(fault=""))
        session.changed.emit(Change(aspect="spectrum", candidate_ids=frozenset(some)))
        count += len(some)
    return count


def _is_back(candidate: Candidate) -> bool:
    try:
        return candidate.fault.endswith(MISSING_FILE) and Path(candidate.path).exists()
    except (OSError, ValueError):
        return False


@contextmanager
def worker_task(session: Session) -> Iterator[str]:
    """The session's task as a worker is told of it: a known task's id, else a file of its own."""
    text = session.fact("task") or ""
    for known in load_tasks(on_fault=lambda fault: None):
        if task_source(known) == text:
            yield known.id
            return
    with tempfile.TemporaryDirectory(prefix="spec-o3-") as folder:
        path = Path(folder) / f"{session.task.id}.toml"
        path.write_text(text, encoding="utf-8")
        yield str(path)


def _request(session: Session, candidate: Candidate, task: str, seed: int) -> InspectRequest:
    packed = packed_spectrum(session, candidate.id)
    if packed is not None:
        return InspectRequest(task=task, spectrum=packed, seed=seed)
    return InspectRequest(task=task, path=candidate.path, row=candidate.row, seed=seed)


def _kept(session: Session, candidate: Candidate, outcome: PoolResult[int]) -> Vetted:
    if outcome.trajectory is not None:
        add_inspection(session, candidate.id, outcome.trajectory)
        return Vetted(candidate=candidate, trajectory=outcome.trajectory)
    error = outcome.error
    assert error is not None, "an outcome is a record or an error"
    if isinstance(error, InspectionError | WorkerCrash):
        mark_fault(session, candidate.id, str(error))
    return Vetted(candidate=candidate, fault=str(error))
