"""Small spectra for the rows on screen, read in the background.

A row asks for its spectrum when it is painted, so only visible rows do; a scroll forgets what was
asked for and not begun. One spectrum is read at a time, to leave threads to the plot.
"""

from collections import OrderedDict
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, Signal
from PySide6.QtGui import QPolygonF

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate, Change
from app.core.session.session import Session
from app.core.spectra.prefetch import SpectrumKey, spectrum_key
from app.ui.base.background.runner import Runner
from app.ui.session.candidate.spectrum_reader import read_spectrum

HELD = 4000  # lines in memory, of some 3 kB each
MAX_WAITING = 100
AT_ONCE = 4  # spectra read in one task
UNREADABLE = "–"
Lines = dict[SpectrumKey, NDArray[np.float64]]
POINTS = 200
LOW, HIGH = 1.0, 99.0
"""Percentiles of the flux at the lower and the upper edge; what is beyond them is cut."""


class Sparklines(QObject):
    arrived = Signal(object)  # the candidate ids whose lines were read

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._held: OrderedDict[SpectrumKey, QPolygonF | None] = OrderedDict()
        """None for a spectrum that cannot be read."""
        self._waiting: dict[SpectrumKey, None] = {}
        self._is_reading = False

    def of(self, candidate: Candidate) -> tuple[QPolygonF | None, str]:
        """The line of a candidate, or a text in its place; it is read if it is not in memory."""
        key = spectrum_key(candidate)
        if key in self._held:
            self._held.move_to_end(key)
            line = self._held[key]
            return line, "" if line is not None else UNREADABLE
        if key not in self._waiting and len(self._waiting) < MAX_WAITING:
            self._waiting[key] = None
            self._read_next()
        return None, "…"

    def forget_waiting(self) -> None:
        """Rows were scrolled out of view; those still visible ask again when they are painted."""
        self._waiting.clear()

    def session_changed(self, change: Change) -> None:
        """Files may be elsewhere now, so that what could not be read is tried again."""
        if change.aspect in ("list", "spectrum"):
            for key in [key for key, line in self._held.items() if line is None]:
                del self._held[key]

    def _read_next(self) -> None:
        if self._is_reading or not self._waiting:
            return
        keys = list(self._waiting)[:AT_ONCE]
        self._is_reading = True
        self._runner.run(partial(_read, self._session, keys), self._take, self._failed, self)

    def _take(self, lines: Lines) -> None:
        self._is_reading = False
        for key, points in lines.items():
            self._waiting.pop(key, None)
            line = [QPointF(x, y) for x, y in points.tolist()]
            self._held[key] = QPolygonF(line) if line else None
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        self.arrived.emit(frozenset(key.candidate_id for key in lines))
        self._read_next()

    def _failed(self, _: WorkbenchError) -> None:
        """The session cannot be read: that is reported where the candidate itself is."""
        self._is_reading = False
        self._waiting.clear()


def _read(session: Session, keys: list[SpectrumKey]) -> Lines:
    return {key: _line(session, key) for key in keys}


def _line(session: Session, key: SpectrumKey) -> NDArray[np.float64]:
    try:
        return sparkline(read_spectrum(session, key))
    except WorkbenchError:
        return np.empty((0, 2))


def sparkline(spectrum: Spectrum, points: int = POINTS) -> NDArray[np.float64]:
    """At most `points` rows of x and y from 0 to 1, upwards, from the means of the good pixels.

    Empty for a spectrum without good pixels.
    """
    good = spectrum.good
    if not good.any():
        return np.empty((0, 2))
    wavelength, flux = spectrum.wavelength[good], spectrum.flux[good]
    first, last = spectrum.wavelength[0], spectrum.wavelength[-1]
    places = np.minimum(((wavelength - first) / (last - first) * points).astype(int), points - 1)
    count = np.bincount(places, minlength=points)
    filled = count > 0
    mean = np.bincount(places, flux, minlength=points)[filled] / count[filled]
    x = (np.flatnonzero(filled) + 0.5) / points
    low, high = np.percentile(mean, (LOW, HIGH))
    y = np.full(len(mean), 0.5) if high <= low else np.clip((mean - low) / (high - low), 0.0, 1.0)
    return np.column_stack([x, y])
