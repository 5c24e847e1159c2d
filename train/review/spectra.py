"""Finds the spectra of recorded trajectories, so that their pictures can be drawn again.

A file of trajectories may come from a stranger: a spectrum is read only from the folders and sets
that the person named, and only that with the recorded numbers is used.
"""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path, PurePath

from agent.errors import ReadError, TrajectoryError
from agent.examples.examples import ExampleStore
from agent.hashing import spectrum_hash
from agent.spectra.readers import read_numbered
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import SpectrumRef

SET_SUFFIX = ".parquet"


class Spectra:
    """Spectra in folders, and in sets of examples (`.parquet`), by their hash."""

    def __init__(self, places: Iterable[Path]) -> None:
        every = [place.absolute() for place in places]
        self.folders = tuple(place for place in every if place.suffix != SET_SUFFIX)
        self.sets = tuple(place for place in every if place.suffix == SET_SUFFIX)

    @cached_property
    def _examples(self) -> ExampleStore:
        return ExampleStore(self.sets)

    def of(self, ref: SpectrumRef) -> Spectrum:
        """The spectrum that was inspected. Raises TrajectoryError where it is not found."""
        if self.sets and ref.sha256 in self._examples:
            return self._examples[ref.sha256].spectrum
        name = PurePath(ref.path).name or ref.object_id
        why = "its file is not there"
        for path in self._candidates(ref.path):
            try:
                spectrum = read_numbered(str(path), ref.row)
            except ReadError as error:
                why = str(error)
                continue
            if spectrum_hash(spectrum) == ref.sha256:
                return spectrum
            why = "the file has other values than were inspected"
        raise TrajectoryError(f"the spectrum {name[:80]} was not found: {why}")

    def _candidates(self, recorded: str) -> Iterable[Path]:
        """Files in the named folders: where the record says, else of the same name."""
        path = Path(recorded)
        if not path.name:
            return
        for folder in self.folders:
            whole = path if path.is_absolute() else folder / path
            for each in dict.fromkeys((whole, folder / path.name)):
                if ".." not in each.parts and each.is_relative_to(folder) and each.is_file():
                    yield each
