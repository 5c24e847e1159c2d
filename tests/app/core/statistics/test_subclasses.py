"""Numbers of sub-classes, and kappa by level."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from sqlalchemy import insert

from app.core.database.tables import known_answers
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.session.together import write_act
from app.core.statistics.subclasses import subclass_statistics
from app.core.statistics.summary import statistics
from tests.app.core.sessions import made

ADA = ("DN/WZ Sge", "DN/DN outburst", "DN", "NL", "NL/SW Sex", "polar", "")
BEN = ("DN/WZ Sge", "DN/WZ Sge", "DN", "DN", "NL/SW Sex", "", "IP")


@pytest.fixture
def session(location):
    for name, given in (("Ben", BEN), ("Ada", ADA)):
        opened = made(location, 8, name) if name == "Ben" else open_session(location, name)
        with opened:
            for number, path in enumerate(given, 1):
                opened.record_verdict(number, Opinion(verdict=Verdict.ACCEPT, subclass=path))
    with open_session(location, "Ada") as opened:
        yield opened


def test_numbers_and_kappa_by_level_are_in_the_statistics(session):
    assert subclass_statistics(session).counts == {
        "DN": 2, "DN/WZ Sge": 1, "IP": 1, "NL/SW Sex": 1, "polar": 1,
    }  # fmt: skip
    first, second = subclass_statistics(session).pairs
    assert (first.first, first.second, first.level) == ("Ada", "Ben", 1)
    # Of five that both have named four agree, where chance alone gives 14 of 25.
    assert (first.agreement.n, first.agreement.observed.value) == (5, 0.8)
    assert first.agreement.kappa.value == pytest.approx((0.8 - 14 / 25) / (1 - 14 / 25))
    assert (second.level, second.agreement.n) == (2, 3)
    assert second.agreement.observed.value == pytest.approx(2 / 3)
    found = statistics(session)
    assert found.subclasses.counts["DN"] == 2
    assert '"DN/WZ Sge": 1' in found.to_json()


def test_what_was_given_in_one_act_is_counted_but_not_compared(session):
    session.record_together([1, 2, 3], finer("polar"), place="overview")
    found = subclass_statistics(session)
    assert found.pairs[0].agreement.n == 2
    session.undo()
    session.record_together([1, 2, 3], lambda one: replace(one, flags=("x",)), place="overview")
    assert subclass_statistics(session).pairs[0].agreement.n == 5


def test_an_opinion_that_names_no_line_of_the_log_is_counted(file_location):
    """As in a session from a stranger; it lies within an act, so nothing compares it."""
    with made(file_location, 8, "Ben") as opened:
        for number, path in enumerate(BEN, 1):
            opened.record_verdict(number, Opinion(verdict=Verdict.ACCEPT, subclass=path))
        with opened.database.writing() as connection:
            write_act(connection, 1, 99, "overview")
    with closing(sqlite3.connect(file_location)) as connection:
        connection.execute("UPDATE judgements SET log_id = 50 WHERE candidate_id = 1")
        connection.commit()
    with open_session(file_location, "Ada") as opened:
        assert subclass_statistics(opened).counts["DN/WZ Sge"] == 2


def finer(path):
    return lambda former: replace(former, subclass=path)


def test_a_known_answer_is_no_member_of_a_sub_class(session):
    values = {"candidate_id": 1, "is_member": True, "class_name": "CV", "simulated": False}
    with session.database.writing() as connection:
        connection.execute(insert(known_answers).values(**values, source="a.fits:0"))
    found = subclass_statistics(session)
    assert "DN/WZ Sge" not in found.counts
    assert found.pairs[0].agreement.n == 4
