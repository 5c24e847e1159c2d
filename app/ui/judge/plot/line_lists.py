"""The line lists that the plot draws from."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from agent.spectra.lines import LineLists, builtin_lines, load_line_lists
from agent.spectra.pixel_grid import LIGHT_KMS
from app.ui.base.settings.settings import Settings
from app.ui.judge.plot.marks import task_ranks
from app.ui.judge.plot.readout import NAMED_KINDS, NEAR_KMS
from app.ui.session.session_context import SessionContext


class PlotLineLists(QObject):
    """The line lists that the plot draws from: the built-in ones, and the person's own."""

    changed = Signal()

    def __init__(self, context: SessionContext, parent: QObject) -> None:
        super().__init__(parent)
        self.lists: LineLists = builtin_lines()
        self._own: tuple[str, ...] = ()
        self._task = context.bridge.session.task
        self._answer, self._current = context.runner.latest(self), context.current
        context.settings.changed.connect(self.read)

    def read(self, settings: Settings) -> None:
        """Read the person's lists in the background, where they are others than before."""
        if settings.line_lists != self._own:
            self._own = settings.line_lists
            work = partial(load_line_lists, [Path(path) for path in settings.line_lists])
            self._answer.ask(work, self._use, self._current.report_error)

    def _use(self, lists: LineLists) -> None:
        self.lists = lists
        self.changed.emit()

    def name_near(self, wavelength: float, z: float) -> str:
        """The known line nearest to an observed wavelength, else the wavelength itself.

        Lines that the task names come first: the centre of a broad line may be nearer to another.
        """
        rest = wavelength / (1.0 + z)
        near = self.lists.nearest(rest, rest * NEAR_KMS / LIGHT_KMS, NAMED_KINDS)
        ranks = task_ranks(self._task, self.lists)
        named = [line for line in near if line.id in ranks] or near
        return named[0].label if named else f"{wavelength:.0f}"
