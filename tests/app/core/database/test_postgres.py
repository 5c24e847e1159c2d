"""A session of a team, in PostgreSQL: many at once, and a server that goes away."""

import gzip
import logging
import re
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from sqlalchemy import MetaData, create_engine, insert, select

from agent.tasks.catalogue import find_task
from app.core.database import postgres
from app.core.database.database import Database
from app.core.database.migrations import VERSION
from app.core.database.tables import metadata
from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from tests.app.cli.commands import fails
from tests.app.core.database.make_schema_file import FOLDER
from tests.app.core.database.postgres import name_of
from tests.app.core.session.kept_lines import held, held_by
from tests.app.core.session.recorder import CANDIDATES, line_of, nursery
from tests.app.core.sessions import ACCEPT, made
from tests.processes import LONG_S, wait_until


@pytest.mark.parametrize("reviewers", [["Ada", "Ben", "Cy"], ["Ada"], ["Ada", "Ben", "Ada"]])
def test_several_programs_at_once(team_location, reviewers):
    """Also of one person, at several computers: nothing lost, nothing twice, undo as by one."""
    made(team_location, CANDIDATES).close()
    with nursery() as children:
        more = {"seed": len(reviewers), "presses": 40, "undo": 0.5}
        children.order("record", team_location, copies=3, reviewers=reviewers, **more)
        said = children.until_over(3)
    assert not [line for line in said if line[0] in ("fault", "refused")]
    told = [(line[1], line[2]) for line in said if line[0] == "kept"]
    with open_session(team_location, "Ada") as session:
        lines = {entry.id: line_of(entry) for entry in session.history()}
        assert sorted(number for number, _ in told) == list(lines)
        assert dict(told) == lines
        assert held_by(lines) == held(session)
        with session.database.reading() as connection:
            numbers = connection.exec_driver_sql("SELECT id FROM reviewers ORDER BY 1").scalars()
            assert list(numbers) == list(range(1, len(set(reviewers)) + 1))


def test_several_people_come_at_once(team_location):
    """Each gets a number of their own, without gaps: a bit is found by it."""
    made(team_location, CANDIDATES).close()
    with nursery() as children:
        names = [f"reviewer {number}" for number in range(12)]
        children.order(
            "record", team_location, copies=12, reviewers=names, seed=1, presses=3, undo=0.0
        )
        said = children.until_over(12)
    assert not [line for line in said if line[0] in ("fault", "refused")]
    with open_session(team_location, "Ada") as session, session.database.reading() as connection:
        found = connection.exec_driver_sql("SELECT id, name FROM reviewers ORDER BY id").all()
    assert [row.id for row in found] == list(range(1, 13))
    assert {row.name for row in found} == set(names)


def test_two_make_it_at_once(team_location):
    def make(name):
        try:
            with new_session(team_location, find_task("CV"), name) as session:
                return session.id
        except SessionError as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(make, ["Ada", "Ben"]))
    with open_session(team_location, "Ada") as session:
        assert session.id in found
    (other,) = set(found) - {session.id}
    assert "holds a session already" in other


def tables_of(cluster, location):
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    return [name for (name,) in cluster.run(query, name_of(location))]


def test_a_refused_one_leaves_nothing(cluster, team_location, tmp_path):
    cluster.run("CREATE TABLE ours (a integer)", name_of(team_location))
    path = tmp_path / "list.csv"
    path.write_text("object_id,file\n" + "".join(f"{n},../{n}.fits\n" for n in range(9)))
    for _ in range(2):
        assert "can be used" in fails("new", team_location, path, "--task", "CV")
        assert tables_of(cluster, team_location) == ["ours"]
    with made(team_location), pytest.raises(SessionError, match="already"):
        new_session(team_location, find_task("CV"), "Ben")
    assert "log" in tables_of(cluster, team_location)


def test_one_that_others_use_by_now_stays(team_location):
    import psycopg

    session = new_session(team_location, find_task("CV"), "Ada")
    with psycopg.connect(team_location, application_name=f"{postgres.PROGRAM}of another"):
        session.database.discard()
    with open_session(team_location, "Ben") as other:
        assert other.count() == 0


def test_the_same_fact_set_at_once(team_location):
    with made(team_location) as ada, open_session(team_location, "Ben") as ben:

        def set_often(session):
            for number in range(20):
                session.set_fact("blind", f"{session.reviewer} {number}")

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(set_often, (ada, ben)))
    with open_session(team_location, "Ada") as session:
        assert session.fact("blind") in ("Ada 19", "Ben 19")


