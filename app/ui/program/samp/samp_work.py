"""What is sent to other programs, as work for the thread of the connection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.spectra.spectrum import Spectrum
from app.services.samp import sent
from app.services.samp.connection import LOAD_S, Peer, SampConnection
from app.services.samp.library import SampError
from app.services.samp.received import HIGHLIGHT, LOAD_SPECTRUM, LOAD_VOTABLE, POINT, SELECT
from app.ui.program.samp.shared_tables import SharedTable

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
