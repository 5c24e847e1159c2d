"""The plot goes where the agent looks, and comes back to where the person was."""

from __future__ import annotations

from PySide6.QtCore import QObject

from agent.trajectory.trajectory import Trajectory
from app.ui.candidate.view_options import View
from app.ui.plot.brackets import agent_brackets
from app.ui.plot.overview import Overview
from app.ui.plot.plot_view import PlotView
from app.ui.plot.trace import Range
from app.ui.session_context import SessionContext

LABEL_LENGTH = 60


class AgentFollower(QObject):
    def __init__(
        self, context: SessionContext, plot: PlotView, overview: Overview, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._view: View = context.view
        self._plot, self._overview = plot, overview
        self._before: tuple[Range | None, str] | None = None
        context.agent.looking.connect(self._follow)
        context.agent.shown_changed.connect(self._show_evidence)
        context.commands.ran.connect(self._take_note)
        self._show_evidence(context.agent.shown)

    def leave(self) -> None:
        """A person who has gone elsewhere by now is left there."""
        before, followed = self._before, self._plot.look.look
        self.forget()
        if before is not None and self._view.window == followed:
            self._view.look_at(*before)

    def forget(self) -> None:
        self._before = None
        self._plot.show_look(None)

    def _follow(self, window: Range | None, label: str) -> None:
        if window is None:
            self.leave()
            return
        words = " ".join(label.split())[:LABEL_LENGTH]
        if self._before is None:
            self._before = self._view.window, self._view.window_name
        self._plot.show_look(window, words or self.tr("The agent looks here"))
        self._view.look_at(window, words)

    def _show_evidence(self, trajectory: Trajectory | None) -> None:
        self._overview.show_agent_windows(agent_brackets(trajectory))

    def _take_note(self, name: str) -> None:
        if name == "escape":
            self.leave()
