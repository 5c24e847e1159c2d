"""Spectra and model names as JSON. Arrays are base64-encoded little-endian numbers."""

from __future__ import annotations

import base64
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef
from app.worker.errors import WireError

_ARRAYS = {"wavelength": "<f8", "flux": "<f8", "ivar": "<f8", "mask": "|b1"}


def spectrum_to_json(spectrum: Spectrum) -> dict[str, Any]:
    """All fields, so that an inspection in a worker gives the same result as one here."""
    record = {each.name: getattr(spectrum, each.name) for each in fields(spectrum)}
    for name, dtype in _ARRAYS.items():
        if record[name] is not None:
            record[name] = _packed(record[name], dtype)
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


def _packed(values: NDArray[Any], dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
