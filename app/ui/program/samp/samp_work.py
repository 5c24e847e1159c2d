"""The tables that this window shares with other programs, and what is sent to them.

Sending is work for the thread of the connection.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from agent.spectra.spectrum import Spectrum
from app.core.database.tables import candidates, lists
from app.core.errors import SessionError
from app.core.session.known_answers import not_known, without_known
from app.core.session.session import Session
from app.services.samp import sent
from app.services.samp.connection import LOAD_S, Peer, SampConnection
from app.services.samp.library import SampError
from app.services.samp.received import HIGHLIGHT, LOAD_SPECTRUM, LOAD_VOTABLE, POINT, SELECT
from app.ui.session.candidate.queue_neighbours import Queue

MAX_LINES = 20_000_000
NO_CANDIDATE = 0


@dataclass(frozen=True, eq=False)
class SharedTable:
    """`ids` are the candidates by row; `path` is what we sent, None for what was sent to us."""

    table_id: str
    url: str
    ids: array[int]
    path: Path | None = None

    def is_named(self, table_id: str, url: str) -> bool:
        return table_id == self.table_id if table_id and self.table_id else url == self.url

    def candidate_at(self, row: int) -> int | None:
        found = self.ids[row] if 0 <= row < len(self.ids) else NO_CANDIDATE
        return found or None

    def row_of(self, candidate_id: int) -> int | None:
        try:
            return self.ids.index(candidate_id)
        except ValueError:
            return None


def written_table(
    session: Session,
    queue: Queue,
    folder: Path,
    table_id: str,
    should_stop: Callable[[], bool],
    *,
    is_blind: bool,
) -> SharedTable:
    """Write the list as filtered and ordered, without what blind mode hides. Any thread."""
    from app.core.exporting.export import export
    from app.ui.exchange.export.export_work import candidate_ids

    shown = candidate_ids(session, queue)
    with session.database.reading() as connection:
        # As in the file, which leaves out the hidden ones with a known answer.
        ids = array("q", without_known(connection, shown))
    if not ids:
        raise SessionError("no candidate matches the filter: there is nothing to send")
    path = folder / f"{table_id}.vot"
    export(session, path, which=ids, without_agent=is_blind, should_stop=should_stop)
    return SharedTable(table_id, path.as_uri(), ids, path)


def received_table(session: Session, known: Mapping[Path, tuple[str, str]]) -> SharedTable | None:
    """The list of the session that another program sent; `known` are id and URL by our copy."""
    with session.database.reading() as connection:
        for list_id, place in connection.execute(select(lists.c.id, lists.c.path)).all():
            if (names := known.get(Path(str(place)))) is None:
                continue
            query = select(candidates.c.line, candidates.c.id)
            query = query.where(candidates.c.list_id == list_id, not_known(candidates.c.id))
            query = query.order_by(candidates.c.id.desc())
            ids: array[int] = array("q")
            for line, number in connection.execute(query):
                if not 1 <= line <= MAX_LINES:
                    continue
                if line > len(ids):
                    ids.extend([NO_CANDIDATE] * (line - len(ids)))
                ids[line - 1] = number  # of several spectra in a row, the first
            return SharedTable(*names, ids)
    return None


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
