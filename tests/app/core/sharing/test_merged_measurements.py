"""Measurements by hand are merged: in any order, any number of times."""

from __future__ import annotations

from app.core.session.measurements import measurements_of, record_measurement, withdraw_measurement
from app.core.session.session import open_session
from app.core.sharing import merge
from tests.app.core.session.test_measurements import BARE, HALPHA
from tests.app.core.sharing.merged_sessions import copy_of, session_at


def told(session):
    return sorted(
        (each.candidate_id, each.reviewer, each.at, each.measurement.line, each.is_withdrawn)
        for each in measurements_of(session, with_withdrawn=True)
    )


def test_two_machines_agree_whatever_the_order(tmp_path):
    with session_at(tmp_path / "a.speco3") as ada:
        first = record_measurement(ada, 1, HALPHA)
    copy_of(tmp_path / "a.speco3", "b")
    with open_session(tmp_path / "b.speco3", "Ben") as ben:
        record_measurement(ben, 1, HALPHA)
        mine = record_measurement(ben, 2, BARE)
        withdraw_measurement(ben, mine.id)
    with open_session(tmp_path / "a.speco3", "Ada") as ada:
        withdraw_measurement(ada, first.id)
        record_measurement(ada, 3, BARE)
    with (
        open_session(tmp_path / "a.speco3", "Ada") as ada,
        open_session(tmp_path / "b.speco3", "Ben") as ben,
    ):
        assert merge(ada, ben).measurements == 2
        assert merge(ben, ada).measurements == 1
        assert told(ada) == told(ben)
        assert [line[0] for line in told(ada)] == [1, 1, 2, 3]
        assert [line[-1] for line in told(ada) if line[1] == "Ada"] == [True, False]
        before = told(ada)
        assert merge(ada, ben).measurements == merge(ben, ada).measurements == 0
        assert told(ada) == told(ben) == before


def test_new_candidates_bring_theirs(tmp_path):
    with (
        session_at(tmp_path / "a.speco3") as into,
        session_at(tmp_path / "b.speco3", "Ben", 6) as other,
    ):
        record_measurement(other, 6, HALPHA)
        assert merge(into, other).measurements == 1
        assert [line[:2] for line in told(into)] == [(6, "Ben")]
