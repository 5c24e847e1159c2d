"""A team's database that an older program has made is upgraded, or refused plainly."""

from __future__ import annotations

import gzip
import re
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import MetaData, create_engine, insert, select

from app.core.database.migrations import VERSION
from app.core.database.tables import metadata
from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.database.make_schema_file import FOLDER
from tests.app.core.database.postgres import name_of
from tests.app.core.sessions import made

OLDER = range(1, VERSION)
COLUMNS = """
    SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = 'public' ORDER BY 1, 2
"""
INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"


def older_database(team_location, tmp_path, version):
    """The kept file of that version, table by table and row by row, on a server."""
    path = tmp_path / "kept.speco3"
    packed = FOLDER / f"schema_{version}.speco3.gz"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    source = create_engine(f"sqlite:///{path}")
    target = create_engine(team_location.replace("postgresql:", "postgresql+psycopg:", 1))
    tables = MetaData()
    tables.reflect(source)
    for table in tables.sorted_tables:
        for column in table.columns:
            today = metadata.tables[table.name].c.get(column.name)
            if today is not None:
                column.type, column.server_default = today.type, today.server_default
        for index in [*table.indexes]:  # SQLite tells no conditions of an index
            table.indexes.remove(index)
    with source.connect() as given, target.begin() as connection:
        tables.create_all(connection)
        for statement in indexes_of(path):
            connection.exec_driver_sql(statement)
        for table in tables.sorted_tables:
            rows = [dict(row) for row in given.execute(select(table)).mappings()]
            if rows:
                connection.execute(insert(table), rows)
            if "id" in table.c:
                highest = max((row["id"] for row in rows), default=0)
                connection.exec_driver_sql(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), {highest + 1})"
                )
    source.dispose()
    target.dispose()


def indexes_of(path):
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        return [sql for (sql,) in connection.execute(query)]


@pytest.mark.parametrize("version", OLDER)
def test_it_is_upgraded_and_work_goes_on(cluster, team_location, tmp_path, version):
    older_database(team_location, tmp_path, version)
    name = name_of(team_location)
    with pytest.raises(SessionError) as refused:
        open_session(team_location, "Ada", read_only=True)
    assert re.fullmatch(
        r"\S+ was written by an older version of this program\. Open it once for writing, which "
        r"upgrades it: spec-o3 postgresql://\S+",
        str(refused.value),
    )
    with open_session(team_location, "Ada") as session:
        assert session.fact("tables") == str(VERSION)
        assert session.redo().candidate_id == 3
        assert session.undo().candidate_id == 3
        session.record_verdict(4, Opinion(verdict=Verdict.UNSURE, subclass=""))
        session.record_verdict(4, Opinion(verdict=Verdict.ACCEPT, subclass="DN"))
        assert session.judgement(4).opinion.subclass == "DN"
    with open_session(team_location, "Eve", read_only=True) as session:
        assert session.count() == 4
    found = cluster.run(COLUMNS, name), dict(cluster.run(INDEXES, name))
    new = cluster.new_database()
    try:
        made(cluster.url(new)).close()
        assert found[0] == cluster.run(COLUMNS, new)
        assert found[1] == dict(cluster.run(INDEXES, new))
    finally:
        cluster.drop(new)


def test_who_may_not_upgrade_it_is_told_who_can(cluster, team_location, tmp_path):
    older_database(team_location, tmp_path, VERSION - 1)
    name = name_of(team_location)
    cluster.run(f"CREATE ROLE guest_{name} LOGIN")
    try:
        cluster.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest_{name}", name)
        with pytest.raises(SessionError, match=r"only the owner of its tables may upgrade it"):
            open_session(cluster.url(name, f"guest_{name}"), "Eve")
    finally:
        cluster.run(f"DROP OWNED BY guest_{name}", name)
        cluster.run(f"DROP ROLE guest_{name}")
