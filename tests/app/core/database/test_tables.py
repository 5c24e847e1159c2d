"""The tables are the same in SQLite and PostgreSQL."""

import pytest
from sqlalchemy import Column, MetaData, Table, create_engine, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from app.core.database import tables
from app.core.database.tables import CONDITION, candidates, metadata, prepare_for_postgresql
from app.core.errors import SessionError


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


# Whatever a file holds, a column returns values of its type, or says that it is damaged.
KINDS = (
    *("Text", "LongText", "Name", "BigInteger", "Key", "SmallInteger"),
    *("Double", "Boolean", "LargeBinary"),
)
TABLE = Table("t", MetaData(), *(Column(kind, getattr(tables, kind)) for kind in KINDS))
SOUND = {
    "Text": ["", "Hα"], "LongText": ["", "Hα" * 500], "Name": ["x"],
    "BigInteger": [0, -(2**63), 2**63 - 1], "Key": [7], "SmallInteger": [-1],
    "Double": [0.5, -1e308], "Boolean": [0, 1], "LargeBinary": [b"", b"\0\xff"],
}  # fmt: skip
SPOILT = {
    "Text": ["x'00'"], "LongText": ["x'00'", "x''", "x'01789c'"], "Name": ["x'00'"],
    "BigInteger": ["2.5", "1e308", "'x'", "x'00'"], "Key": ["2.5", "1e308", "'x'"],
    "SmallInteger": ["'sure'", "0.5"], "Double": ["9e999", "-9e999", "'east'", "x'00'"],
    "Boolean": ["2", "-1", "'yes'", "0.5"], "LargeBinary": ["'text'", "7"],
}  # fmt: skip


@pytest.fixture
def connection():
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        TABLE.create(connection)
        yield connection
    engine.dispose()


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_its_type(connection, kind):
    for value in [None, *SOUND[kind]]:
        connection.exec_driver_sql("DELETE FROM t")
        connection.exec_driver_sql(f'INSERT INTO t ("{kind}") VALUES (?)', (value,))
        found = connection.execute(select(TABLE.c[kind])).scalar_one()
        assert found == value
        assert type(found) is (bool if kind == "Boolean" and value is not None else type(value))


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_another_type(connection, kind):
    for value in SPOILT[kind]:
        connection.exec_driver_sql("DELETE FROM t")
        connection.exec_driver_sql(f'INSERT INTO t ("{kind}") VALUES ({value})')
        for what in (TABLE.c[kind], func.max(TABLE.c[kind])):
            with pytest.raises(SessionError, match=r"damaged: it has .* where .* belongs"):
                connection.execute(select(what)).all()


def test_a_long_text_is_compressed_in_a_file(connection):
    """SQLite keeps the bytes in its column of texts, where older rows have the text itself."""
    text = "Hα emission " * 100
    for each in (text, "short"):
        connection.execute(insert(TABLE).values(LongText=each))
    rows = connection.execute(select(TABLE.c.LongText, func.typeof(TABLE.c.LongText)))
    assert [tuple(row) for row in rows] == [(text, "blob"), ("short", "text")]


def test_a_server_checks_its_own():
    dialect = postgresql.dialect()
    for column in TABLE.c:
        assert "Checked" not in type(column.type.dialect_impl(dialect)).__name__
    assert 'COLLATE "C"' in str(CreateTable(TABLE).compile(dialect=dialect))
