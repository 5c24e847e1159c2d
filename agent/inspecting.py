"""What an inspector is, with a model or without: a generator of Steps that returns its record."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Protocol

from agent.backends.base import OnText
from agent.control import Control
from agent.spectra.spectrum import Spectrum
from agent.task_types import Task
from agent.trajectory import ModelRef, Step, Trajectory

FASTEST_STAR = 0.005
"""1,500 km/s: a redshift above that is not a star's motion, and a pipeline's word for it no reason
to move the spectrum of a candidate star."""


class Inspecting(Protocol):
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


def frame_z(spectrum: Spectrum) -> float | None:
    """The redshift that moves the pictures to the star's rest frame, where the file knows one."""
    z = spectrum.z
    return z if z is not None and abs(z) <= FASTEST_STAR and z != 0.0 else None
