"""The spectra compared with the one on screen: other epochs, or any rows of the list."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from agent.errors import ReadError
from agent.spectra.spectrum import Spectrum
from app.core.importing.role_names import normalized_name
from app.core.queue import QueueRow, neighbours
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.core.spectra.prefetch import Prefetch, spectrum_key
from app.ui.judge.controls.velocity_control import number_in
from app.ui.session.session_context import SessionContext

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
