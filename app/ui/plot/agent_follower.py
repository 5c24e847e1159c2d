"""Moves the plot to the window the agent is looking at, and back afterwards."""

from __future__ import annotations

from PySide6.QtCore import QObject

from agent.spectra.spectrum import Window
from agent.trajectory.trajectory import Trajectory
from app.ui.candidate.view_options import View
from app.ui.plot.plot_view import PlotView
from app.ui.plot.strip.brackets import agent_brackets
from app.ui.plot.strip.overview import Overview
from app.ui.session_context import SessionContext

LABEL_LENGTH = 60


class AgentFollower(QObject):
    def __init__(
        self, context: SessionContext, plot: PlotView, overview: Overview, parent: QObject
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