def test_connections_are_lost_between_calls_and_amid_a_verdict(cluster, team_location):
    with made(team_location) as session:
        session.record_verdict(1, ACCEPT)
        cluster.cut_connections(name_of(team_location))
        session.record_verdict(2, ACCEPT)
        cluster.cut_connections(name_of(team_location))
        assert [entry.candidate_id for entry in session.history()] == [1, 2]
        session.record_verdict(1, ACCEPT)
        for block in (session.database.writing, session.database.reading):
            with pytest.raises(SessionError, match="does not answer"), block() as connection:
                connection.exec_driver_sql("SELECT 1")
                cluster.cut_connections(name_of(team_location))
                connection.exec_driver_sql("SELECT 1")
        lost = pytest.raises(SessionError, match="does not answer")
        with lost, session.database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO facts VALUES ('late', 'lost')")
            cluster.cut_connections(name_of(team_location))
        session.record_verdict(2, ACCEPT)
        assert [entry.candidate_id for entry in session.history()] == [1, 2]
        assert session.undo().candidate_id == 2
    with open_session(team_location, "Ada") as session:
        assert session.fact("late") is None


def test_a_server_that_goes_away_and_comes_back(cluster, team_location):
    with made(team_location) as session:
        session.record_verdict(1, ACCEPT)
        name = name_of(team_location)
        cluster.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        cluster.cut_connections(name)
        for use in (session.count, session.undo, lambda: session.record_verdict(2, ACCEPT)):
            with pytest.raises(SessionError, match="not currently accepting connections"):
                use()
        cluster.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        session.record_verdict(2, ACCEPT)
        assert len(list(session.history())) == 2


def test_a_colleague_who_stops_amid_a_verdict(team_location, impatient):
    """Their program holds what ours needs: we are told, and nobody waits for ever."""
    with (
        made(team_location) as here,
        open_session(team_location, "Ada") as there,
        ThreadPoolExecutor(1) as pool,
    ):
        here.record_verdict(1, ACCEPT)
        with there.database.writing() as connection:
            connection.exec_driver_sql("SELECT * FROM reviewers FOR UPDATE")
            writing = pool.submit(here.record_verdict, 2, ACCEPT)
            assert here.judgement(1).opinion == ACCEPT
            with pytest.raises(SessionError, match="another program is writing"):
                writing.result(LONG_S)
        here.record_verdict(2, ACCEPT)


def test_a_newer_or_a_strange_version_is_refused(cluster, team_location):
    made(team_location).close()
    for value, told in (("999", "newer version"), ("x", "another program"), ("", "another")):
        cluster.run(
            f"UPDATE facts SET value = '{value}' WHERE key = 'tables'", name_of(team_location)
        )
        for read_only in (False, True):
            with pytest.raises(SessionError, match=told):
                open_session(team_location, "Ada", read_only=read_only)
    cluster.run("DELETE FROM facts WHERE key = 'tables'", name_of(team_location))
    with pytest.raises(SessionError, match="another program"):
        open_session(team_location, "Ada")


def test_a_database_without_a_session_or_with_tables_of_another_program(team_location, cluster):
    for read_only in (False, True):
        with pytest.raises(SessionError, match="no session yet"):
            open_session(team_location, "Ada", read_only=read_only)
    cluster.run("CREATE TABLE facts (a integer)", name_of(team_location))
    with pytest.raises(SessionError, match="a table or column of the session is missing"):
        open_session(team_location, "Ada")


@contextmanager
def a_guest(cluster, name):
    """The URL of somebody who may only read this database."""
    cluster.run(f"CREATE ROLE guest_{name} LOGIN")
    try:
        cluster.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest_{name}", name)
        yield cluster.url(name, f"guest_{name}")
    finally:
        cluster.run(f"DROP OWNED BY guest_{name}", name)
        cluster.run(f"DROP ROLE guest_{name}")


def test_it_can_be_looked_at_without_a_right_to_write(cluster, team_location):
    made(team_location).close()
    with a_guest(cluster, name_of(team_location)) as location:
        with open_session(location, "Eve", read_only=True) as session:
            assert session.count() == 5
        with open_session(location, "Eve") as session:
            with pytest.raises(SessionError, match="not have permission"):
                session.record_verdict(1, ACCEPT)
            assert session.count() == 5


