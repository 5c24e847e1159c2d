"""What a reviewer has seen of the agents stays known, each person's for themselves."""

from __future__ import annotations

from app.core.inspections.seen import SeenResult, read_seen, record_seen
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.sessions import made

ACCEPT = Opinion(verdict=Verdict.ACCEPT)


def test_what_was_seen_is_known_after_a_restart_and_to_nobody_else(tmp_path):
    location = tmp_path / "night.speco3"
    with made(location, 5) as session:
        assert read_seen(session, 1) is None
        record_seen(session, {1: SeenResult(in_blind=True), 2: SeenResult(model="nano: 7b")})
        record_seen(session, {2: SeenResult(model="other", in_blind=True)})
        record_seen(session, {})
        reviewer = session.reviewer
    with open_session(location, reviewer) as session:
        assert read_seen(session, 1) == SeenResult(in_blind=True)
        assert read_seen(session, 2) == SeenResult(model="other", in_blind=True)
        assert read_seen(session, 3) is None
    with open_session(location, "Li Wei") as session:
        assert read_seen(session, 1) is None


def test_the_log_tells_it_of_verdicts_even_where_they_were_undone(tmp_path):
    with made(tmp_path / "night.speco3", 5) as session:
        session.record_verdict(1, ACCEPT, shown={"verdict": "YES"})
        session.record_verdict(2, ACCEPT)
        session.undo()
        session.undo()
        assert read_seen(session, 1) == SeenResult()
        assert read_seen(session, 2) is None
