"""Tables that this window and another program both have, and their rows as candidates."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from app.core.database.tables import candidates, lists
from app.core.errors import SessionError
from app.core.session.known_answers import not_known, without_known
from app.core.session.session import Session
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
