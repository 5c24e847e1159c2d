"""The tables are the same in SQLite and PostgreSQL."""

from __future__ import annotations

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from app.core.database.tables import CONDITION, candidates, metadata, prepare_for_postgresql


def test_partial_indexes_have_the_same_condition_in_both():
    prepare_for_postgresql()
    partial = [
        index
        for table in metadata.tables.values()
        for index in table.indexes
        if CONDITION in index.info
    ]
    assert "candidates_faulty" in {index.name for index in partial}
    for index in partial:
        for dialect in (sqlite.dialect(), postgresql.dialect()):
            sql = str(CreateIndex(index).compile(dialect=dialect))
            assert sql.endswith(f" WHERE {index.info[CONDITION]}")


def test_names_sort_by_bytes_on_a_server_as_they_do_in_a_file():
    table = CreateTable(candidates)
    assert 'object_id TEXT COLLATE "C"' in str(table.compile(dialect=postgresql.dialect()))
    assert "COLLATE" not in str(table.compile(dialect=sqlite.dialect()))
