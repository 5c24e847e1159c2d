"""`spec-o3 log`."""

from __future__ import annotations

from sqlalchemy import update

from app.core.database.tables import candidates
from app.core.session.records import Opinion
from app.core.session.session import open_session
from tests.app.cli.commands import fails, run
from tests.app.core.sessions import made


def test_the_log(vetted, tmp_path):
    place, _ = vetted
    assert "ACCEPT" in run("log", place)
    assert "1 line\n" in run("log", place, "--out", tmp_path / "log.csv")
    with open_session(place, "Ada", read_only=True) as session:
        second, third = (session.candidate(number).object_id for number in (2, 3))
    assert "ACCEPT" in run("log", place, "--object", second)
    assert run("log", place, "--object", third) == ""
    assert "no candidate" in fails("log", place, "--object", "nobody")


def test_the_log_of_an_object(tmp_path):
    """All its epochs; never that of another whose name only begins so."""
    place = tmp_path / "night.speco3"
    with made(place, 12) as session:
        names = {1: "J1", 2: "J1", 3: "J10", 4: "J10b", 5: "Star", 6: "9"}
        with session.database.writing() as connection:
            for number, name in names.items():
                here = candidates.c.id == number
                connection.execute(update(candidates).where(here).values(object_id=name))
        for number in range(1, 13):
            session.record_verdict(number, Opinion(comment=f"of {number}"))

    def commented(words):
        return [line.split('"')[1] for line in run("log", place, "--object", words).splitlines()]

    assert commented("j1") == ["of 1", "of 2"]
    assert commented("J10") == ["of 3"]
    assert commented("Star") == ["of 5"]
    assert commented("Sta") == ["of 5"]
    assert commented("9") == ["of 6"]
    assert commented("7") == ["of 7"]
    assert "could be J000007, J000008" in fails("log", place, "--object", "J00")
    assert "no candidate" in fails("log", place, "--object", "J2")
