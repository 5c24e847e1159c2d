"""The pictures of a contact sheet and of the one that follows, and what is told beside them.

Spectra are read ahead and drawn by other threads; the window's thread only takes what is there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from agent.errors import WorkbenchError
from agent.spectra.lines import builtin_lines
from agent.spectra.spectrum import Spectrum, Window
from app.core.evidence.store import answers_of
from app.core.inspections.seen import SeenResult, seen_of
from app.core.queue import QueueRow
from app.core.session.session import Session
from app.core.spectra.prefetch import Prefetch, SpectrumKey, spectrum_key
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.theme.theme import Theme, mixed
from app.ui.judge.plot.axes.flux_range import flux_range
from app.ui.judge.plot.canvas.axes import tick_texts, ticks
from app.ui.judge.plot.canvas.curve import (
    LIMIT_PX,
    OWN_WIDTH,
    is_dense,
    pieces,
    thin,
    visible,
    widened,
)
from app.ui.judge.plot.canvas.paint import dot_pen
from app.ui.judge.plot.canvas.plot_box import Scale
from app.ui.judge.plot.marks import MEASURED, Mark, marks, task_ranks
from app.ui.judge.plot.trace import Trace, trace
from app.ui.session.candidate.spectrum_reader import read_spectrum
from app.ui.session.session_context import SessionContext

CURVE_PX = 1.0
TICK_PX, TICKS_APART_PX = 3.0, 46.0
MORE_TICKS = 4
EDGE_PX = 2.0  # below the numbers, for the colour of a verdict
LINE_SHARE, BAND_SHARE = 0.3, 0.14  # of their colour in what marks lines and bands


@dataclass(frozen=True)
class CellLook:
    """What all pictures of a sheet have in common; lengths are in dots of the screen."""

    theme: Theme
    width: int
    height: int
    top: int  # left free for what is written above the spectrum
    dots: float  # per pixel
    font: str  # as QFont writes itself
    window: Window | None  # at rest; None: the whole spectrum
    unit: str
    medium: str
    is_rest: bool


def cell_picture(
    drawn: Trace, look: CellLook, marks: Sequence[Mark], frame: WavelengthFrame, z: float
) -> QImage:
    """The curve down to its last pixel over the class's lines, with round wavelengths below.

    `marks` are in the observed frame, as is the spectrum.
    """
    theme, dots = look.theme, look.dots
    image = QImage(look.width, look.height, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.plot))
    painter = QPainter(image)
    font = QFont()
    font.fromString(look.font)
    painter.setFont(font)
    text_height = QFontMetricsF(font).height()
    bottom = look.height - text_height - (TICK_PX + EDGE_PX) * dots
    room = QRectF(0.0, look.top, look.width, bottom - look.top)
    window = look.window and (look.window[0] * (1.0 + z), look.window[1] * (1.0 + z))
    lo, hi = window or drawn.range
    if lo < hi and room.height() > 0.0:
        low, high = flux_range(drawn, (lo, hi))
        scale = Scale(lo, hi, low, high, room.width(), room.height())
        _draw_marks(painter, look, marks, scale, room)
        _draw_wavelengths(painter, look, frame, scale, bottom)
        painter.setClipRect(room)
        painter.translate(0.0, look.top)
        _draw_curve(painter, look, drawn, scale)
    painter.end()
    return image


def _draw_marks(
    painter: QPainter, look: CellLook, marks: Sequence[Mark], scale: Scale, room: QRectF
) -> None:
    theme = look.theme
    for mark in (each for each in marks if each.extent is not None):
        left, right = (scale.x(max(min(each, scale.hi), scale.lo)) for each in mark.extent or ())
        shade = QColor(mixed(theme.plot, theme.band, BAND_SHARE))
        painter.fillRect(QRectF(left, room.top(), right - left, room.height()), shade)
    for mark in marks:
        if scale.lo <= mark.wavelength <= scale.hi:
            colour = mixed(theme.plot, theme.band if mark.is_band else theme.line, LINE_SHARE)
            place = QRectF(round(scale.x(mark.wavelength)), room.top(), 0.0, room.height())
            painter.fillRect(place.adjusted(0.0, 0.0, _hairline(look), 0.0), QColor(colour))


def _draw_wavelengths(
    painter: QPainter, look: CellLook, frame: WavelengthFrame, scale: Scale, bottom: float
) -> None:
    metrics, theme = QFontMetricsF(painter.font()), look.theme
    painter.fillRect(QRectF(0.0, bottom, scale.width, _hairline(look)), QColor(theme.border))
    ends = frame.shown(scale.lo), frame.shown(scale.hi)
    most = max(int(scale.width / (TICKS_APART_PX * look.dots)), 2)
    tried = (ticks(*ends, each) for each in range(most, most + MORE_TICKS))
    values = next((each for each in tried if len(each) > 1), ())  # one alone says no scale
    painter.setPen(QColor(theme.dim))
    free_from, lowest = 0.0, look.height - EDGE_PX * look.dots - metrics.descent()
    for value, text in zip(values, tick_texts(values), strict=True):
        x, width = scale.x(frame.observed(value)), metrics.horizontalAdvance(text)
        tick = QRectF(round(x), bottom, _hairline(look), TICK_PX * look.dots)
        painter.fillRect(tick, QColor(theme.axis))
        apart = 3.0 * look.dots  # from the edge
        left = min(max(x - 0.5 * width, apart), scale.width - width - apart)
        if left >= free_from:
            painter.drawText(QPointF(left, lowest), text)
            free_from = left + width + 4.0 * look.dots


def _draw_curve(painter: QPainter, look: CellLook, drawn: Trace, scale: Scale) -> None:
    """Of many pixels in a column of dots the lowest and the highest are drawn, and joined."""
    inside = visible(drawn.wavelength, scale.lo, scale.hi)
    x, y = scale.x(drawn.wavelength[inside]), scale.y(drawn.on_axis(drawn.flux[inside]))
    dense, width = is_dense(x, scale.width), CURVE_PX * look.dots
    x, y = thin(x, y, scale.width)
    if dense and width > 1.0:  # Qt draws lines wider than a dot a hundred times slower
        y = widened(y, 0.5 * (width - OWN_WIDTH))
    painter.setPen(dot_pen(look.theme.flux, 1.0 if dense else width))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not dense)
    y = y.clip(-LIMIT_PX, LIMIT_PX)
    for part in pieces(y):
        if part.stop - part.start > 1:
            painter.drawPolyline(pg.functions.arrayToQPolygonF(x[part], y[part]))
        else:
            painter.drawPoint(QPointF(x[part.start], y[part.start]))


def _hairline(look: CellLook) -> float:
    return float(max(round(look.dots), 1))


def covers(drawn: Trace, look: CellLook, z: float) -> bool:
    """Whether the spectrum reaches into the window."""
    window, (first, last) = look.window, drawn.range
    return window is None or (window[0] * (1.0 + z) < last and first < window[1] * (1.0 + z))


HELD = 240  # pictures in memory: four sheets of the most cells, some 50 MB on a large screen
HELD_NOTES = 5000
AT_ONCE = 6  # cells drawn in one task, so that other work finds a thread soon
TASKS = 2  # at a time, of the three threads of the runner
SIMBAD = "simbad"
NOT_COVERED = ""

CellKey = tuple[SpectrumKey, float, CellLook]
Picture = QImage | str
"""In place of a picture why the spectrum cannot be read, or NOT_COVERED."""


class Note(NamedTuple):
    """What else is told of a candidate, and with what words the log says so."""

    seen: SeenResult | None
    people_differ: bool
    simbad_class: str
    simbad_shown: str


Drawn = tuple[dict[CellKey, Picture], dict[int, Note]]


class CellPictures(QObject):
    """Close it before the session."""

    arrived = Signal(object)  # the ids of candidates whose cells look different now

    def __init__(self, context: SessionContext, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._runner = context.bridge.session, context.runner
        self._velocity, self._current = context.velocity, context.current
        self._drawer = _Drawer(self._session)
        self._held: OrderedDict[CellKey, Picture] = OrderedDict()
        self.notes: dict[int, Note] = {}
        self._wanted: list[QueueRow] = []
        self._look: CellLook | None = None
        self._in_work: set[int] = set()  # candidates that are being drawn
        self._tasks = 0
        self._is_read_ahead = False

    def show(self, look: CellLook, rows: Sequence[QueueRow]) -> None:
        """Draw these, the first ones first, in place of what was asked for before."""
        self._look, self._is_read_ahead = look, False
        self._wanted = [row for row in rows if self._is_missing(row)]
        while self._tasks < TASKS and self._draw_next():
            pass

    def of(self, row: QueueRow) -> Picture | None:
        """The picture; None if it is not drawn yet."""
        if self._look is None:
            return None
        key = self._key(row)
        if (found := self._held.get(key)) is not None:
            self._held.move_to_end(key)
        return found

    def forget(self, candidate_ids: Iterable[int]) -> None:
        """What is told of these may be different now; none: that of all."""
        for number in [*candidate_ids] or list(self.notes):
            self.notes.pop(number, None)

    def retry(self) -> None:
        """Files may be elsewhere now, so that what could not be read is tried again."""
        for key in [key for key, each in self._held.items() if isinstance(each, str)]:
            del self._held[key]

    def close(self) -> None:
        self._wanted = []
        self._drawer.prefetch.close()

    def _key(self, row: QueueRow) -> CellKey:
        assert self._look is not None
        return spectrum_key(row.candidate), self._velocity.z_of(row), self._look

    def _is_missing(self, row: QueueRow) -> bool:
        return self._key(row) not in self._held or row.candidate.id not in self.notes

    def _draw_next(self) -> bool:
        free = [row for row in self._wanted if row.candidate.id not in self._in_work][:AT_ONCE]
        if not free:
            return False
        keys = [self._key(row) for row in free]
        ahead: list[SpectrumKey] = []
        if not self._is_read_ahead:
            self._is_read_ahead = True
            ahead = [spectrum_key(row.candidate) for row in self._wanted]
        ids = [row.candidate.id for row in free]
        missing = [key for key in keys if key not in self._held]
        untold = [number for number in ids if number not in self.notes]
        work = partial(self._drawer.draw, missing, untold, ahead)
        self._in_work.update(ids)
        self._tasks += 1
        done, failed = partial(self._take, ids), partial(self._failed, ids)
        self._runner.run(work, done, failed, owner=self)
        return True

    def _take(self, ids: Sequence[int], found: Drawn) -> None:
        pictures, notes = found
        self._held |= pictures
        self.notes |= notes
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        while len(self.notes) > HELD_NOTES:
            del self.notes[next(iter(self.notes))]
        self._end(ids)
        self._wanted = [row for row in self._wanted if self._is_missing(row)]
        self.arrived.emit(frozenset(ids))
        self._draw_next()

    def _failed(self, ids: Sequence[int], error: WorkbenchError) -> None:
        self._end(ids)
        self._wanted = []
        self._current.report_error(error)

    def _end(self, ids: Sequence[int]) -> None:
        self._tasks -= 1
        self._in_work.difference_update(ids)


class _Drawer:
    """What the threads at work share."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.prefetch = Prefetch(partial(read_spectrum, session), ahead=HELD // 2, behind=0)
        self.prefetch.prepare = self._prepare
        self._traces: WeakKeyDictionary[Spectrum, Trace] = WeakKeyDictionary()
        self._ranks = task_ranks(session.task, builtin_lines())

    def draw(
        self, keys: Sequence[CellKey], ids: Sequence[int], ahead: Sequence[SpectrumKey]
    ) -> Drawn:
        if ahead:
            self.prefetch.read_ahead(ahead[0], ahead[1:])
        return {key: self._picture(*key) for key in keys}, notes_of(self._session, ids)

    def _prepare(self, spectrum: Spectrum) -> None:
        self._traces[spectrum] = trace(spectrum)

    def _picture(self, key: SpectrumKey, z: float, look: CellLook) -> Picture:
        try:
            spectrum = self.prefetch.get(key)
        except WorkbenchError as error:
            return str(error) or type(error).__name__
        drawn = self._traces.get(spectrum) or trace(spectrum)
        if not covers(drawn, look, z):
            return NOT_COVERED
        in_file = spectrum.medium_in_file if look.medium == "file" else look.medium
        frame = WavelengthFrame(unit=look.unit, is_air=in_file == "air", is_rest=look.is_rest, z=z)
        every = marks(builtin_lines(), self._session.task.lines, self._ranks, z, self._ranks)
        own = [each for each in every if each.rank < MEASURED]
        return cell_picture(drawn, look, own, frame, z)


def notes_of(session: Session, ids: Sequence[int]) -> dict[int, Note]:
    """Any thread."""
    seen, answers = seen_of(session, ids), answers_of(session, ids)
    found = {}
    for number in ids:
        said = {each.opinion.verdict for each in session.judgements(number)} - {None}
        simbad = answers.get(number, {}).get(SIMBAD)
        nearest = None if simbad is None else simbad.answer.nearest
        kind = "" if nearest is None else str(nearest.values.get("type") or "")
        shown = (simbad.shown or "-") if simbad is not None and kind else ""
        found[number] = Note(seen.get(number), len(said) > 1, kind, shown)
    return found
