"""A diagnostic window of the task as a button: its name and key, a small plot, and a number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from agent.spectra.spectrum import FloatArray, Window
from agent.tasks.task import DiagnosticWindow
from app.ui.base.theme.theme import CurrentTheme, Theme
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.plot.axes.flux_range import flux_range
from app.ui.judge.plot.canvas.plot_box import PlotBox, prepare_view
from app.ui.judge.plot.trace import Trace
from app.ui.widgets.input_filter import RICH
from app.ui.widgets.plot_cell import PAD, PlotCell
from app.ui.widgets.text_width import first_that_fits

NEXT_LINE = re.compile(r",\s| and | to |、|与|至")  # what stands between the lines of a window
LEAVES_OUT = (
    re.compile(r"^排除 | excluded$|^伴星的 | of the companion$"),
    re.compile(r"(?<=..)(?<!High) (?:\d{4}|(?![IVX]+$)\w{3,}|[\u4e00-\u9fff]{2,}|(?<=II )K)$"),
    re.compile(r"(?<=[\u4e00-\u9fff]{2})(?:线系|系限|线|伴星)$"),
    re.compile(r"^High |^高次"),
)
"""What may go of a name: a wavelength, "lines", the K of "Ca II K", but not its II."""

NOTHING: FloatArray = np.empty(0)


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
        top, foot = (self.rect().adjusted(PAD, 1, -PAD, -1) for _ in range(2))
        top.setHeight(line)
        foot.setTop(foot.bottom() - line)
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


@lru_cache(maxsize=64)
def short_names(label: str) -> tuple[str, ...]:
    """The label, then ever shorter names of its first line."""
    return tuple(dict.fromkeys(_shorter(label)))


def _shorter(label: str) -> Iterator[str]:
    yield label
    for gap in reversed(list(NEXT_LINE.finditer(label))):
        yield label[: gap.start()].rstrip()
    name = NEXT_LINE.split(label)[0].strip()
    while name:
        yield name
        shorter = (each.sub("", name, count=1) for each in LEAVES_OUT)
        name = next((each for each in shorter if each != name), "")


class WindowPlot(pg.GraphicsView):  # type: ignore[misc]
    """Takes no mouse and no focus: its cell does.

    A view box alone: a `PlotWidget` makes four axes and a menu, which all would be hidden.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        prepare_view(self)
        self.box = PlotBox()
        self.setCentralItem(self.box)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(self.Shape.NoFrame)
        self.raw = pg.PlotCurveItem(connect="finite")
        self.marks = pg.PlotCurveItem(connect="pairs")
        self.template = pg.PlotCurveItem(connect="finite")
        self.flux = pg.PlotCurveItem(connect="finite")
        for curve in (self.marks, self.raw, self.template, self.flux):
            self.box.addItem(curve)
        self.apply_theme(theme)

    def apply_theme(self, theme: Theme) -> None:
        self.setBackground(theme.plot)
        curves = self.raw, self.marks, self.template, self.flux
        colours = theme.error_band, theme.border, theme.accent, theme.flux
        for curve, colour in zip(curves, colours, strict=True):
            curve.setPen(pg.mkPen(colour, width=1))

    def show_window(
        self, drawn: Trace | None, window: Window, marks: FloatArray, from_zero: bool = False
    ) -> None:
        """Show a part of a spectrum, with vertical lines at the wavelengths `marks`."""
        if drawn is None:
            for curve in (self.raw, self.flux, self.marks):
                curve.setData(NOTHING, NOTHING)
            return
        inside = slice(*drawn.wavelength.searchsorted(window).tolist())
        raw = inside if drawn.is_smoothed else slice(0)
        wavelength = drawn.wavelength[inside]
        self.raw.setData(drawn.wavelength[raw], drawn.on_axis(drawn.raw[raw]))
        self.flux.setData(wavelength, drawn.on_axis(drawn.flux[inside]))
        bottom, top = flux_range(drawn, window, from_zero)
        self.marks.setData(np.repeat(marks, 2), np.tile([bottom, top], marks.size))
        self.box.show_range(window, (bottom, top))
