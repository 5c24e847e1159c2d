"""How PostgreSQL is reached: passwords that are told to nobody, and addresses that lead nowhere."""

from __future__ import annotations

import logging
import sys
import traceback

import pytest

from app.core.database import postgres
from app.core.database.database import Database
from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.database.postgres import name_of
from tests.app.core.sessions import made
from tests.processes import wait_until

ACCEPT = Opinion(verdict=Verdict.ACCEPT)
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


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://",
        "postgresql://host:port/x",
        "postgresql://a:b@c@host/x",
        "postgres://host/x",
        "://",
        "sqlite:///x",
        "postgresql+nothing://host/x",
    ],
)
def test_urls_that_lead_nowhere(url, monkeypatch):
    monkeypatch.setitem(postgres.CONNECT_DEFAULTS, "connect_timeout", "2")
    monkeypatch.setenv("PGHOST", "/nowhere")
    with pytest.raises(SessionError):
        Database(url, "write")


@pytest.mark.parametrize(
    ("database", "user", "told"),
    [
        ("none", "postgres", "no such database"),
        ("postgres", "nobody_we_know", "refused the login"),
        ("postgres", "postgres:x", "no session yet"),
    ],
)
def test_what_is_wrong_with_a_url_is_told(cluster, database, user, told):
    with pytest.raises(SessionError, match=told):
        open_session(cluster.url(database, user), "Ada")


def test_without_a_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SessionError, match="pip install"):
        Database("postgresql://host/x", "write")


def test_nobody_listens_there(cluster):
    with pytest.raises(SessionError, match="does not answer"):
        Database("postgresql://127.0.0.1:9/x", "write")
