"""What an inspector is, with a model or without: a generator of Steps that returns its record."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Protocol

from agent.engines.base import OnText
from agent.inspection.control import Control
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.trajectory import ModelRef, Step, Trajectory


class Inspector(Protocol):
    """An inspector. One inspection at a time."""

    @property
    def model(self) -> ModelRef: ...

    def inspect(
        self,
        spectrum: Spectrum,
        task: Task,
        *,
        seed: int = 0,
        control: Control | None = None,
        on_text: OnText | None = None,
        so_far: Trajectory | None = None,
    ) -> Generator[Step, None, Trajectory]:
        """Steps as they happen; the generator returns the Trajectory.

        `on_text` gets an agent's words while it speaks. `so_far` is a record, or the part of one,
        of the same spectrum and task to go on from.
        """
        ...

    def close(self) -> None: ...


def run(
    inspection: Generator[Step, None, Trajectory],
    on_step: Callable[[Step], None] = lambda step: None,
) -> Trajectory:
    """Drive an inspection to its end."""
    while True:
        try:
            on_step(next(inspection))
        except StopIteration as end:
            return end.value
