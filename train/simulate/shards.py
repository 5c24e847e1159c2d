"""Files of many spectra as plain arrays, for training.

A shard is an .npz without pickles: `flux`, `ivar` and `wavelength` (float32) of its spectra joined
end to end, `offsets` (first pixel of each, then the total) and `index` (number in the campaign).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np

from agent.atomic_file import atomic_file
from agent.errors import WorkbenchError, write_errors
from agent.spectra.spectrum import MAX_PIXELS, Spectrum
from train.simulate.production import SimulatedSpectrum

SPECTRA_PER_SHARD = 500
MAX_SHARD_BYTES = 1_000_000_000


def write_shard(path: Path, made: Sequence[SimulatedSpectrum]) -> None:
    """Write a shard; `ivar` is 0 throughout where the imitated file states no errors."""
    seen = [one.entry.observation for one in made]
    sizes = [one.flux.size for one in seen]
    with write_errors(path), atomic_file(path) as file:
        np.savez(
            file,
            flux=np.concatenate([one.flux for one in seen]).astype(np.float32),
            ivar=np.concatenate([one.ivar * one.errors_known for one in seen]).astype(np.float32),
            wavelength=np.concatenate([one.wavelength for one in seen]).astype(np.float32),
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            index=np.array([one.entry.target.index for one in made], dtype=np.int64),
        )


def read_shard(path: Path) -> Iterator[Spectrum]:
    """The spectra of a shard in the order of their rows."""
    try:
        with ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_SHARD_BYTES:
            raise WorkbenchError(f"{path} unpacks to {size} bytes: too much for a shard")
        with np.load(path, allow_pickle=False) as shard:
            flux, ivar, wavelength = shard["flux"], shard["ivar"], shard["wavelength"]
            offsets = shard["offsets"]
    except (OSError, KeyError, ValueError, BadZipFile) as error:
        raise WorkbenchError(f"{path} is not a shard of simulated spectra: {error}") from error
    if not (flux.size == ivar.size == wavelength.size):
        raise WorkbenchError(f"{path}: the arrays differ in length")
    for row, (start, stop) in enumerate(pairwise(offsets.tolist())):
        if not 0 <= start < stop <= flux.size or stop - start > MAX_PIXELS:
            raise WorkbenchError(f"{path}: the offsets do not fit the arrays")
        errors = ivar[start:stop]
        yield Spectrum(
            wavelength=wavelength[start:stop].astype(np.float64),
            flux=flux[start:stop],
            ivar=errors if errors.any() else None,
            format="simulated",
            path=str(path),
            row=row,
            rows=offsets.size - 1,
            simulated=True,
        )
