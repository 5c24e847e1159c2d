"""The spectra compared with the one on screen: other epochs, or any rows of the list; their curves.

They are drawn over the current one, each at the same median, with a legend.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsSceneMouseEvent

from agent.errors import ReadError
from agent.spectra.spectrum import Spectrum, Window
from app.core.importing.role_names import normalized_name
from app.core.queue import QueueRow, neighbours
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.core.spectra.prefetch import Prefetch, spectrum_key
from app.ui.base.theme.theme import Theme, mixed
from app.ui.judge.controls.velocity_control import number_in
from app.ui.judge.plot.axes.flux_range import overlaps
from app.ui.judge.plot.canvas.curve import EMPTY, Curve, visible
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.plot.trace import AskedTrace, Trace, asked_trace, takes_long, trace
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import one_line

MOST = 6
SAME_ARCSEC = 3.0  # rows so close together are taken for one source, even under other names
DAYS = ("date_obs", "obsdate", "obs_date", "date", "night")
MODIFIED_JULIAN = ("mjd", "mjd_obs", "lmjd", "tai")
ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
MJD_ZERO = date(1858, 11, 17)
MJDS = 15_000.0, 90_000.0  # from 1899 to 2105; other numbers are no dates


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """One of the spectra drawn over the current one; `slot` is the number of its colour."""

    candidate: Candidate
    spectrum: Spectrum
    slot: int
    is_shown: bool = True

    @property
    def facts(self) -> tuple[str, ...]:
        """Date, survey and S/N, as far as they are known."""
        snr = self.candidate.snr if self.candidate.snr is not None else self.spectrum.snr
        day = observation_date(self.spectrum.meta, self.candidate.own)
        facts = day, self.spectrum.survey, "" if snr is None else f"S/N {snr:.0f}"
        return tuple(filter(None, facts))


class ComparedSpectra(QObject):
    """At most MOST spectra; they go with the candidate unless they are kept."""

    changed = Signal()

    def __init__(self, context: SessionContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current, self._runner = context.current, context.runner
        self._settings = context.settings
        self.compared: tuple[Compared, ...] = ()
        self.is_kept = False  # whether they stay for the next candidate
        self._clearings = 0  # a result asked for before the latest of them is dropped
        context.commands.add("overlay_epochs", self.overlay_epochs)
        context.commands.ran.connect(self._command_ran)
        context.current.candidate_changed.connect(self._candidate_changed)

    @property
    def shown(self) -> tuple[Compared, ...]:
        return tuple(each for each in self.compared if each.is_shown)

    def overlay_epochs(self) -> None:
        """Overlay the other rows of the list that are this source, or take them away again."""
        candidate = self._current.candidate
        if candidate is None:
            self._current.message.emit(self.tr("No object selected"))
            return
        radius = min(self._settings.settings.neighbour_arcsec, SAME_ARCSEC)
        work = partial(_epochs, self._current.session, self._current.prefetch, candidate, radius)
        self._read_then(work, partial(self._epochs_read, candidate.id))

    def add(self, candidate: Candidate) -> None:
        if candidate.id == self._current.candidate_id:
            self._current.message.emit(self.tr("This is the spectrum on screen"))
        elif len(self.compared) >= MOST and not self._has(candidate.id):
            self._say_full()
        else:
            work = partial(self._current.prefetch.get, spectrum_key(candidate))
            self._read_then(work, lambda spectrum: self._add([(candidate, spectrum)]))

    def compare(self, candidates: Sequence[Candidate]) -> None:
        """Go to the first of these candidates and overlay only the others."""
        first, *others = candidates
        self._current.go_to(first.id)
        if self._current.candidate_id == first.id:
            self.clear()
            work = partial(_readable, self._current.prefetch, others)
            self._read_then(work, partial(self._several_read, first.id, len(others)))

    def remove(self, candidate_id: int) -> None:
        self._set(each for each in self.compared if each.candidate.id != candidate_id)

    def toggle(self, candidate_id: int) -> None:
        self._set(
            replace(each, is_shown=not each.is_shown) if each.candidate.id == candidate_id else each
            for each in self.compared
        )

    def clear(self) -> None:
        self._clearings += 1
        if self.compared:
            self._set(())

    def keep(self, on: bool) -> None:
        self.is_kept = on
        self.changed.emit()

    def _read_then(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Do `work` in the background; drop its result if the overlay was cleared meanwhile."""
        clearings = self._clearings

        def read(found: Any) -> None:
            if clearings == self._clearings:
                done(found)

        self._runner.run(work, read, self._current.report_error, owner=self)

    def _set(self, compared: Iterable[Compared]) -> None:
        self.compared = tuple(compared)
        self.changed.emit()

    def _has(self, candidate_id: int) -> bool:
        return any(each.candidate.id == candidate_id for each in self.compared)

    def _say_full(self) -> None:
        text = self.tr("At most {count} spectra are compared: remove one first")
        self._current.message.emit(text.replace("{count}", str(MOST)))

    def _command_ran(self, name: str) -> None:
        if name == "reset":
            self.clear()

    def _candidate_changed(self, row: QueueRow | None) -> None:
        if not self.is_kept:
            self.clear()
        elif row is not None:
            self.remove(row.candidate.id)

    def _several_read(
        self, candidate_id: int, count: int, found: list[tuple[Candidate, Spectrum]]
    ) -> None:
        if self._current.candidate_id != candidate_id:
            return
        self._add(found)
        if len(found) < count:
            text = self.tr("Not compared, as they cannot be read: {n}")
            self._current.message.emit(text.replace("{n}", str(count - len(found))))

    def _epochs_read(self, candidate_id: int, found: list[tuple[Candidate, Spectrum]]) -> None:
        if self._current.candidate_id != candidate_id:
            return
        new = [each for each in found if not self._has(each[0].id)]
        if not found:
            none = self.tr("No other epoch of this source within {radius} arcsec in this list")
            radius = min(self._settings.settings.neighbour_arcsec, SAME_ARCSEC)
            self._current.message.emit(none.replace("{radius}", f"{radius:g}"))
        elif not new:
            epochs = {candidate.id for candidate, _ in found}
            self._set(each for each in self.compared if each.candidate.id not in epochs)
        else:
            self._add(new)

    def _add(self, found: list[tuple[Candidate, Spectrum]]) -> None:
        compared = list(self.compared)
        for candidate, spectrum in found:
            drawn = {self._current.candidate_id, *(each.candidate.id for each in compared)}
            if candidate.id in drawn:
                continue
            taken = {each.slot for each in compared}
            free = next((slot for slot in range(MOST) if slot not in taken), None)
            if free is None:
                self._say_full()
                break
            compared.append(Compared(candidate=candidate, spectrum=spectrum, slot=free))
        self._set(compared)


