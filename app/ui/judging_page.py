"""The page where candidates are judged: information, spectrum, guideline and agent."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.ui.agent.agent_panel import AgentPanel
from app.ui.controls.operation_panel import OperationPanel
from app.ui.information.information_panel import InformationPanel
from app.ui.information.nearby_panel import NearbyPanel
from app.ui.judging.comment_box import CommentBox
from app.ui.judging.repeat_line import RepeatLine
from app.ui.judging.verdict_bar import VerdictBar
from app.ui.plot.plot_actions import PlotActions
from app.ui.plot.spectrum_panel import SpectrumPanel
from app.ui.queue.queue_panel import QueuePanel
from app.ui.session_context import SessionContext

COLUMNS = (362, 722, 356)
"""Widths at 1440 pixels; the middle column takes the rest."""
LEFT = (290, 110, 380)
RIGHT = (430, 400)


class JudgingPage(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = context.commands
        self.plot = SpectrumPanel(context)
        self.plot_actions = PlotActions(self.plot, context)
        self.comment = CommentBox(context)
        self.verdicts = VerdictBar(context)
        self.repeat_line = RepeatLine(context)
        self.queue = QueuePanel(context)
        self.information = InformationPanel(context)
        self.nearby = NearbyPanel(context)
        self.operation = OperationPanel(context)
        self.agent = AgentPanel(context)
        self.left = _stacked(self.information, self.nearby, self.queue, sizes=LEFT)
        self.right = _stacked(self.operation, self.agent, sizes=RIGHT)
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        for part in (self.left, self._centre(), self.right):
            self.columns.addWidget(part)
        self.columns.setStretchFactor(1, 1)
        self.columns.setSizes(list(COLUMNS))
        self.columns.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.addWidget(self.columns)
        self.plot.use_templates(self.operation.templates)
        context.commands.add("panels", self.toggle_panels)
        self.agent.takeover.handed_back.connect(self.focus_plot)

    @property
    def shows_panels(self) -> bool:
        return not self.left.isHidden()

    def toggle_panels(self) -> None:
        """Show the spectrum alone, or with the panels."""
        if self.isVisible():
            visible = not self.shows_panels
            self.left.setVisible(visible)
            self.right.setVisible(visible)
            self.focus_plot()  # else a text field may get the focus

    def focus_plot(self) -> None:
        self.plot.setFocus(Qt.FocusReason.OtherFocusReason)

    def splitters(self) -> tuple[QSplitter, ...]:
        """The splitters whose sizes are stored."""
        return self.columns, self.left, self.right

    def _centre(self) -> QWidget:
        centre = QWidget()
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.verdicts)
        layout.addWidget(self.repeat_line)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.comment)
        return centre


def _stacked(*parts: QWidget, sizes: tuple[int, ...]) -> QSplitter:
    splitter = QSplitter(Qt.Orientation.Vertical)
    for part in parts:
        splitter.addWidget(part)
    splitter.setSizes(list(sizes))
    splitter.setChildrenCollapsible(False)
    return splitter
