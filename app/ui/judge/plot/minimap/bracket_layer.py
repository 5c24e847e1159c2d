"""The windows marked in the overview, each as a bar with its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from agent.spectra.spectrum import Window
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from app.ui.base.theme.theme import Theme
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.canvas.paint import TextCache, blend, hairline
from app.ui.judge.plot.canvas.plot_box import PlotBox

TOP_PX, FOOT_PX = 15.0, 12.0  # room for the task's windows (above) and the agent's (below)
BAR_PX = 10.0
BAR_ALPHA = "#46"

LABEL_LENGTH = 60


@dataclass(frozen=True)
class Bracket:
    """A window marked in the strip, with a short name and a longer one for the tooltip."""

    range: Window
    name: str
    tooltip: str


class BracketLayer(Layer):
    depth = -10

    def __init__(self, box: PlotBox, theme: Theme, texts: TextCache) -> None:
        super().__init__(box, theme, texts)
        self.task_windows: Sequence[Bracket] = ()
        self.agent_windows: Sequence[Bracket] = ()

    @property
    def extra(self) -> float:
        """Height by which the row of the task's windows is higher than for usual text."""
        return max(self.texts.height - TOP_PX, 0.0)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        foot = self.box.scale_now.height - FOOT_PX
        self._draw(painter, self.task_windows, 2.0 + 0.5 * self.extra, self.theme.accent)
        self._draw(painter, self.agent_windows, foot, self.theme.agent)

    def _draw(
        self, painter: QPainter, brackets: Sequence[Bracket], top: float, colour: str
    ) -> None:
        """Draw each window as a bar with its name, unless that would overlap the previous name.

        A bar narrower than its name has no edges, because they would cross the text.
        """
        # #rrggbb or #aarrggbb: its own alpha is put aside. Blended, as opaque is painted faster.
        bar = blend(BAR_ALPHA + colour[-6:], self.theme.plot)
        scale, end = self.box.scale_now, -1e9
        seen: list[tuple[str, float, float]] = []
        for each in sorted(brackets, key=lambda bracket: bracket.range):
            left, right = (min(max(scale.x(edge), 0.0), scale.width) for edge in each.range)
            if right - left >= 1.0:
                seen.append((each.name, left, right))
        for _, left, right in seen:  # all bars first: none covers the name of another
            painter.fillRect(QRectF(left, top, max(right - left, 3.0), BAR_PX), bar)
        for name, left, right in seen:
            middle, width = 0.5 * (left + right), self.texts.width(name)
            is_named = middle - 0.5 * width > end + 2.0
            if right - left > width or not is_named:
                painter.setPen(hairline(painter, colour))
                painter.drawLines([QLineF(x, top, x, top + BAR_PX) for x in (left, right)])
            if is_named:
                painter.setPen(QColor(self.theme.text))
                y = top + 0.5 * (BAR_PX - self.texts.height)
                self.texts.draw(painter, middle, y, name, 0.5)
                end = middle + 0.5 * width


# The windows marked in the overview: the task's, and those the agent looked at.
def task_brackets(task: Task, z: float) -> tuple[Bracket, ...]:
    """The task's diagnostic windows, named by their keys and shifted by the redshift."""
    shift = 1.0 + z
    return tuple(
        Bracket(
            (window.range[0] * shift, window.range[1] * shift),
            window.key,
            f"{window.key}: {task_text(window.label)}",
        )
        for window in task.windows
    )


def agent_brackets(trajectory: Trajectory | None) -> tuple[Bracket, ...]:
    """The windows the agent looked at, numbered in that order."""
    if trajectory is None:
        return ()
    shift = 1.0 + (trajectory.spectrum.z or 0.0)
    return tuple(
        Bracket(
            (step.range[0] * shift, step.range[1] * shift),
            str(number),
            f"{number}: {task_text(' '.join(step.label.split()))[:LABEL_LENGTH]}",
        )
        for number, step in enumerate(trajectory.looks, 1)
        if step.range is not None
    )
