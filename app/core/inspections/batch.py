"""Inspects all candidates of a session with several workers and stores the results.

The agent's answer is stored as an inspection, never as a verdict of a reviewer.
"""

import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sqlalchemy import update

from agent.errors import ReadError, WorkbenchError
from agent.tasks.catalogue import load_tasks
from agent.trajectory.trajectory import ModelRef, Trajectory
from app.core.database.tables import candidates
from app.core.inspections import store
from app.core.inspections.leases import LEASE_S, Leases
from app.core.queue import matching
from app.core.queue.filters import Words
from app.core.session.records import Candidate, Change
from app.core.session.session import Session, require_class
from app.core.spectra.packing import packed_spectrum
from app.worker.errors import InspectionError, WorkerCrash
from app.worker.pool import InspectionPool, PoolResult
from app.worker.request import InspectRequest

# After so many failures in a row we blame the engine rather than the spectra.
MAX_FAILURES = 5
# A large model on a slow machine takes many minutes; one that takes longer than this never ends.
DEADLINE_S = 3600.0
# How the reason ends that readers give for a missing file; older sessions contain it too.
MISSING_FILE = "there is no such file"
AT_ONCE = 500


@dataclass(frozen=True, kw_only=True)
class BatchResult:
    """The trajectory of one candidate, or the reason why there is none or no whole one."""

    candidate: Candidate
    trajectory: Trajectory | None = None
    fault: str = ""


def inspect_all(
    session: Session,
    pool: InspectionPool,
    model: ModelRef,
    *,
    limit: int | None = None,
    seed: int = 0,
    retry: bool = False,
    share: store.Share | None = None,
    only: Iterable[Candidate] | None = None,
    wait: bool = False,
    lease_s: float = LEASE_S,
) -> Generator[BatchResult, None, None]:
    """Inspect the candidates the model has not inspected yet, and store each result at once.

    `only` are the candidates to inspect instead of those, `share` is the part of them to take.
    `retry` includes those whose spectrum could not be read before. On a server, candidates that
    other programs inspect with the model at this moment are left to them; `wait` for these, too,
    as they may stop or die: what they have claimed is free `lease_s` later. The generator can be
    closed at any time; the next call continues from there. Raises WorkbenchError when several
    inspections in a row fail.
    """
    require_class(session.task)
    running: dict[int, Candidate] = {}
    # A file has one writer, so that nobody else inspects its candidates.
    is_shared = not session.database.is_file
    leases = Leases(session, model, retry=retry, lease_s=lease_s) if is_shared else None
    wanted = only
    if wanted is None:
        most = None if is_shared else limit
        wanted = store.pending_candidates(session, model, most, retry=retry, share=share)

    def finish(candidate_id: int) -> None:
        if leases is not None:
            leases.finished(candidate_id)

    def requests(task: str, some: Iterable[Candidate]) -> Iterator[tuple[int, InspectRequest]]:
        for candidate in some:
            try:
                request = _request(session, candidate, task, seed)
            except ReadError as error:  # of a packed spectrum; the worker reads files
                store.mark_fault(session, candidate.id, str(error))
                finish(candidate.id)
                continue
            running[candidate.id] = candidate
            yield candidate.id, request

    failures = 0
    with worker_task(session) as task, leases or nullcontext():
        rounds = [wanted] if leases is None else leases.rounds(wanted, limit, wait=wait)
        for inspected in (each for some in rounds for each in pool.run(requests(task, some))):
            result = _store_result(session, model, running.pop(inspected.key), inspected)
            finish(inspected.key)
            yield result
            reason = _engine_failure(inspected)
            failures = failures + 1 if reason else 0
            if failures >= MAX_FAILURES:
                raise WorkbenchError(f"{failures} inspections in a row failed: {reason}")


def clear_missing_file_faults(session: Session) -> int:
    """Clear the faults of missing files that exist now, for example on a remounted disk.

    Returns the number of cleared faults.
    """
    missing = matching(session, Words("fault", "contains", MISSING_FILE), at_once=AT_ONCE)
    found = (row.candidate.id for row in missing if _exists_now(row.candidate))
    count = 0
    while some := list(islice(found, AT_ONCE)):
        with session.database.writing() as connection:
            here = candidates.c.id.in_(some)
            connection.execute(update(candidates).where(here).values(fault=""))
        session.changed.emit(Change(aspect="spectrum", candidate_ids=frozenset(some)))
        count += len(some)
    return count


def _exists_now(candidate: Candidate) -> bool:
    try:
        return candidate.fault.endswith(MISSING_FILE) and Path(candidate.path).exists()
    except (OSError, ValueError):
        return False


@contextmanager
def worker_task(session: Session) -> Iterator[str]:
    """The task argument for a worker: the id of a known task, otherwise a temporary task file."""
    for known in load_tasks(on_fault=lambda fault: None):
        if known.asks_as(session.task):
            yield known.id
            return
    with tempfile.TemporaryDirectory(prefix="spec-o3-") as folder:
        path = Path(folder) / f"{session.task.id}.toml"
        path.write_text(session.fact("task") or "", encoding="utf-8")
        yield str(path)


def _request(session: Session, candidate: Candidate, task: str, seed: int) -> InspectRequest:
    packed = packed_spectrum(session, candidate.id)
    if packed is not None:
        return InspectRequest(task=task, spectrum=packed, seed=seed, deadline_s=DEADLINE_S)
    return InspectRequest(
        task=task, path=candidate.path, row=candidate.row, seed=seed, deadline_s=DEADLINE_S
    )


def _store_result(
    session: Session, model: ModelRef, candidate: Candidate, result: PoolResult[int]
) -> BatchResult:
    trajectory = result.trajectory
    if trajectory is not None:
        trajectory = store.recorded_by(trajectory, model)
        store.add_inspection(session, candidate.id, trajectory)
        fault = trajectory.stop_reason if trajectory.stopped_by == "cancelled" else ""
        if fault:  # of the deadline: another run would take as long again
            store.mark_fault(session, candidate.id, fault)
        return BatchResult(candidate=candidate, trajectory=trajectory, fault=fault)
    error = result.error
    assert error is not None, "a result has a trajectory or an error"
    if isinstance(error, InspectionError | WorkerCrash):
        store.mark_fault(session, candidate.id, str(error))
    return BatchResult(candidate=candidate, fault=str(error))


def _engine_failure(result: PoolResult[int]) -> str:
    """What went wrong in the worker rather than in the spectrum; empty if nothing did."""
    if result.trajectory is not None:
        failed = result.trajectory.stopped_by == "error"
        return (result.trajectory.stop_reason or "no reason was given") if failed else ""
    is_bug = isinstance(result.error, InspectionError) and result.error.detail
    return str(result.error) if is_bug or isinstance(result.error, WorkerCrash) else ""