def _epochs(
    session: Session, prefetch: Prefetch, candidate: Candidate, radius_arcsec: float
) -> list[tuple[Candidate, Spectrum]]:
    """The other rows of the source that can be read, at most MOST of them, by date."""
    rows = (each.candidate for each in neighbours(session, candidate, radius_arcsec))
    found = _readable(prefetch, rows)
    return sorted(found, key=lambda pair: observation_date(pair[1].meta, pair[0].own))


def _readable(
    prefetch: Prefetch, candidates: Iterable[Candidate]
) -> list[tuple[Candidate, Spectrum]]:
    """The first of these candidates that can be read, at most MOST of them."""
    found: list[tuple[Candidate, Spectrum]] = []
    for candidate in candidates:
        if len(found) < MOST:
            with suppress(ReadError):  # a missing file of another row is told where it is judged
                found.append((candidate, prefetch.get(spectrum_key(candidate))))
    return found


# The date of an observation, from the header of its file or from the list, as an ISO date.
def observation_date(header: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """`2014-02-19`; empty if neither the header nor the list says when it was."""
    for values in (header, own):
        by_name = {normalized_name(name): value for name, value in values.items()}
        for name in DAYS:
            if found := ISO.match(str(by_name.get(name, ""))[:40].strip()):
                return found.group()
        for name in MODIFIED_JULIAN:
            if day := date_of_mjd(by_name.get(name)):
                return day
    return ""


def date_of_mjd(value: object) -> str:
    """The civil date of a modified Julian date; empty for anything else."""
    number = number_in(value)
    if number is None or not MJDS[0] < number < MJDS[1]:
        return ""
    return (MJD_ZERO + timedelta(days=int(number))).isoformat()


PAD, SWATCH_PX, GAP, CROSS_PX = 6.0, 18.0, 6.0, 16.0
MARGIN_PX, TOP_PX = 8.0, 40.0  # from the edges of the plot; the names of lines are above it
MAX_NAME = 26
ALPHA = 225


class Legend(Layer):
    """A click on a line of it hides that spectrum, or takes it away."""

    toggled = Signal(int)  # id of the candidate
    removed = Signal(int)

    depth = 30.0
    compared: Sequence[Compared] = ()

    def __init__(self, *shared: object) -> None:
        super().__init__(*shared)  # type: ignore[arg-type]
        # An item that takes the press gets the click, and pyqtgraph starts no drag.
        self.setAcceptedMouseButtons(Qt.MouseButton.LeftButton)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_compared(self, compared: Sequence[Compared]) -> None:
        self.prepareGeometryChange()
        self.compared = compared
        self.setVisible(bool(compared))
        self.update()

    def boundingRect(self) -> QRectF:
        """Only the box of the legend, so that clicks beside it are the plot's."""
        width = max(map(self._width, self.compared), default=0.0)
        height = len(self.compared) * self._step + 2.0 * PAD if self.compared else 0.0
        right = self.box.rect().width() - MARGIN_PX
        return QRectF(right - width, TOP_PX, width, height)

    def row_rect(self, number: int) -> QRectF:
        frame = self.boundingRect()
        top = frame.top() + PAD + number * self._step
        return QRectF(frame.left() + PAD, top, frame.width() - 2.0 * PAD, self._step)

    def cross_rect(self, number: int) -> QRectF:
        row = self.row_rect(number)
        return QRectF(row.right() - CROSS_PX, row.top(), CROSS_PX, row.height())

    @property
    def _step(self) -> float:
        return self.texts.height + 2.0

    def _width(self, each: Compared) -> float:
        return 2.0 * PAD + SWATCH_PX + GAP + self.texts.width(text_of(each)) + GAP + CROSS_PX

    def draw(self, painter: QPainter) -> None:
        if not self.compared:
            return
        back = QColor(self.theme.plot)
        back.setAlpha(ALPHA)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.theme.border), 1.0))
        painter.setBrush(back)
        painter.drawRoundedRect(self.boundingRect().adjusted(0.5, 0.5, -0.5, -0.5), 4.0, 4.0)
        for number, each in enumerate(self.compared):
            self._paint_row(painter, number, each)

    def _paint_row(self, painter: QPainter, number: int, each: Compared) -> None:
        row, cross = self.row_rect(number), self.cross_rect(number)
        middle = row.center().y()
        colour = getattr(self.theme, f"overlay_{each.slot + 1}")
        ink = self.theme.text if each.is_shown else mixed(self.theme.dim, self.theme.plot, 0.3)
        style = Qt.PenStyle.SolidLine if each.is_shown else Qt.PenStyle.DotLine
        painter.setPen(QPen(QColor(colour), 2.0, style))
        painter.drawLine(QPointF(row.left(), middle), QPointF(row.left() + SWATCH_PX, middle))
        painter.setPen(QColor(ink))
        left = row.left() + SWATCH_PX + GAP
        self.texts.draw(painter, left, middle - 0.5 * self.texts.height, text_of(each))
        painter.setPen(QColor(self.theme.dim))
        self.texts.draw(painter, cross.center().x(), middle - 0.5 * self.texts.height, "×", 0.5)

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        at = event.pos()
        for number, each in enumerate(self.compared):
            if self.row_rect(number).contains(at):
                is_cross = self.cross_rect(number).contains(at)
                (self.removed if is_cross else self.toggled).emit(each.candidate.id)
                return


