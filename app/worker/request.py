"""Requests to a worker."""

from __future__ import annotations

import os
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path

from agent.checked_toml import printable
from agent.engines.base import SamplingSettings
from agent.spectra.spectrum import Spectrum
from agent.spectra.urls import is_url
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import to_json
from app.worker.errors import WireError
from app.worker.records import spectrum_to_json
from app.worker.wire import Message


@dataclass(frozen=True, eq=False)
class LoadRequest:
    """The model to load and how; the arguments of `make_inspector`."""

    model: str | None = None
    _: KW_ONLY
    device: str = "auto"
    threads: int | None = None
    sharing: int = 1
    """Number of processes that load the model; each uses its share of the CPUs."""
    side_by_side: bool = False
    """Many inspections run at once in each process, and only their results are reported."""
    extra_runs: int = 0
    sampling: SamplingSettings | None = None

    @property
    def shown(self) -> str:
        """The model's name for messages, without URL parts that may hold a secret."""
        plain = (self.model or "the measured inspector").partition("?")[0].rpartition("@")[2]
        return printable(plain, 80)

    def message(self, number: int) -> Message:
        options = asdict(self)
        return {"type": "load", "id": number, "model": options.pop("model"), "options": options}


@dataclass(frozen=True, kw_only=True, eq=False)
class InspectRequest:
    """What to inspect: a row of a file, or a spectrum in memory.

    `task` is a task id or a task file. `so_far` is a trajectory to continue.
    """

    task: str
    path: str | os.PathLike[str] | None = None
    row: int = 0
    spectrum: Spectrum | None = None
    seed: int = 0
    deadline_s: float | None = None
    so_far: Trajectory | None = None

    def __post_init__(self) -> None:
        if (self.path is None) == (self.spectrum is None):
            raise WireError("an inspection needs either a file or a spectrum")

    @property
    def shown(self) -> str:
        """The spectrum's name for messages."""
        if self.spectrum is not None:
            return printable(self.spectrum.object_id or "a spectrum", 80)
        return printable(Path(self.path or "").name, 80)

    def message(self, number: int) -> Message:
        message: Message = {"type": "inspect", "id": number, "task": self._task()}
        if self.spectrum is not None:
            message["spectrum"] = spectrum_to_json(self.spectrum)
        else:
            message |= {"path": whole_path(self.path or ""), "row": self.row}
        if self.so_far is not None:
            message["so_far"] = to_json(self.so_far)
        return message | {"seed": self.seed, "deadline_s": self.deadline_s}

    def _task(self) -> str:
        is_file = self.task.casefold().endswith(".toml")
        return str(Path(self.task).absolute()) if is_file else self.task


def whole_path(path: str | os.PathLike[str]) -> str:
    """A path that means the same in another folder; an address does."""
    text = os.fspath(path)
    return text if is_url(text) else str(Path(text).absolute())
