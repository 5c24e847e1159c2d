"""The pictures of a contact sheet and of the one that follows, and what is told beside them.

Spectra are read ahead and drawn by other threads; the window's thread only takes what is there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from agent.errors import WorkbenchError
from agent.spectra.lines import builtin_lines
from agent.spectra.spectrum import Spectrum
from app.core.evidence.store import answers_of
from app.core.inspections.seen import SeenResult, seen_of
from app.core.queue import QueueRow
from app.core.session.session import Session
from app.core.spectra.prefetch import Prefetch, SpectrumKey, spectrum_key
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.judge.overview.cell_picture import CellLook, cell_picture, covers
from app.ui.judge.plot.marks import MEASURED, marks, task_ranks
from app.ui.judge.plot.trace import Trace, trace
from app.ui.session.candidate.spectrum_reader import read_spectrum
from app.ui.session.session_context import SessionContext

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