def text_of(each: Compared) -> str:
    """The facts of a compared spectrum, after its name."""
    return " · ".join((one_line(each.candidate.name, MAX_NAME), *map(one_line, each.facts)))


class OverlayCurves(QObject):
    def __init__(
        self, comparison: ComparedSpectra, panel: SpectrumPanel, context: SessionContext
    ) -> None:
        super().__init__(panel)
        self._comparison, self._panel, self._view = comparison, panel, context.view
        self._runner, self._theme = context.runner, context.current_theme
        self._curves: dict[int, Curve] = {}
        self._traces: dict[int, Trace] = {}
        """Prepared spectra by candidate, as the options ask for them now."""
        self._asked: AskedTrace = asked_trace(context.view.options)
        self.legend: Legend | None = None
        comparison.changed.connect(self._compared_changed)
        context.view.changed.connect(self._options_changed)
        context.view.window_changed.connect(self.draw)
        context.current.spectrum_changed.connect(self.draw)
        panel.drawn_later.connect(self.draw)
        context.current_theme.changed.connect(self._restyle)

    def draw(self, *_: object) -> None:
        """Draw them as the spectrum on screen is drawn now: nothing to do without any."""
        if not self._curves and not self._comparison.compared:
            return
        drawn = {each.slot: each for each in self._comparison.shown}
        for slot in {*self._curves, *drawn}:
            self._draw(slot, drawn.get(slot))
        if self.legend is not None:
            self.legend.show_compared(self._comparison.compared)
        self._panel.plot.viewport().update()

    def _draw(self, slot: int, each: Compared | None) -> None:
        curve, main = self._curves.get(slot), self._panel.plot.trace
        other = None if each is None else self._prepared(each)
        factor = np.nan
        # A file whose unit does not tell what its flux is stays as it is: no curve beside others.
        if main is not None and other is not None and main.quantity == other.quantity:
            factor = same_median(main, other, self._view.window)
        if curve is None and other is None:
            return
        if curve is None:
            curve = self._curves[slot] = self._new_curve(slot)
        if other is None or not np.isfinite(factor):
            curve.show_data(EMPTY, EMPTY)
        else:
            curve.show_data(other.wavelength, other.on_axis(factor * other.flux))

    def _new_curve(self, slot: int) -> Curve:
        plot = self._panel.plot
        role, depth = (
            f"overlay_{slot + 1}",
            3.0 + 0.1 * slot,
        )  # over the spectrum, below the template
        curve = Curve(plot.stage, plot.theme, role=role, depth=depth, width_px=1.0)
        if self.legend is None:
            self.legend = Legend(plot.stage, plot.theme, plot.texts)
            self.legend.toggled.connect(self._comparison.toggle)
            self.legend.removed.connect(self._comparison.remove)
        return curve

    def _prepared(self, each: Compared) -> Trace | None:
        """The trace of a compared spectrum; None while it is being prepared."""
        known = self._traces.get(each.candidate.id)
        if known is None and not takes_long(each.spectrum, *self._asked):
            known = self._traces[each.candidate.id] = trace(each.spectrum, *self._asked)
        if known is not None:
            return known
        work = partial(trace, each.spectrum, *self._asked)
        done = partial(self._prepared_later, each.candidate.id, each.spectrum, self._asked)
        self._runner.run(work, done, owner=self)
        return None

    def _prepared_later(
        self, candidate_id: int, spectrum: Spectrum, asked: AskedTrace, made: Trace
    ) -> None:
        is_there = any(each.spectrum is spectrum for each in self._comparison.compared)
        if is_there and asked == self._asked:
            self._traces[candidate_id] = made
            self.draw()

    def _compared_changed(self) -> None:
        there = {each.candidate.id for each in self._comparison.compared}
        self._traces = {key: made for key, made in self._traces.items() if key in there}
        self.draw()

    def _options_changed(self, _: frozenset[str]) -> None:
        asked = asked_trace(self._view.options)
        if asked != self._asked:
            self._asked = asked
            self._traces.clear()
        self.draw()

    def _restyle(self, theme: Theme) -> None:
        for curve in self._curves.values():
            curve.theme = theme
        if self.legend is not None:
            self.legend.theme = theme
        self._panel.plot.viewport().update()


def same_median(main: Trace, other: Trace, window: Window | None) -> float:
    """The factor that brings a trace to the median of the main one; NaN where they do not meet.

    It is that of the window on screen, of all that they share where one has no flux there.
    """
    shared = max(main.range[0], other.range[0]), min(main.range[1], other.range[1])
    if window is not None and overlaps(window, shared):
        inside = max(window[0], shared[0]), min(window[1], shared[1])
        factor = _ratio_of_medians(main, other, inside)
        if np.isfinite(factor):
            return factor
    return _ratio_of_medians(main, other, shared)


def _ratio_of_medians(main: Trace, other: Trace, window: Window) -> float:
    medians = []
    for each in (main, other):
        flux = each.flux[visible(each.wavelength, *window)]
        flux = flux[np.isfinite(flux)]
        medians.append(float(np.median(flux)) if flux.size else 0.0)
    mine, its = medians
    return mine / its if mine > 0 and its > 0 else np.nan