def test_text_is_kept_whole(cluster):
    name = cluster.new_database("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    try:
        with pytest.raises(SessionError, match=r"LATIN1\. Sessions need UTF8"):
            made(cluster.url(name))
    finally:
        cluster.drop(name)


def test_what_is_committed_is_on_the_disk_of_the_server(cluster, team_location):
    """Even where the database says that it need not be."""
    name = name_of(team_location)
    cluster.run(f"ALTER DATABASE {name} SET synchronous_commit = off")
    cluster.run(f"ALTER DATABASE {name} SET default_transaction_isolation = serializable")
    with made(team_location) as session, session.database.writing() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
        assert connection.exec_driver_sql("SHOW transaction_isolation").scalar() == "read committed"
        assert connection.exec_driver_sql("SHOW lock_timeout").scalar() == "10s"


def test_a_copy_is_the_server_s_own_affair(team_location, tmp_path):
    with made(team_location) as session, pytest.raises(SessionError, match="on a server"):
        session.database.copy_to(tmp_path / "copy.speco3")


# How PostgreSQL is reached: passwords that are told to nobody, and addresses that lead nowhere.
SECRET = "pa:ss/wo?rd"
HIDDEN = "pa%3Ass%2Fwo%3Frd"


def test_a_password_is_told_to_nobody(cluster, team_location, caplog):
    """Not in the place, not in an error or what it came from, not in a log."""
    caplog.set_level(logging.DEBUG)
    name = name_of(team_location)
    cluster.run(f"CREATE ROLE guarded_{name} LOGIN PASSWORD '{SECRET}'")
    url = cluster.url(name, f"guarded_{name}:{HIDDEN}")
    made(team_location).close()
    cluster.run(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO guarded_{name}", name)
    hba = cluster.folder / "data" / "pg_hba.conf"
    before = hba.read_text()
    try:
        hba.write_text(f"local {name} guarded_{name} scram-sha-256\n{before}")
        cluster.run("SELECT pg_reload_conf()")
        wait_for_rule(cluster, name)
        cluster.run(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO guarded_{name}", name)
        with open_session(url, "Ada") as session:
            assert f"guarded_{name}@" in str(session.location)
            session.record_verdict(1, ACCEPT)
            told = [repr(session.location), repr(vars(session)), repr(vars(session.database))]
            cluster.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            cluster.cut_connections(name)
            told.append(error_of(session.count))
        cluster.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        told.append(error_of(open_session, url.replace(HIDDEN, HIDDEN + "x"), "Ada"))
        assert "refused the login" in told[-1]
        told.append(error_of(open_session, f"{url}&password={HIDDEN}y", "Ada"))
        told.append(error_of(open_session, f"{url}&nonsense=1", "Ada"))
        told.append(error_of(open_session, url.replace(name, "none"), "Ada"))
        wrong = [f"postgresql://ada:{SECRET}{more}@host:port/x" for more in ("", "@x", "/y")]
        wrong += [f"postgresql://ada:{HIDDEN}@{SECRET}@host/x", f"mysql://ada:{HIDDEN}@host/x"]
        told += [error_of(open_session, each, "Ada") for each in wrong]
        told.append(caplog.text)
    finally:
        hba.write_text(before)
        cluster.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        cluster.run(f"DROP OWNED BY guarded_{name}", name)
        cluster.run(f"DROP ROLE guarded_{name}")
    for words in told:
        assert SECRET not in words
        assert HIDDEN not in words


def wait_for_rule(cluster, name):
    """The server reads its rules again when it comes to it: then it asks for the password."""
    import psycopg

    def is_asked() -> bool:
        try:
            psycopg.connect(cluster.url(name, f"guarded_{name}")).close()
        except psycopg.OperationalError as error:
            assert "password" in str(error)
            return True
        return False

    wait_until(is_asked)


def error_of(call, *values):
    """All that a log could hold of it: the error, and the errors it came from."""
    with pytest.raises(SessionError) as told:
        call(*values)
    return "".join(traceback.format_exception(told.value))


@pytest.mark.parametrize("url", [
    "postgresql://", "postgresql://host:port/x", "postgresql://a:b@c@host/x",
    "postgres://host/x", "://", "sqlite:///x", "postgresql+nothing://host/x",
])  # fmt: skip
def test_urls_that_lead_nowhere(url, monkeypatch):
    monkeypatch.setitem(postgres.CONNECT_DEFAULTS, "connect_timeout", "2")
    monkeypatch.setenv("PGHOST", "/nowhere")
    with pytest.raises(SessionError):
        Database(url, "write")


@pytest.mark.parametrize(("database", "user", "told"), [
    ("none", "postgres", "no such database"),
    ("postgres", "nobody_we_know", "refused the login"),
    ("postgres", "postgres:x", "no session yet"),
])  # fmt: skip
def test_what_is_wrong_with_a_url_is_told(cluster, database, user, told):
    with pytest.raises(SessionError, match=told):
        open_session(cluster.url(database, user), "Ada")


def test_nobody_listens_there_or_there_is_no_driver(cluster, monkeypatch):
    with pytest.raises(SessionError, match="does not answer"):
        Database("postgresql://127.0.0.1:9/x", "write")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SessionError, match="pip install"):
        Database("postgresql://host/x", "write")


# A team's database that an older program has made is upgraded, or refused plainly.
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
        query = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        for statement in given.exec_driver_sql(query).scalars():
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
    told = pytest.raises(SessionError, match=r"only the owner of its tables may upgrade it")
    with a_guest(cluster, name_of(team_location)) as location, told:
        open_session(location, "Eve")
