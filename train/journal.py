"""Writes the metrics of a run as JSON lines, and to TensorBoard if it is installed."""

import json
import math
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from agent.atomic_file import write_file
from agent.errors import WorkbenchError, write_errors
from agent.json_lines import append_lines, read_log

METRICS_FILE = "metrics.jsonl"


class Journal:
    """The metrics of one run; `resume_at` drops those of later steps."""

    def __init__(self, folder: Path, *, resume_at: int | None = None) -> None:
        self.path = folder / METRICS_FILE
        self._started = time.perf_counter()
        folder.mkdir(parents=True, exist_ok=True)
        kept = []
        if resume_at is not None:
            before = (one for one in read_log(self.path, _metrics) if one["step"] <= resume_at)
            kept = [json.dumps(one, allow_nan=False) + "\n" for one in before]
        with write_errors(self.path):
            write_file(self.path, "".join(kept))
        self._board = _board(folder / "tensorboard", resume_at)

    def log(self, step: int, **metrics: float | int | str | None) -> None:
        """Write the metrics of a step; numbers that are not finite become null."""
        seconds = round(time.perf_counter() - self._started, 3)
        finite = {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in metrics.items()
        }
        record = {"step": step, "seconds": seconds, **finite}
        with write_errors(self.path):
            append_lines(self.path, [json.dumps(record, allow_nan=False)])
        if self._board is not None:
            for name, value in metrics.items():
                if isinstance(value, int | float) and math.isfinite(value):
                    self._board.add_scalar(name, value, step)

    def close(self) -> None:
        if self._board is not None:
            self._board.close()


@contextmanager
def journal(folder: Path, *, resume_at: int | None = None) -> Iterator[Journal]:
    with closing(Journal(folder, resume_at=resume_at)) as opened:
        yield opened


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The records of a run in order; a line cut off by a crash is skipped."""
    path = folder / METRICS_FILE
    if not path.is_file():
        raise WorkbenchError(f"{folder} has no {METRICS_FILE}: it is not the folder of a run")
    return list(read_log(path, _metrics))


def _metrics(record: object) -> dict[str, Any]:
    if isinstance(record, dict) and isinstance(record.get("step"), int):
        return record
    raise ValueError("not the metrics of a step")


def _board(folder: Path, resume_at: int | None) -> Any:
    """A TensorBoard writer, or None if it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    purge = None if resume_at is None else resume_at + 1
    return SummaryWriter(str(folder), purge_step=purge)
