"""A diagnostic window of the task as a button: its name and key, a small plot, and a number."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from agent.tasks.task import DiagnosticWindow
from app.ui.theme.theme import CurrentTheme, Theme
from app.ui.translation.data_texts import task_text
from app.ui.widgets.plot_cell import PAD, PlotCell
from app.ui.widgets.text_width import first_that_fits
from app.ui.widgets.tooltips import RICH
from app.ui.windows.short_names import short_names
from app.ui.windows.window_plot import WindowPlot


class WindowCell(PlotCell):
    """Its frame is lit while the window is on screen, and doubled while the agent looks there."""

    def __init__(
        self, window: DiagnosticWindow, current_theme: CurrentTheme, parent: QWidget
    ) -> None:
        super().__init__(current_theme, parent)
        self.window_of_task = window
        self.key = ""
        self.numbers: tuple[str, ...] = ()
        """What was measured: in full, then in fewer words."""
        self.is_current = self.is_looked_at = False
        self.is_covered = True
        self.setProperty(RICH, True)
        self.setText(task_text(window.label))
        self.plot = WindowPlot(current_theme.theme, self)

    def mark(self, *, current: bool, covered: bool, looked_at: bool) -> None:
        self.is_current, self.is_covered, self.is_looked_at = current, covered, looked_at
        self.plot.setVisible(covered)
        self.update()

    def show_numbers(self, numbers: Sequence[str]) -> None:
        if tuple(numbers) != self.numbers:
            self.numbers = tuple(numbers)
            self.update()

    @property
    def number(self) -> str:
        """What was measured, in as many words as there is room for, and never a part of them."""
        return first_that_fits(self.numbers, QFontMetrics(self.text_font), self.width() - 2 * PAD)

    @property
    def title(self) -> tuple[str, str]:
        """The name, as short as need be, and the key where there is room for both."""
        names, metrics = short_names(self.text()), QFontMetrics(self.text_font)
        room = self.width() - 2 * PAD
        for key in dict.fromkeys((self.key, "")):
            left = room - (metrics.horizontalAdvance(key) + PAD if key else 0)
            name = first_that_fits(names, metrics, left)
            if metrics.horizontalAdvance(name) <= left:
                return name, key
        return names[-1], ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        line = self._line_px()
        self.plot.setGeometry(3, line + 3, self.width() - 6, self.height() - 2 * line - 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        is_lit = self.is_current or self.is_looked_at or self.underMouse()
        colour = theme.agent if self.is_looked_at else theme.accent if is_lit else theme.border
        edge = 2.0 if self.is_current or self.is_looked_at else 1.0
        self._draw_texts(self._framed(colour, edge), theme)

    def _draw_texts(self, painter: QPainter, theme: Theme) -> None:
        metrics, line = painter.fontMetrics(), self._line_px()
        room = self.rect().adjusted(PAD, 1, -PAD, -1)
        top, foot = room.adjusted(0, 0, 0, 0), room.adjusted(0, 0, 0, 0)
        top.setHeight(line)
        foot.setTop(room.bottom() - line)
        name, key = self.title
        painter.setPen(QColor(theme.dim))
        painter.drawText(top, _side(Qt.AlignmentFlag.AlignRight), key)
        painter.setPen(QColor(theme.text if self.is_covered else theme.dim))
        name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, top.width())
        painter.drawText(top, _side(Qt.AlignmentFlag.AlignLeft), name)
        painter.setPen(QColor(theme.dim))
        text = self.number if self.is_covered else self.tr("not covered")
        painter.drawText(foot, _side(Qt.AlignmentFlag.AlignLeft), text)

    def _restyle(self, theme: Theme) -> None:
        self.plot.apply_theme(theme)
        super()._restyle(theme)


def _side(side: Qt.AlignmentFlag) -> Qt.AlignmentFlag:
    return side | Qt.AlignmentFlag.AlignVCenter
