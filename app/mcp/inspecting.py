"""Inspections for a client, in a worker process, with the calibrated p(YES) of the session."""

from contextlib import ExitStack
from typing import Any

from agent.checked_toml import near_miss, printable, shown
from agent.inspection.inspector_factory import default_model
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import load_tasks
from agent.tasks.look import has_class
from agent.trajectory.trajectory import Trajectory
from app.core.inspections.batch import worker_task
from app.core.session.session import Session
from app.core.statistics.calibration import newest_calibration
from app.mcp.measuring import MAX_TEXT, plain, prose
from app.mcp.sources import SourceError
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerClient

DEADLINE_S = 240.0
GRACE_S = 30.0  # how much later the worker is killed if it does not stop at its deadline
MAX_STEPS = 40
MAX_REASONS = 4000
RAW = "not calibrated: p(YES) ranks candidates but is not a probability"


class Inspections:
    """One worker process, started by the first inspection. For one thread; close it after use.

    `model` is a name, path or address for all inspections; without it, the best bundled model of
    each task inspects. A client chooses neither models nor task files.
    """

    def __init__(self, session: Session | None, model: str | None = None) -> None:
        self._session = session
        self._model = model
        self._client: WorkerClient | None = None
        self._selected: str | None = None
        self._own_task: str | None = None  # the session's task as a worker is told it
        self._open = ExitStack()

    def inspect(self, spectrum: Spectrum, task: str, seed: int) -> dict[str, Any]:
        """Inspect for a class, by default that of the session. Raises WorkbenchError."""
        task_id, argument = self._task(task)
        model = self._model or default_model(task_id)
        self._client = client = self._client or WorkerClient()
        if self._selected != model:
            client.select(LoadRequest(model))
            self._selected = model
        request = InspectRequest(task=argument, spectrum=spectrum, seed=seed, deadline_s=DEADLINE_S)
        record = client.inspect(request).result(DEADLINE_S + 2 * GRACE_S)
        said = {**inspection_record(record), **self._chances(record, task_id)}
        return {"simulated": spectrum.simulated, **said}

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._open.close()

    def _task(self, name: str) -> tuple[str, str]:
        """The id of a task and what the worker is told: never a file that a client names."""
        session = self._session
        own = session.task if session is not None and has_class(session.task) else None
        if own is not None and session is not None and name.casefold() in ("", own.id.casefold()):
            if self._own_task is None:
                self._own_task = self._open.enter_context(worker_task(session))
            return own.id, self._own_task
        known = {task.id.casefold(): task.id for task in load_tasks(on_fault=lambda fault: None)}
        found = known.get(name.casefold())
        if found is None:
            ids = ", ".join(known.values())
            raise SourceError(
                f"there is no task {shown(name)}; name one of {ids}{near_miss(name, known)}"
            )
        return found, found

    def _chances(self, record: Trajectory, task_id: str) -> dict[str, Any]:
        told: dict[str, Any] = {"p_yes": plain(record.p_yes), "p_yes_calibrated": None}
        told["calibration"] = RAW
        session = self._session
        if session is None or record.p_yes is None or task_id != session.task.id:
            return told
        rule = newest_calibration(session, record.model.name, record.model.sha256)
        if rule is not None and rule.is_fitted:
            told["p_yes_calibrated"] = plain(rule.apply(record.p_yes))
            told["calibration"] = (
                f"fitted to {rule.n} verdicts of this session, {rule.positives} of them ACCEPT"
            )
        return told


def inspection_record(record: Trajectory) -> dict[str, Any]:
    """The verdict, its reasons, and each look with what is measured in it."""
    return {
        "task": record.task,
        "model": printable(record.model.name, MAX_TEXT),
        "verdict": record.verdict,
        "reasons": prose(record.plain_reasons, MAX_REASONS),
        "stopped_by": record.stopped_by,
        "stop_reason": printable(record.stop_reason, MAX_TEXT),
        "evidence": [
            {
                "range": None if step.range is None else list(step.range),
                "label": printable(step.label, MAX_TEXT),
                "measured": dict(step.measured),
            }
            for step in record.looks[:MAX_STEPS]
        ],
        "seconds": round(record.seconds, 2),
    }
