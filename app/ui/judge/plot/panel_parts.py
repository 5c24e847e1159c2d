"""What the spectrum panel keeps: curves read ahead, line lists, the agent's window."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from agent.spectra.lines import LineLists, builtin_lines, load_line_lists
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum, Window
from agent.trajectory.trajectory import Trajectory
from app.core.spectra.prefetch import Prefetch
from app.ui.base.settings.settings import Settings
from app.ui.judge.plot.axes.flux_range import flux_range
from app.ui.judge.plot.marks import task_ranks
from app.ui.judge.plot.minimap.bracket_layer import agent_brackets
from app.ui.judge.plot.minimap.minimap import Minimap
from app.ui.judge.plot.plot_view import PlotView
from app.ui.judge.plot.readout import NAMED_KINDS, NEAR_KMS
from app.ui.judge.plot.trace import AskedTrace, Trace, asked_trace, takes_long, trace
from app.ui.session.candidate.view_options import View
from app.ui.session.session_context import SessionContext

LABEL_LENGTH = 60


class TraceCache:
    """The traces of spectra that were read ahead, each as long as its spectrum is kept."""

    def __init__(self, view: View, prefetch: Prefetch) -> None:
        self._view = view
        self._made: WeakKeyDictionary[Spectrum, tuple[AskedTrace, Trace]] = WeakKeyDictionary()
        prefetch.prepare = self.prepare

    def prepare(self, spectrum: Spectrum) -> None:
        """Make its trace as the view options are now; called in the thread that has read it."""
        options, window = self._view.options, self._view.window
        asked = asked_trace(options)
        if takes_long(spectrum, *asked):
            return
        made = trace(spectrum, *asked)
        for each in {window or made.range, made.range}:
            flux_range(made, each, options.flux_zero)
        self._made[spectrum] = asked, made

    def trace(self, spectrum: Spectrum, asked: AskedTrace) -> Trace:
        made_for, made = self._made.get(spectrum, (None, None))
        return made if made is not None and made_for == asked else trace(spectrum, *asked)


class PlotLineLists(QObject):
    """The line lists that the plot draws from: the built-in ones, and the person's own."""

    changed = Signal()

    def __init__(self, context: SessionContext, parent: QObject) -> None:
        super().__init__(parent)
        self.lists: LineLists = builtin_lines()
        self._own: tuple[str, ...] = ()
        self._task = context.bridge.session.task
        self._runner, self._current = context.runner, context.current
        context.settings.changed.connect(self.read)

    def read(self, settings: Settings) -> None:
        """Read the person's lists in the background, where they are others than before."""
        if settings.line_lists != self._own:
            self._own = settings.line_lists
            work = partial(load_line_lists, [Path(path) for path in settings.line_lists])
            self._runner.run(work, self._use, self._current.report_error, owner=self)

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


class AgentFollower(QObject):
    """Moves the plot to the window the agent is looking at, and back afterwards."""

    def __init__(
        self, context: SessionContext, plot: PlotView, overview: Minimap, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._view: View = context.view
        self._plot, self._overview = plot, overview
        self._user_view: tuple[Window | None, str] | None = None
        context.agent.shown.look_changed.connect(self._follow)
        context.agent.shown.trajectory_changed.connect(self._show_evidence)
        context.commands.ran.connect(self._command_ran)
        self._show_evidence(context.agent.shown.trajectory)

    def restore(self) -> None:
        """Go back to the user's own window, unless they have moved on since."""
        user_view, followed = self._user_view, self._plot.look.look
        self.forget()
        if user_view is not None and self._view.window == followed:
            self._view.set_window(*user_view)

    def forget(self) -> None:
        self._user_view = None
        self._plot.show_look(None)

    def _follow(self, window: Window | None, label: str) -> None:
        if window is None:
            self.restore()
            return
        name = " ".join(label.split())[:LABEL_LENGTH]
        if self._user_view is None:
            self._user_view = self._view.window, self._view.window_name
        self._plot.show_look(window, name or self.tr("The agent is looking here"))
        self._view.set_window(window, name)

    def _show_evidence(self, trajectory: Trajectory | None) -> None:
        self._overview.show_agent_windows(agent_brackets(trajectory))

    def _command_ran(self, name: str) -> None:
        if name == "escape":
            self.restore()
