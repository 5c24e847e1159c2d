"""Every session that a released program has written is read by today's, and written by it."""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import BigInteger, Column, MetaData, Text

from app.core.database import migrations, schema_check
from app.core.database.migrations import VERSION
from app.core.database.tables import metadata
from app.core.errors import SessionError
from app.core.session.session import open_session
from tests.app.core.database import make_schema_file
from tests.app.core.database.make_schema_file import FOLDER, make, read
from tests.app.core.sessions import UNSURE, made

KEPT = sorted(FOLDER.glob("schema_*.speco3.gz"))


@pytest.fixture(params=["today", *(path.name for path in KEPT)])
def kept(request, file_location):
    """A session as it was written once, and what it read as then."""
    if request.param == "today":
        return file_location, make(file_location)
    file_location.write_bytes(gzip.decompress((FOLDER / request.param).read_bytes()))
    words = (FOLDER / request.param.replace(".speco3.gz", ".json")).read_text(encoding="utf-8")
    return file_location, json.loads(words)


def test_it_reads_as_it_did_has_todays_tables_and_work_goes_on_in_it(kept, tmp_path):
    location, read_as = kept
    with open_session(location, "Ada") as session:
        assert without_news(read(session), read_as) == read_as
        with session.database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA user_version").scalar() == VERSION
            assert connection.exec_driver_sql("PRAGMA integrity_check").all() == [("ok",)]
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
        assert session.fact("tables") == str(VERSION)
        assert session.redo().candidate_id == 3
        assert session.undo().candidate_id == 3
        session.record_verdict(4, UNSURE)
    with open_session(location, "Ada", read_only=True) as session:
        history = read(session)["history"]
        assert without_news(history[:-3], read_as["history"]) == read_as["history"]
    location, _ = kept
    open_session(location, "Ada").close()
    made(tmp_path / "new.speco3").close()
    assert schema(location) == schema(tmp_path / "new.speco3")


def test_a_step_that_fails_changes_nothing(file_location, monkeypatch):
    made(file_location).close()
    before = schema(file_location)

    def fail(connection):
        connection.exec_driver_sql("ALTER TABLE lists ADD COLUMN more TEXT")
        connection.exec_driver_sql("ALTER TABLE lists ADD COLUMN more TEXT")

    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, fail))
    for module in ("migrations", "database"):
        monkeypatch.setattr(f"app.core.database.{module}.VERSION", VERSION + 1)
    with pytest.raises(SessionError, match="duplicate column"):
        open_session(file_location, "Ada")
    with pytest.raises(SessionError, match="older version"):
        open_session(file_location, "Ada", read_only=True)
    monkeypatch.undo()
    assert schema(file_location) == before
    open_session(file_location, "Ada").close()


def test_steps_are_made_in_order_from_where_it_is(location, monkeypatch):
    """With two steps to come, of a file and of a server."""
    made(location).close()
    steps = [adding("first", "TEXT"), adding("second", "BIGINT")]
    tables = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(tables)
    for count in (1, 2):
        news = [Column("first", Text), Column("second", BigInteger)][count - 1]
        tables.tables["lists"].append_column(news)
        monkeypatch.setattr(schema_check, "metadata", tables)
        schema_check._own_definitions.cache_clear()
        monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, steps[count - 1]))
        for module in ("migrations", "database"):
            monkeypatch.setattr(f"app.core.database.{module}.VERSION", VERSION + count)
        with open_session(location, "Ada") as session, session.database.reading() as connection:
            names = connection.exec_driver_sql("SELECT * FROM lists").keys()
            assert list(names)[-count:] == ["first", "second"][:count]
            assert session.fact("tables") == str(VERSION + count)
    monkeypatch.undo()
    with pytest.raises(SessionError, match="newer version"):
        open_session(location, "Ada")


def adding(name, kind):
    def step(connection):
        connection.exec_driver_sql(f"ALTER TABLE lists ADD COLUMN {name} {kind}")

    return step


def test_a_kept_file_is_never_written_again(tmp_path, monkeypatch):
    monkeypatch.setattr(make_schema_file, "FOLDER", tmp_path / "schemas")
    make_schema_file.main()
    names = sorted(path.name for path in (tmp_path / "schemas").iterdir())
    assert names == [f"schema_{VERSION}.json", f"schema_{VERSION}.speco3.gz"]
    assert (tmp_path / "schemas" / names[1]).stat().st_size < 20_000
    with pytest.raises(SystemExit, match="never changes"):
        make_schema_file.main()


def test_every_released_version_is_kept():
    numbers = [int(path.name.split("_")[1].split(".")[0]) for path in KEPT]
    assert set(numbers) >= set(range(1, VERSION))


def test_what_members_of_a_panel_said_is_told_of_older_sessions_too(file_location):
    kept = gzip.decompress((FOLDER / "schema_5.speco3.gz").read_bytes())
    file_location.write_bytes(kept)
    pairs = [("NO", "YES"), ("YES", "YES"), (None, "YES")]
    with closing(sqlite3.connect(file_location)) as connection, connection:
        connection.execute("DELETE FROM inspections")
        connection.execute("CREATE INDEX queue_uncertain_down ON candidates ((id), id)")
        for number, (eye, own) in enumerate(pairs, start=1):
            said = [("old", "YES", 1), ("nano-eye", eye, 3), ("measured", own, 3)]
            said += [("panel", "YES", 4), ("spec-o3-7b", "NO", 5)]
            connection.executemany(
                "INSERT INTO inspections (candidate_id, model, model_sha256, at, verdict,"
                " stopped_by, well_formed, record) VALUES (?, ?, 'a', ?, ?, 'answer', 1, '{}')",
                [(number, model, f"2026-11-0{day}", verdict) for model, verdict, day in said],
            )
        connection.execute("UPDATE candidates SET agents_differ = 1, agent_model = 'panel'")
    with open_session(file_location, "Ada") as session:
        members = [session.candidate(number).agent_members for number in (1, 2, 3, 4)]
        assert members == ["nano-eye NO, measured YES", "", "", ""]
    with closing(sqlite3.connect(file_location)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    assert "queue_uncertain_down" not in names and "candidates_opposed" in names


def schema(location: Path):
    """Tables with their columns, kinds and keys; how they came to be does not matter."""
    columns = 'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) ORDER BY name'
    links = 'SELECT "from", "table", "to" FROM pragma_foreign_key_list(?) ORDER BY 1'
    indexes = """
        SELECT l.name, l."unique", group_concat(i.name)
        FROM pragma_index_list(?) l, pragma_index_info(l.name) i GROUP BY 1 ORDER BY 1
    """
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    with closing(sqlite3.connect(location)) as connection:
        return {
            name: [
                connection.execute(query, (name,)).fetchall() for query in (columns, links, indexes)
            ]
            for (name,) in connection.execute(tables).fetchall()
        }


def without_news(found, wanted):
    """What later versions have added to a record is not compared."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return {key: without_news(found[key], wanted[key]) for key in wanted if key in found}
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [without_news(*pair) for pair in zip(found, wanted, strict=True)]
    return found
