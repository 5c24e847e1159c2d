"""The task's diagnostic windows beside one another, each a small plot that opens it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from agent.evidence.measurements import window_table
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from agent.tasks.task import DiagnosticWindow
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.theme.theme import CurrentTheme, Theme
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.agent.measured_rows import measured_rows, window_text
from app.ui.judge.plot.axes.flux_range import flux_range
from app.ui.judge.plot.canvas.plot_box import PlotBox, prepare_view
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.plot.trace import Trace
from app.ui.session.session_context import SessionContext
from app.ui.widgets.input_filter import RICH
from app.ui.widgets.labels import keep_current, row
from app.ui.widgets.plot_cell import EDGE_PX, PAD, PlotCell
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
        self.numbers: tuple[str, ...] = ()  # what was measured: in full, then in fewer words
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
        line = self._line_px() + EDGE_PX
        self.plot.setGeometry(EDGE_PX, line, self.width() - 2 * EDGE_PX, self.height() - 2 * line)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        is_lit = self.is_current or self.is_looked_at or self.underMouse()
        colour = theme.agent if self.is_looked_at else theme.accent if is_lit else theme.border
        edge = 2.0 if self.is_current or self.is_looked_at else 1.0
        self._draw_texts(self._framed(colour, edge), theme)

    def _draw_texts(self, painter: QPainter, theme: Theme) -> None:
        metrics, line = painter.fontMetrics(), self._line_px()
        top, foot = (self.rect().adjusted(PAD, EDGE_PX, -PAD, -EDGE_PX) for _ in range(2))
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

    def clear(self) -> None:
        for curve in (self.raw, self.flux, self.marks, self.template):
            curve.setData(NOTHING, NOTHING)

    def show_window(
        self, drawn: Trace | None, window: Window, marks: FloatArray, from_zero: bool = False
    ) -> None:
        """Show a part of a spectrum, with vertical lines at the wavelengths `marks`."""
        if drawn is None:
            self.clear()
            return
        inside = slice(*drawn.wavelength.searchsorted(window).tolist())
        raw = inside if drawn.is_smoothed else slice(0)
        wavelength = drawn.wavelength[inside]
        self.raw.setData(drawn.wavelength[raw], drawn.on_axis(drawn.raw[raw]))
        self.flux.setData(wavelength, drawn.on_axis(drawn.flux[inside]))
        bottom, top = flux_range(drawn, window, from_zero)
        self.marks.setData(np.repeat(marks, 2), np.tile([bottom, top], marks.size))
        self.box.show_range(window, (bottom, top))


SPACING = 4
DRAW_AFTER_MS = 30  # so that the large plot is painted first
MEASURE_AFTER_MS = 250  # so that nothing is measured while candidates fly past
MAX_PIXELS = 200_000  # longer spectra are not drawn here
Numbers = Sequence[Mapping[str, Any]]


def measured_windows(spectrum: Spectrum, windows: Sequence[Window], z: float) -> Numbers:
    """Our measurements in each of these windows, which are in the rest frame."""
    return [window_table(spectrum, *window, z=z or None) for window in windows]


def short_texts(numbers: Mapping[str, Any]) -> tuple[str, ...]:
    """The S/N of a window and its most significant line, and the same in fewer words.

    Without the S/N, then without the name, then without the width, as that needs error and unit.
    """
    rows = measured_rows(numbers)
    snr = window_text(numbers).split(" · ")[0]
    if not rows:
        return (snr,)
    best = max(rows, key=lambda row: _sigma(row.sigma))
    width = f"{best.ew} Å" if best.ew else ""
    line = f"{best.name} {width}".rstrip()
    return (f"{snr} · {line}" if snr else line, line, width or snr, snr)


def _sigma(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


class WindowsRow(QWidget):
    """The windows are defined in the rest frame, and shown shifted by the redshift."""

    def __init__(self, context: SessionContext, panel: SpectrumPanel) -> None:
        super().__init__()
        self._view, self._current = context.view, context.current
        self._runner, self._keymap, self._panel = context.runner, context.keymap, panel
        self._look: Window | None = None
        self.windows = context.current.session.task.windows
        self.cells = [WindowCell(each, context.current_theme, self) for each in self.windows]
        layout = row(spacing=SPACING, margins=(2, 0, 2, 2), parent=self)
        for number, cell in enumerate(self.cells):
            layout.addWidget(cell)
            cell.clicked.connect(partial(self.show_window, number))
            if (name := _action(number)) in ACTIONS:
                context.commands.add(name, partial(self.show_window, number))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._draw_timer = QTimer(self, singleShot=True, interval=DRAW_AFTER_MS)
        self._measure_timer = QTimer(self, singleShot=True, interval=MEASURE_AFTER_MS)
        self._next_timer = QTimer(self, singleShot=True, interval=0)
        self._undrawn: list[WindowCell] = []
        self._draw_timer.timeout.connect(self._draw)
        self._next_timer.timeout.connect(self._draw_next)
        self._measure_timer.timeout.connect(self._measure)
        context.commands.add("next_window", partial(self._step, 1))
        context.commands.add("previous_window", partial(self._step, -1))
        context.view.window_changed.connect(self._mark)
        context.current.candidate_changed.connect(self._clear)
        context.agent.shown.look_changed.connect(self._follow)
        panel.template.changed.connect(self._draw_timer.start)
        context.current_theme.changed.connect(self._apply_theme)
        keep_current(self._show_keys, context.keymap.changed)
        keep_current(self._schedule, context.view.changed, context.current.spectrum_changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._schedule()

    def _clear(self, _: object) -> None:
        """What belongs to the object before goes in the turn in which another one comes."""
        self._next_timer.stop()
        self._undrawn = []
        for cell in self.cells:
            cell.plot.clear()
            cell.show_numbers(())

    def _schedule(self, *_: object) -> None:
        self._mark()
        self._draw_timer.start()
        self._measure_timer.start()

    def _draw(self) -> None:
        """Draw one window now, and the others in the next turns of the event loop."""
        if self.isVisible():
            self._undrawn = list(self.cells)
            self._draw_next()

    def _draw_next(self) -> None:
        if not self._undrawn:
            return
        cell = self._undrawn.pop(0)
        drawn = self._panel.plot.trace
        if drawn is not None and drawn.wavelength.size > MAX_PIXELS:
            drawn = None
        window = self._view.observed(cell.window_of_task.range)
        cell.plot.template.setData(*self._panel.template.curve)
        marks, from_zero = self._panel.marked_in(window), self._view.options.flux_zero
        cell.plot.show_window(drawn, window, marks, from_zero)
        if self._undrawn:
            self._next_timer.start()

    def _measure(self) -> None:
        spectrum = self._current.spectrum
        for cell in self.cells:
            cell.show_numbers(())
        if spectrum is None or not self.isVisible():
            return
        windows = [cell.window_of_task.range for cell in self.cells]
        z = self._view.options.z
        work = partial(measured_windows, spectrum, windows, z)
        self._runner.run(work, partial(self._show_numbers, spectrum, z), owner=self)

    def _show_numbers(self, spectrum: Spectrum, z: float, numbers: Numbers) -> None:
        if spectrum is self._current.spectrum and z == self._view.options.z:
            for cell, each in zip(self.cells, numbers, strict=True):
                cell.show_numbers(short_texts(each))
            self._mark()

    def _follow(self, look: Window | None, label: str) -> None:
        self._look = look
        self._mark()

    def _apply_theme(self, _: object) -> None:
        self._draw_timer.start()

    def show_window(self, number: int, *_: object) -> None:
        window = self.windows[number]
        if self._is_covered(window):
            self._view.set_window(self._view.observed(window.range), window.label)
        else:
            message = self.tr("This spectrum does not cover “{window}”")
            self._current.message.emit(message.replace("{window}", task_text(window.label)))

    @property
    def current(self) -> int | None:
        """Index of the window on screen."""
        labels = [window.label for window in self.windows]
        name = self._view.window_name
        return labels.index(name) if self._view.window is not None and name in labels else None

    def _step(self, by: int) -> None:
        """Go to the next window that the spectrum covers, starting over after the last."""
        current = self.current
        at = current if current is not None else (-1 if by > 0 else 0)
        order = [(at + by * step) % len(self.windows) for step in range(1, len(self.windows) + 1)]
        covered = [number for number in order if self._is_covered(self.windows[number])]
        if covered:
            self.show_window(covered[0])
        else:
            text = self.tr("This spectrum covers none of the diagnostic windows")
            self._current.message.emit(text)

    def _is_covered(self, window: DiagnosticWindow) -> bool:
        spectrum = self._current.spectrum
        if spectrum is None:
            return True
        low, high = self._view.observed(window.range)
        return low < spectrum.range[1] and high > spectrum.range[0]

    def _mark(self, *_: object) -> None:
        current = self.current
        for number, cell in enumerate(self.cells):
            is_covered = self._is_covered(cell.window_of_task)
            is_looked_at = self._is_looked_at(cell.window_of_task)
            cell.mark(current=number == current, covered=is_covered, looked_at=is_looked_at)
            state = self.tr("on screen") if number == current else ""
            state = state if is_covered else self.tr("outside this spectrum")
            cell.setAccessibleDescription(state)
            window = cell.window_of_task
            shown = self._panel.frame.of_rest.range_text(window.range)
            label, look = escape(task_text(window.label)), escape(task_text(window.look))
            parts = [f"<b>{label}</b> · {shown}", look]
            if window.mimics:
                title = self.tr("Look-alikes")
                parts.append(f"<i>{escape(title)}</i>: {escape(task_text(window.mimics))}")
            if not is_covered:
                parts.append(escape(self.tr("Not covered by this spectrum.")))
            elif cell.numbers:
                parts.append(escape(cell.numbers[0]))
            cell.setToolTip("".join(f"<p>{part}</p>" for part in parts))

    def _is_looked_at(self, window: DiagnosticWindow) -> bool:
        """Whether the agent looks at most of this window, or at a part of it."""
        if self._look is None:
            return False
        low, high = self._view.observed(window.range)
        shared = min(high, self._look[1]) - max(low, self._look[0])
        return shared > 0.5 * min(high - low, self._look[1] - self._look[0])

    def _show_keys(self) -> None:
        for number, cell in enumerate(self.cells):
            name = _action(number)
            cell.key = self._keymap.label(name) if name in ACTIONS else ""
            cell.setAccessibleName(" ".join((cell.text(), cell.key)).strip())
            cell.update()


def _action(number: int) -> str:
    return f"window_{number + 1}"
