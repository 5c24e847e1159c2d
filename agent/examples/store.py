"""Finds examples by the hash of their spectrum."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from agent.errors import WorkbenchError
from agent.examples.examples import Example, examples_of, open_set
from agent.trajectory.trajectory import Trajectory


class ExampleStore:
    """Examples of several files by the hash of their spectrum, read on demand.

    A spectrum may have examples of several tasks: `of` finds that of a trajectory, the hash alone
    the first one.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._locations: dict[str, tuple[Path, int, int]] = {}
        self._by_task: dict[tuple[str, str], tuple[Path, int, int]] = {}
        for path in paths:
            with open_set(path) as file:
                for group in range(file.num_row_groups):
                    names = file.read_row_group(group, columns=["task", "sha256"]).to_pylist()
                    for row, name in enumerate(names):
                        location = path, group, row
                        self._locations.setdefault(str(name["sha256"]), location)
                        self._by_task.setdefault((name["task"], str(name["sha256"])), location)
        self._group = lru_cache(maxsize=8)(_read_group)

    def __len__(self) -> int:
        return len(self._locations)

    def __contains__(self, sha256: str) -> bool:
        return sha256 in self._locations

    def __getitem__(self, sha256: str) -> Example:
        if sha256 not in self._locations:
            raise WorkbenchError(f"no spectrum with the hash {sha256[:16]} in these sets")
        return self._read(self._locations[sha256])

    def of(self, trajectory: Trajectory) -> Example:
        """The example with the spectrum and the task of a trajectory."""
        sha256 = trajectory.spectrum.sha256
        location = self._by_task.get((trajectory.task, sha256))
        if location is None:
            raise WorkbenchError(
                f"no {trajectory.task} example with the hash {sha256[:16]} in these sets"
            )
        return self._read(location)

    def _read(self, location: tuple[Path, int, int]) -> Example:
        path, group, row = location
        return self._group(path, group)[row]


def _read_group(path: Path, group: int) -> list[Example]:
    with open_set(path) as file:
        return list(examples_of(path, file.read_row_group(group)))
