"""Rows of tables that two programs have, as candidates."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from app.core.progress import StoppedError
from app.core.queue import EVERYTHING, LIST_ORDER, parse_filter, parse_sort
from app.ui.candidate.queue_neighbours import Queue
from app.ui.importing.same_lists import lists_of
from app.ui.samp.shared_tables import SharedTable, received_table, written_table

ALL = Queue(tree=EVERYTHING, sort=LIST_ORDER)


def never() -> bool:
    return False


def test_rows_and_candidates():
    table = SharedTable("t", "file:///t", array("q", [7, 0, 9]))
    assert [table.candidate_at(row) for row in (-1, 0, 1, 2, 3, 10**9)] == [None, 7, None, 9] + [
        None
    ] * 2
    assert [table.row_of(number) for number in (7, 9, 8)] == [0, 2, None]


def test_a_table_is_known_by_its_id_else_by_its_address():
    table = SharedTable("t", "file:///t", array("q"))
    assert table.is_named("t", "file:/t") and table.is_named("", "file:///t")
    assert not table.is_named("other", "file:///t") and not table.is_named("", "")


def test_the_list_is_written_as_it_is_filtered_and_ordered(session, tmp_path):
    queue = Queue(tree=EVERYTHING, sort=parse_sort("object"))
    table = written_table(session, queue, tmp_path, "t1", never, is_blind=False)
    assert sorted(table.ids) == list(range(1, 13))
    names = [session.candidate(number).object_id for number in table.ids]
    assert names == sorted(names)
    text = Path(tmp_path / "t1.vot").read_text(encoding="utf-8")
    assert [text.index(f"<TD>{name}</TD>") for name in names] == sorted(
        text.index(f"<TD>{name}</TD>") for name in names
    )
    assert table.url == (tmp_path / "t1.vot").as_uri()


def test_nothing_to_send_and_being_stopped(session, tmp_path):
    nothing = Queue(tree=parse_filter("object:nobody"), sort=LIST_ORDER)
    with pytest.raises(WorkbenchError, match="nothing to send"):
        written_table(session, nothing, tmp_path, "t1", never, is_blind=False)
    with pytest.raises(StoppedError):
        written_table(session, ALL, tmp_path, "t1", lambda: True, is_blind=False)
    assert not list(tmp_path.glob("*.vot"))


def test_a_list_that_was_sent_to_us(session):
    (place,) = lists_of(session)
    assert received_table(session, {}) is None
    assert received_table(session, {Path("/other.vot"): ("t", "u")}) is None
    table = received_table(session, {place: ("t9", "file:///t")})
    assert table is not None and (table.table_id, table.path) == ("t9", None)
    rows = {number: table.row_of(number) for number in range(1, 13)}
    with session.database.reading() as connection:
        lines = dict(connection.exec_driver_sql("SELECT id, line FROM candidates").all())
    assert rows == {number: line - 1 for number, line in lines.items()}
