"""Inspections and repeats are merged."""

from __future__ import annotations

from sqlalchemy import select

from app.core.database.tables import candidates, inspections
from app.core.inspections.shown_opinion import show_model, shown_model
from app.core.sharing import merge
from app.core.statistics.repeats import record_repeat, repeats_of, withdraw_repeat
from tests.app.core.session.test_rebuild import moment
from tests.app.core.sharing.merged_sessions import ACCEPT, REJECT, inspected, session_at, verdicts


def agents(session):
    names = ("agent_verdict", "agent_p_yes", "agent_model", "agent_stopped_by", "surprise")
    with session.database.reading() as connection:
        columns = (candidates.c[name] for name in (*names, "agents_differ"))
        return [
            tuple(row) for row in connection.execute(select(*columns).order_by(candidates.c.id))
        ]


def test_what_agents_said(tmp_path):
    with (
        session_at(tmp_path / "a.speco3") as into,
        session_at(tmp_path / "b.speco3", "Ben", 6) as other,
    ):
        inspected(into, 1, "nano", moment(10), "NO")
        inspected(into, 2, "nano", moment(30), "NO")
        inspected(into, 3, "nano", moment(30), "NO")
        inspected(other, 1, "nano", moment(20), "YES")
        inspected(other, 2, "nano", moment(20), "YES")
        inspected(other, 3, "large", moment(20), "YES")
        inspected(other, 6, "large", moment(20), "YES")
        show_model(into, None)
        report = merge(into, other)
        assert report.inspections == 3
        with into.database.reading() as connection:
            rows = connection.execute(select(inspections).order_by(inspections.c.id)).all()
        assert sorted((row.candidate_id, row.model, row.at) for row in rows) == [
            (1, "nano", moment(20)),
            (2, "nano", moment(30)),
            (3, "large", moment(20)),
            (3, "nano", moment(30)),
            (6, "large", moment(20)),
        ]
        found = agents(into)
        assert [each[0] for each in found] == ["YES", "NO", "NO", None, None, "YES"]
        assert [each[5] for each in found] == [False, False, True, False, False, False]
        show_model(into, shown_model(into))
        assert agents(into) == found
        assert merge(into, other).inspections == 0


def test_what_was_said_a_second_time(tmp_path):
    with (
        session_at(tmp_path / "a.speco3") as into,
        session_at(tmp_path / "b.speco3", "Ben") as other,
    ):
        other.record_verdict(2, ACCEPT)
        record_repeat(other, 2, REJECT, seconds=1.0)
        assert merge(into, other).repeats == 1
        assert merge(into, other).repeats == 0
        (repeat,) = repeats_of(into)
        assert repeat.candidate_id == 2
        assert repeat.reviewer == "Ben"
        assert verdicts(into) == {(2, "Ben"): "ACCEPT"}
        into.reviewer = "Ben"
        assert withdraw_repeat(into) is None
