"""Sends what one session shows to other programs."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from agent.spectra.spectrum import Spectrum
from app.services.samp import sent
from app.services.samp.connection import LOAD_S, Peer, SampConnection
from app.services.samp.library import SampError
from app.services.samp.received import HIGHLIGHT, LOAD_SPECTRUM, LOAD_VOTABLE, POINT, SELECT
from app.ui.program.samp.samp_link import SampLink
from app.ui.program.samp.shared_tables import SharedTable, written_table
from app.ui.session.session_context import SessionContext

FOLLOW_MS = 250  # Leafing through the list does not make other programs jump at every candidate
MAX_NAME = 60


class SampSender(QObject):
    """The files it sends live as long as it does; call `close`."""

    def __init__(self, link: SampLink, context: SessionContext, parent: QObject) -> None:
        super().__init__(parent)
        self._link, self._current = link, context.current
        self._session = context.bridge.session
        self.table: SharedTable | None = None  # what other programs have of this list
        self._followed = 0  # id of the candidate that other programs have highlighted
        self._folder: Path | None = None
        self._timer = QTimer(self, singleShot=True, interval=FOLLOW_MS)
        self._timer.timeout.connect(self._follow)
        self._current.candidate_changed.connect(self._follow_soon)

    def close(self) -> None:
        self._timer.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def note_picked(self, candidate_id: int) -> None:
        """Another program picked this candidate: it is not told so again."""
        self._followed = candidate_id

    def take_table(self, table: SharedTable | None) -> None:
        """This list came from another program, which knows its rows."""
        if table is not None and self.table is None:
            self.table = table

    def send_list(self) -> None:
        self._current.message.emit(self.tr("Sending the list…"))
        work = partial(send_table, self._maker(), self._name)
        self._link.run(work, self._on_sent, self._current.report_error)

    def send_row(self) -> None:
        candidate = self._current.candidate
        if candidate is None:
            self._current.message.emit(self.tr("No object selected"))
            return
        self._followed = candidate.id
        work = partial(send_row, self.table, self._maker(), self._name, candidate.id)
        self._link.run(work, self._on_sent, self._current.report_error)

    def send_selection(self, ids: Sequence[int]) -> None:
        work = partial(send_selection, self.table, self._maker(), self._name, tuple(ids))
        self._link.run(work, self._on_sent, self._current.report_error)

    def send_position(self) -> None:
        candidate = self._current.candidate
        if candidate is None or candidate.ra is None or candidate.dec is None:
            text = self.tr("Neither the list nor the file gives a sky position")
            self._current.message.emit(text)
            return
        work = partial(send_position, candidate.ra, candidate.dec)
        self._link.run(work, self._on_sent, self._current.report_error)

    def send_spectrum(self) -> None:
        spectrum, candidate = self._current.spectrum, self._current.candidate
        if spectrum is None or candidate is None:
            self._current.message.emit(self.tr("There is no spectrum to send"))
            return
        path = self._files() / f"spectrum-{candidate.id}-{uuid.uuid4().hex[:6]}.vot"
        name = (candidate.object_id or path.stem)[:MAX_NAME]
        work = partial(send_spectrum, spectrum, path, name)
        self._link.run(work, self._on_sent, self._current.report_error)

    @property
    def _name(self) -> str:
        return self._session.name[:MAX_NAME]

    def _maker(self) -> MakeTable:
        """Writes the list as it is filtered and ordered now."""
        return partial(
            written_table,
            self._session,
            self._current.queue,
            self._files(),
            f"spec-o3-{uuid.uuid4().hex[:12]}",
            is_blind=self._current.blind_mode.is_on,
        )

    def _files(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="spec-o3-samp-"))
        return self._folder

    def _on_sent(self, sent: Sent) -> None:
        if sent.table is not None:
            self.table = sent.table
        text = self.tr("Sent to {programs}").replace("{programs}", ", ".join(sent.names))
        self._current.message.emit(text)

    def _follow_soon(self, _: object) -> None:
        if self.table is not None and self._link.is_on:
            self._timer.start()

    def _follow(self) -> None:
        candidate, table = self._current.candidate, self.table
        if candidate is not None and table is not None and candidate.id != self._followed:
            self._followed = candidate.id
            self._link.run(partial(follow_row, table, candidate.id))


# What is sent to other programs, as work for the thread of the connection.
MakeTable = Callable[[Callable[[], bool]], SharedTable]  # told whether to stop
Known = SharedTable | None  # what other programs have of the list by now


@dataclass(frozen=True)
class Sent:
    """The names of the programs that took it."""

    names: tuple[str, ...]
    table: SharedTable | None = None


def send_table(make: MakeTable, name: str, connection: SampConnection) -> Sent:
    """Send the list to all programs that take tables. Raises WorkbenchError if none does."""
    connection.connect()
    peers = _takers(connection, LOAD_VOTABLE)
    table = make(connection.should_stop)
    assert table.path is not None
    params = sent.table(table.path, table.table_id, name)
    return Sent(_without_faults(connection.ask(peers, LOAD_VOTABLE, params, LOAD_S)), table)


def send_row(
    table: Known, make: MakeTable, name: str, candidate_id: int, connection: SampConnection
) -> Sent:
    """Highlight the row of a candidate; programs that do not know the table get it first."""
    connection.connect()
    peers = _takers(connection, HIGHLIGHT)
    if table is None or table.row_of(candidate_id) is None:
        table = send_table(make, name, connection).table
    assert table is not None
    row = table.row_of(candidate_id)
    if row is None:
        raise SampError("the filter leaves this candidate out: it is not in the list that was sent")
    params = sent.row(table.table_id, table.url, row)
    faults = connection.ask(peers, HIGHLIGHT, params)
    took, reason = [peer for peer in peers if not faults[peer]], ""
    late = {peer.id for peer in connection.peers(LOAD_VOTABLE)}
    for peer in peers:
        if not faults[peer] or table.path is None or peer.id not in late:
            continue
        # It was started after the list was sent, or is still busy reading it.
        reason = connection.ask_again(peer, HIGHLIGHT, params)
        if reason:
            load = sent.table(table.path, table.table_id, name)
            connection.ask([peer], LOAD_VOTABLE, load, LOAD_S)
            reason = connection.ask_again(peer, HIGHLIGHT, params)
        if not reason:
            took.append(peer)
    if not took:
        raise SampError(f"no program could highlight the row: {reason or _first(faults)}")
    return Sent(_names(took), table)


def follow_row(table: SharedTable, candidate_id: int, connection: SampConnection) -> None:
    """Highlight the row of a candidate that was opened here; whoever cannot says nothing."""
    if (row := table.row_of(candidate_id)) is not None:
        connection.tell(HIGHLIGHT, sent.row(table.table_id, table.url, row))


def send_selection(
    table: Known, make: MakeTable, name: str, ids: Sequence[int], connection: SampConnection
) -> Sent:
    connection.connect()
    peers = _takers(connection, SELECT)
    if table is None:
        table = send_table(make, name, connection).table
    assert table is not None
    by_id = {candidate: row for row, candidate in enumerate(table.ids)}
    rows = [by_id[candidate] for candidate in ids if candidate in by_id]
    if not rows:
        raise SampError("none of these candidates is in the list that was sent: send it again")
    params = sent.rows(table.table_id, table.url, rows)
    faults = {peer: connection.ask_again(peer, SELECT, params) for peer in peers}
    took = [peer for peer, fault in faults.items() if not fault]
    reason = next(filter(None, reversed(faults.values())), "")
    if not took:
        raise SampError(f"no program could select the rows: {reason}")
    return Sent(_names(took), table)


def send_position(ra: float, dec: float, connection: SampConnection) -> Sent:
    connection.connect()
    _takers(connection, POINT)
    return Sent(_names(connection.tell(POINT, sent.position(ra, dec))))


def send_spectrum(spectrum: Spectrum, path: Path, name: str, connection: SampConnection) -> Sent:
    from app.core.exporting.spectrum_file import write_spectrum  # with all formats of tables

    connection.connect()
    peers = _takers(connection, LOAD_SPECTRUM)
    write_spectrum(spectrum, path)
    faults = connection.ask(peers, LOAD_SPECTRUM, sent.spectrum(path, path.stem, name))
    return Sent(_without_faults(faults))


def _takers(connection: SampConnection, mtype: str) -> list[Peer]:
    peers = connection.peers(mtype)
    if not peers:
        raise SampError("no other program that takes this is connected: start it, then try again")
    return peers


def _without_faults(faults: dict[Peer, str]) -> tuple[str, ...]:
    """The names of those that took it. Raises SampError if none did."""
    took = [peer for peer, fault in faults.items() if not fault]
    if not took:
        raise SampError(f"no program took it: {_first(faults)}")
    return _names(took)


def _first(faults: dict[Peer, str]) -> str:
    return next((f"{peer.name}: {fault}" for peer, fault in faults.items() if fault), "")


def _names(peers: Sequence[Peer]) -> tuple[str, ...]:
    return tuple(sorted({peer.name for peer in peers}))
