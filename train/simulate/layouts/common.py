"""What all simulated files share: the marks in their headers and a reproducible way of saving."""

import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from astropy.io import fits
from numpy.typing import NDArray

from agent.atomic_file import write_file
from agent.errors import write_errors
from train.simulate.identity import FakeTarget, Stamp
from train.simulate.telescope.observation import Observation
from train.simulate.telescope.pipeline_class import PipelineClass

AUTHOR = "Spec-o3 Workbench"


@dataclass(frozen=True)
class Entry:
    """One spectrum and all that its file states."""

    observation: Observation
    target: FakeTarget
    pipeline_class: PipelineClass
    stamp: Stamp


def mark_simulated(header: Any, stamp: Stamp) -> None:
    """State in the primary header, for programs and for people, that the spectrum is simulated."""
    header["SIMULATE"] = (True, "this spectrum is simulated")
    header["SIMSEED"] = (stamp.seed, "seed of the simulation")
    header["SIMINDEX"] = (stamp.index, "number of the spectrum in the simulation")
    header["SIMVERS"] = (stamp.version, "version of spec-o3-train")
    header["COMMENT"] = stamp.text


def table(columns: Sequence[tuple[str, str, Any]], name: str | None) -> Any:
    """A table of columns told by name, format and values."""
    made = [fits.Column(name=key, format=kind, array=values) for key, kind, values in columns]
    return fits.BinTableHDU.from_columns(made, name=name)


def float32(values: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)


def save(hdus: Sequence[Any], path: Path) -> None:
    """Write a whole file or nothing; the same content gives the same bytes, gzip included."""
    buffer = io.BytesIO()
    fits.HDUList(list(hdus)).writeto(buffer, output_verify="exception")
    content = buffer.getvalue()
    if path.suffix == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
            file.write(content)
        content = packed.getvalue()
    with write_errors(path):
        write_file(path, content)
