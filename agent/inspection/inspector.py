"""The interface of inspectors, with or without a model."""

from collections.abc import Callable, Generator
from typing import Protocol

from agent.engines.base import OnText
from agent.inspection.control import Control
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.trajectory import ModelRef, Step, Trajectory


class Inspector(Protocol):
    """Inspects spectra, one at a time."""

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
        """Yield steps as they happen and return the trajectory.

        `on_text` receives the model's text while it is generated. `so_far` is a (partial)
        trajectory of the same spectrum and task to continue.
        """

    def close(self) -> None: ...


def run(
    inspection: Generator[Step, None, Trajectory],
    on_step: Callable[[Step], None] = lambda step: None,
) -> Trajectory:
    while True:
        try:
            on_step(next(inspection))
        except StopIteration as end:
            return end.value
