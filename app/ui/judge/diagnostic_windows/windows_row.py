"""The task's diagnostic windows beside one another, each a small plot that opens it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache, partial
from html import escape
from itertools import zip_longest
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QLineF, QRect, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from agent.errors import ReadError
from agent.evidence.measurements import window_table
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from agent.tasks.task import DiagnosticWindow
from app.core.spectra.prefetch import spectrum_key
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.theme.theme import CurrentTheme, Theme
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.agent.measured_rows import measured_rows, window_text
from app.ui.judge.plot.axes.flux_range import flux_range
from app.ui.judge.plot.canvas.curve import polylines
from app.ui.judge.plot.canvas.paint import dots_per_pixel, hairline
from app.ui.judge.plot.canvas.plot_box import Scale
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
LEFT = Qt.AlignmentFlag.AlignLeft
NOTHING: FloatArray = np.empty(0)
Points = tuple[FloatArray, FloatArray]


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
        self.about: tuple[object, ...] = ()  # what its tip was made of
        self.setProperty(RICH, True)
        self.setText(task_text(window.label))
        self.drawn: Trace | None = None  # of which a part is shown
        self.curves: dict[str, Points] = {}
        """What is drawn, by its colour in the theme: wavelengths, and fluxes as on the axis."""
        self.marks = NOTHING
        self.ranges = 0.0, 1.0, 0.0, 1.0
        self.size_in_dots = 0.0, 1.0
        """Of the plot, as it was painted last."""
        self._ground = QPixmap()
        self._ground_for: tuple[object, ...] = ()

    def mark(self, *, current: bool, covered: bool, looked_at: bool) -> None:
        self.is_current, self.is_covered, self.is_looked_at = current, covered, looked_at
        self.update()

    def show_window(
        self,
        drawn: Trace | None,
        window: Window,
        marks: FloatArray = NOTHING,
        template: Points = (NOTHING, NOTHING),
        from_zero: bool = False,
    ) -> None:
        """Show a part of a spectrum, with vertical lines at the wavelengths `marks`."""
        self.drawn, self.curves, self.marks = drawn, {}, marks
        if drawn is not None:
            part = slice(*drawn.wavelength.searchsorted(window).tolist())
            wavelength = drawn.wavelength[part]
            if drawn.is_smoothed:
                self.curves["error_band"] = wavelength, drawn.on_axis(drawn.raw[part])
            if template[0].size:
                beside = slice(*template[0].searchsorted(window).tolist())
                self.curves["accent"] = template[0][beside], template[1][beside]
            self.curves["flux"] = wavelength, drawn.on_axis(drawn.flux[part])
            self.ranges = *window, *flux_range(drawn, window, from_zero)
        self.update()

    def show_numbers(self, numbers: Sequence[str]) -> None:
        if tuple(numbers) != self.numbers:
            self.numbers = tuple(numbers)
            self.update()

    @property
    def number(self) -> str:
        """What was measured, in as many words as there is room for, and never a part of them."""
        return first_that_fits(self.numbers, self.metrics, self._room.width())

    @property
    def title(self) -> tuple[str, str]:
        """The name, as short as need be, and the key where there is room for both."""
        names, metrics, room = short_names(self.text()), self.metrics, self._room.width()
        for key in dict.fromkeys((self.key, "")):
            left = room - (metrics.horizontalAdvance(key) + PAD if key else 0)
            name = first_that_fits(names, metrics, left)
            if metrics.horizontalAdvance(name) <= left:
                return name, key
        return names[-1], ""

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        is_lit = self.is_current or self.is_looked_at or self.underMouse()
        colour = theme.agent if self.is_looked_at else theme.accent if is_lit else theme.border
        edge = 2.0 if self.is_current or self.is_looked_at else 1.0
        look = theme, colour, edge, self.isDown(), self.is_covered, self.text(), self.key
        asked = *look, self.text_font, self.size(), self.devicePixelRatioF()
        if asked != self._ground_for:
            self._ground, self._ground_for = self._painted_ground(colour, edge), asked
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._ground)
        painter.setFont(self.text_font)
        painter.setPen(QColor(theme.dim))
        below = LEFT | Qt.AlignmentFlag.AlignBottom
        if not self.is_covered:
            wrapped = below | Qt.TextFlag.TextWordWrap  # in large text a cell is narrow
            painter.drawText(self._room, wrapped, self.tr("not covered"))
            return
        painter.drawText(self._room, below, self.number)
        if self.curves:
            self._draw_curves(painter, theme)

    @property
    def _room(self) -> QRect:
        """That of the texts, which are at its upper and lower edge."""
        return self.rect().adjusted(PAD, EDGE_PX, -PAD, -EDGE_PX)

    def _painted_ground(self, colour: str, edge: float) -> QPixmap:
        """What is the same for most objects: the frame, the name and the key."""
        ground = QPixmap(self.size() * self.devicePixelRatioF())
        ground.setDevicePixelRatio(self.devicePixelRatioF())
        ground.fill(Qt.GlobalColor.transparent)
        theme, painter = self._current_theme.theme, self._framed(colour, edge, ground)
        (name, key), room = self.title, self._room
        painter.setPen(QColor(theme.dim))
        painter.drawText(room, Qt.AlignmentFlag.AlignRight, key)
        painter.setPen(QColor(theme.text if self.is_covered else theme.dim))
        name = self.metrics.elidedText(name, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, LEFT, name)
        painter.end()
        return ground

    def _draw_curves(self, painter: QPainter, theme: Theme) -> None:
        line, dots = self._line_px() + EDGE_PX, dots_per_pixel(painter)
        room = self.rect().adjusted(EDGE_PX, line, -EDGE_PX, -line)
        self.size_in_dots = room.width() * dots, max(room.height(), 1) * dots
        scale = Scale(*self.ranges, *self.size_in_dots)
        painter.setClipRect(room)
        painter.translate(room.topLeft())
        painter.scale(1.0 / dots, 1.0 / dots)
        painter.setPen(hairline(painter, theme.border))
        painter.drawLines([QLineF(x, 0.0, x, scale.height) for x in scale.x(self.marks).tolist()])
        for role, points in self.curves.items():
            painter.setPen(hairline(painter, getattr(theme, role)))
            drawn = self.drawn if role == "flux" else None
            for each in polylines(*points, scale) if drawn is None else drawn.polylines(scale):
                painter.drawPolyline(each)


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


SPACING = 4
MEASURE_AFTER_MS = 250  # so that nothing is measured while candidates fly past
MAX_PIXELS = 200_000  # longer spectra are not drawn here
CLEAR_SIGMA = 2.0  # of the width; a line's own significance does not count the continuum's error
Texts = Sequence[tuple[str, ...]]


def measured_texts(spectrum: Spectrum, windows: Sequence[DiagnosticWindow], z: float) -> Texts:
    """What is said of each of these windows, which are in the rest frame."""
    tables = (window_table(spectrum, *each.range, z=z or None) for each in windows)
    return [short_texts(table, each.label) for table, each in zip(tables, windows, strict=True)]


def short_texts(numbers: Mapping[str, Any], title: str) -> tuple[str, ...]:
    """The S/N of a window and its most significant line, and the same in fewer words.

    A width is never without its error and unit, and without a name only where the title begins
    with that name: it would be taken for the width of the line that the title does name.
    """
    lines = [line for line in numbers.get("lines", ()) if _is_clear(line)]
    feature = numbers.get("feature")
    rows = measured_rows({"lines": lines, "feature": feature if _is_clear(feature) else None})
    snr = window_text(numbers).split(" · ")[0]
    if not rows:
        return (snr,)
    best = max(rows, key=lambda row: _sigma(row.sigma))
    width = f"{best.ew} Å" if best.ew else ""
    line = f"{best.name} {width}".rstrip()
    is_named = NEXT_LINE.split(title)[0] == best.name
    texts = f"{snr} · {line}" if snr else "", line, width if is_named else "", best.name, snr
    return tuple(dict.fromkeys(filter(None, texts)))


def _is_clear(line: Mapping[str, Any] | None) -> bool:
    """Whether it is in emission or absorption, with a width of at least twice its error."""
    if not line or not line["kind"]:
        return False
    return bool(abs(line.get("ew", 0.0)) >= CLEAR_SIGMA * line.get("ew_error", 0.0))


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
        self._velocity = context.velocity
        self._measured: WeakKeyDictionary[Spectrum, tuple[float, Texts]] = WeakKeyDictionary()
        """The numbers of spectra that were read ahead, too, each with the redshift they are at."""
        self._work: Future[Texts] | None = None
        self._measure_timer = QTimer(self, singleShot=True, interval=MEASURE_AFTER_MS)
        self._measure_timer.timeout.connect(self._measure)
        context.commands.add("next_window", partial(self._step, 1))
        context.commands.add("previous_window", partial(self._step, -1))
        context.view.window_changed.connect(self._mark)
        context.agent.shown.look_changed.connect(self._follow)
        panel.template.changed.connect(self._draw)  # whenever the trace has changed, too
        keep_current(self._show_keys, context.keymap.changed)
        context.view.changed.connect(self._draw)
        keep_current(self._refresh, context.view.changed, context.current.spectrum_changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw()
        self._refresh()

    def _refresh(self, *_: object) -> None:
        self._show_numbers()
        self._mark()
        self._measure_timer.start()

    def _draw(self, *_: object) -> None:
        """Draw all of them, so that they are painted with the large plot."""
        drawn = self._panel.plot.trace
        if drawn is not None and drawn.wavelength.size > MAX_PIXELS:
            drawn = None
        template, from_zero = self._panel.template.curve, self._view.options.flux_zero
        for cell in self.cells if self.isVisible() else ():
            window = self._view.observed(cell.window_of_task.range)
            cell.show_window(drawn, window, self._panel.marked_in(window), template, from_zero)
            self._panel.traces.window_sizes[cell.window_of_task.range] = cell.size_in_dots

    def _show_numbers(self) -> None:
        spectrum = self._current.spectrum
        z, numbers = self._measured.get(spectrum, (None, None)) if spectrum else (None, None)
        for cell, texts in zip_longest(self.cells, numbers or ()):
            cell.show_numbers(texts if z == self._view.options.z else ())

    def _measure(self) -> None:
        """Measure the spectrum on screen, and after it those that the next keys may show."""
        if not self.isVisible() or (self._work is not None and not self._work.done()):
            return
        for spectrum, z in self._near():
            if self._measured.get(spectrum, (None,))[0] != z:
                work = partial(measured_texts, spectrum, self.windows, z)
                done = partial(self._keep, spectrum, z)
                self._work = self._runner.run(work, done, owner=self)
                return

    def _near(self) -> Iterator[tuple[Spectrum, float]]:
        """The spectra on screen and beside it that are read, each with the redshift it is at."""
        current = self._current
        if current.row is None or current.spectrum is None:
            return
        yield current.spectrum, self._view.options.z
        near = current.repeat_round.neighbours_of(current.row)
        for each in (*near.ahead, *near.before):
            with suppress(ReadError):
                if (spectrum := current.prefetch.peek(spectrum_key(each.candidate))) is not None:
                    yield spectrum, self._velocity.z_of(each)

    def _keep(self, spectrum: Spectrum, z: float, numbers: Texts) -> None:
        self._measured[spectrum] = z, numbers
        if spectrum is self._current.spectrum:
            self._show_numbers()
            self._mark()
        if not self._measure_timer.isActive():
            self._measure()

    def _follow(self, look: Window | None, label: str) -> None:
        self._look = look
        self._mark()

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
        inside = slice(*spectrum.wavelength.searchsorted(self._view.observed(window.range)))
        return bool(spectrum.good[inside].any())

    def _mark(self, *_: object) -> None:
        current, frame = self.current, self._panel.frame.of_rest
        for number, cell in enumerate(self.cells):
            is_covered = self._is_covered(cell.window_of_task)
            is_looked_at = self._is_looked_at(cell.window_of_task)
            cell.mark(current=number == current, covered=is_covered, looked_at=is_looked_at)
            state = self.tr("on screen") if number == current else ""
            state = state if is_covered else self.tr("outside this spectrum")
            window = cell.window_of_task
            if (about := (state, frame, is_covered, cell.numbers[:1])) == cell.about:
                continue  # for most objects nothing else stands there
            cell.about, shown = about, frame.range_text(window.range)
            cell.setAccessibleDescription(state)
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
