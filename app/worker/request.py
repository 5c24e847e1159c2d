"""Requests to a worker, and the spectra and models in messages as JSON.

Arrays are base64-encoded little-endian numbers.
"""

import base64
import os
from dataclasses import KW_ONLY, asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from agent.checked_toml import printable
from agent.engines.base import SamplingSettings
from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from agent.spectra.urls import is_url
from agent.trajectory.trajectory import ModelRef, Trajectory
from agent.trajectory.trajectory_file import to_json
from app.worker.errors import WireError
from app.worker.wire import Message

_ARRAYS = {"wavelength": "<f8", "flux": "<f8", "ivar": "<f8", "mask": "|b1"}


@dataclass(frozen=True, eq=False)
class LoadRequest:
    """The model to load and how; the arguments of `make_inspector`."""

    model: str | None = None
    _: KW_ONLY
    device: str = "auto"
    threads: int | None = None
    sharing: int = 1  # Number of processes that load the model; each uses its share of the CPUs.
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
        is_file = self.task.casefold().endswith(".toml")
        task = str(Path(self.task).absolute()) if is_file else self.task
        message: Message = {"type": "inspect", "id": number, "task": task}
        if self.spectrum is not None:
            message["spectrum"] = spectrum_to_json(self.spectrum)
        else:
            message |= {"path": whole_path(self.path or ""), "row": self.row}
        if self.so_far is not None:
            message["so_far"] = to_json(self.so_far)
        return message | {"seed": self.seed, "deadline_s": self.deadline_s}


def whole_path(path: str | os.PathLike[str]) -> str:
    """A path that means the same in another folder; an address does."""
    text = os.fspath(path)
    return text if is_url(text) else str(Path(text).absolute())


def spectrum_to_json(spectrum: Spectrum) -> dict[str, Any]:
    """All fields, so that an inspection in a worker gives the same result as one here."""
    record = {each.name: getattr(spectrum, each.name) for each in fields(spectrum)}
    for name, dtype in _ARRAYS.items():
        if record[name] is not None:
            content = np.ascontiguousarray(record[name], dtype=dtype).tobytes()
            record[name] = base64.b64encode(content).decode("ascii")
    record["meta"] = {key: _plain(value) for key, value in spectrum.meta.items()}
    return {name: _plain(value) for name, value in record.items()}


def spectrum_from_json(record: object) -> Spectrum:
    """Raises WireError for a record that `spectrum_to_json` could not have written."""
    if not isinstance(record, dict):
        raise WireError("a spectrum must be a JSON object")
    try:
        values = dict(record)
        for name, dtype in _ARRAYS.items():
            if values.get(name) is not None:
                values[name] = np.frombuffer(base64.b64decode(values[name], validate=True), dtype)
        values["warnings"] = tuple(values.get("warnings", ()))
        return Spectrum(**values)
    except (TypeError, ValueError, WorkbenchError) as error:
        raise WireError(f"the spectrum in the message is invalid: {error}") from error


def model_from_json(record: object) -> ModelRef:
    """Read a model written by `dataclasses.asdict`. Raises WireError."""
    names = ("name", "engine", "sha256")
    if not isinstance(record, dict) or not all(isinstance(record.get(name), str) for name in names):
        raise WireError("a model must be a JSON object with the strings " + ", ".join(names))
    address, also = record.get("address", ""), record.get("also", ())
    if not isinstance(address, str):
        raise WireError("the address of a model must be a string")
    if not isinstance(also, list | tuple) or not all(isinstance(each, str) for each in also):
        raise WireError("the other hashes of a model must be a list of strings")
    known = {name: record[name] for name in names}
    return ModelRef(**known, address=address, also=tuple(also))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
