"""Draws the pictures of whole trajectories in the background, the next one ahead of time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtGui import QImage

from agent.errors import WorkbenchError
from agent.ratings.records import trajectory_id
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import SpectrumRef, Trajectory
from app.ui.agent.pictures import qimage
from app.ui.background.runner import Runner
from app.ui.translation.message_texts import translate_message

KEPT = 6
"""Trajectories whose pictures stay in memory, for going back and ahead."""

FindSpectrum = Callable[[SpectrumRef], Spectrum]
"""Any thread; raises WorkbenchError."""


@dataclass(frozen=True, eq=False)
class DrawnPictures:
    """The whole spectrum, then each look; or why there are none."""

    images: tuple[QImage, ...] = ()
    fault: str = ""


class TrajectoryPictures(QObject):
    """Pictures by trajectory, drawn one trajectory at a time."""

    drawn = Signal(str)
    """Id of a trajectory whose pictures are there, or whose fault is known."""

    def __init__(
        self, find_spectrum: FindSpectrum, runner: Runner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._find, self._runner = find_spectrum, runner
        self._known: OrderedDict[str, DrawnPictures] = OrderedDict()
        self._wanted: list[Trajectory] = []
        self._in_work = ""

    def of(self, trajectory: Trajectory) -> DrawnPictures | None:
        """The pictures, if they are drawn."""
        return self._known.get(trajectory_id(trajectory))

    def request(self, *trajectories: Trajectory) -> None:
        """Draw these, the first first; what was requested before and not begun is dropped."""
        self._wanted = [one for one in trajectories if self.of(one) is None]
        self._draw_next()

    def _draw_next(self) -> None:
        if self._in_work or not self._wanted:
            return
        trajectory = self._wanted.pop(0)
        self._in_work = trajectory_id(trajectory)
        self._runner.run(
            partial(draw_pictures, self._find, trajectory), self._on_drawn, self._on_failed, self
        )

    def _on_drawn(self, pictures: DrawnPictures) -> None:
        name, self._in_work = self._in_work, ""
        self._known[name] = pictures
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        self.drawn.emit(name)
        self._draw_next()

    def _on_failed(self, error: WorkbenchError) -> None:
        self._on_drawn(DrawnPictures(fault=translate_message(str(error))))


def draw_pictures(find_spectrum: FindSpectrum, trajectory: Trajectory) -> DrawnPictures:
    """Draw all pictures of a trajectory. Any thread.

    Raises TrajectoryError if the spectrum is not found, or a picture is not what the model saw.
    """
    # Imported here because drawing loads matplotlib, which would slow down the start.
    from agent.inspection.pictures import redraw

    spectrum = find_spectrum(trajectory.spectrum)
    return DrawnPictures(tuple(qimage(picture) for picture in redraw(trajectory, spectrum)))


def no_pictures_text(fault: str) -> str:
    """What a view shows in place of the pictures."""
    text = QCoreApplication.translate("TrajectoryView", "Pictures not shown: {why}")
    return text.replace("{why}", fault)
