"""How far a person has come and how fast they are, whatever they undo, and whenever they pause."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from app.core.database.tables import candidates, judgements, log
from app.core.errors import SessionError
from app.core.queue import UNJUDGED, count
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing import merge
from app.core.statistics import pace
from app.core.statistics.pace import Pace, Progress, ProgressCounter, pace_of, progress, recent_pace
from tests.app.core.sessions import made

ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)
START = datetime(2026, 3, 1, 20, tzinfo=UTC)


def counts(found):
    return tuple(found.by_verdict[verdict] for verdict in Verdict)


def at(seconds):
    return (START + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def test_done_and_left(location):
    with made(location, 10) as session:
        assert progress(session) == Progress(total=10, by_verdict=dict.fromkeys(Verdict, 0))
        for number, opinion in ((1, ACCEPT), (2, REJECT), (3, REJECT), (4, Opinion(comment="?"))):
            session.record_verdict(number, opinion)
        found = progress(session)
        assert (counts(found), found.done, found.left) == ((1, 2, 0), 3, 7)
        assert progress(session, "Ben").left == 10
    with open_session(location, "Ben", read_only=not isinstance(location, str)) as session:
        assert progress(session, "Ada").done == 3


def test_a_tally_after_a_merge(tmp_path):
    """An undo of what no longer stood changes no number."""
    with made(tmp_path / "a.speco3", 3) as session, made(tmp_path / "b.speco3", 3) as other:
        session.record_verdict(1, ACCEPT)
        other.record_verdict(1, REJECT)
        merge(session, other)
        tally = ProgressCounter(session)
        assert counts(tally.progress()) == (0, 1, 0)
        session.undo()
        assert counts(tally.progress()) == counts(progress(session)) == (0, 1, 0)
        session.redo()
        assert counts(tally.progress()) == (0, 1, 0)


@pytest.mark.parametrize("seed", range(6))
def test_a_tally_follows_every_press(location, seed):
    """Against counting afresh, over verdicts, comments, undo and redo, two reviewers and a second
    tally that looks rarely."""
    draw = random.Random(seed)
    with made(location, 8) as session, open_other(location) as other:
        often, rarely = ProgressCounter(session), ProgressCounter(session)
        for _ in range(60):
            press = draw.random()
            if press < 0.5:
                session.record_verdict(draw.randint(1, 8), draw.choice([ACCEPT, REJECT, UNSURE]))
            elif press < 0.6:
                session.record_verdict(draw.randint(1, 8), Opinion(comment=str(press)))
            elif press < 0.8:
                session.undo()
            else:
                session.redo()
            if other is not None and draw.random() < 0.2:
                other.record_verdict(draw.randint(1, 8), REJECT)
            assert often.progress() == progress(session)
            if draw.random() < 0.1:
                assert rarely.progress() == progress(session)
        assert rarely.progress() == progress(session)
        assert often.progress().left == count(session, UNJUDGED).number


class open_other:
    """Another reviewer at the same time, where the place lets two write."""

    def __init__(self, location):
        self.session = open_session(location, "Ben") if isinstance(location, str) else None

    def __enter__(self):
        return self.session

    def __exit__(self, *_):
        if self.session is not None:
            self.session.close()


def test_a_tally_sees_a_list_grow(location):
    with made(location, 3) as session:
        tally = ProgressCounter(session)
        assert tally.progress().total == 3
        with session.database.writing() as connection:
            row = {"list_id": 1, "line": 4, "object_id": "J4", "path": "", "row": 0}
            connection.execute(candidates.insert().values(**row, label="", own="{}"))
        assert tally.progress().left == 4


def test_an_empty_session(tmp_path):
    with made(tmp_path / "a.speco3", 0) as session:
        assert progress(session).left == 0
        assert recent_pace(session) == Pace(decisions=0, typical=None, mean=None)
        assert recent_pace(session).seconds_for(10) is None


def test_pauses_are_left_out():
    times = [0, 4, 8, 13, 17, 17 + 3600, 17 + 3604, 17 + 3609]
    found = pace_of([(at(second), None) for second in times])
    assert found.decisions == 6
    assert found.typical == pytest.approx(4.0)
    assert found.mean == pytest.approx(26 / 6)
    assert found.seconds_for(60) == pytest.approx(260)


def test_who_takes_their_time_is_not_idle():
    times = [0, 300, 560, 900, 1150]
    assert pace_of([(at(second), None) for second in times]).decisions == 4


def test_what_the_window_measured_counts_before_the_clock():
    found = pace_of([(at(0), 3.0), (at(100), 5.0), (at(200), None), (at(206), None)])
    assert found.typical == pytest.approx(5.5)  # of 3, 5, 100 and 6


def test_a_clock_set_back_and_times_that_are_none():
    odd = [("", None), ("yesterday", None), ("2026-03-01T20:00:00", None), (at(0), -5.0)]
    assert pace_of(odd).typical is None
    backwards = [(at(10), None), (at(0), None), (at(5), None), (at(15), None)]
    assert pace_of(backwards).typical == pytest.approx(5.0)


def test_the_pace_is_of_today(location, monkeypatch):
    monkeypatch.setattr(pace, "RECENT", 20)
    with made(location, 30) as session:
        for number in range(1, 31):
            session.record_verdict(number, REJECT, seconds=30.0 if number <= 10 else 2.0)
        found = recent_pace(session)
        assert (found.decisions, found.typical, found.mean) == (20, 2.0, 2.0)
        assert recent_pace(session, "Ben").decisions == 0


def test_undone_presses_and_comments_are_no_decisions(location):
    with made(location, 10) as session:
        for number in range(1, 6):
            session.record_verdict(number, REJECT, seconds=float(number))
        session.record_verdict(6, Opinion(comment="odd"), seconds=50.0)
        session.undo()
        assert recent_pace(session).mean == pytest.approx(3.0)


def test_a_strangers_log_may_hold_anything(tmp_path):
    with made(tmp_path / "a.speco3", 120) as session:
        tally = ProgressCounter(session)
        for number in range(1, 111):
            session.record_verdict(number, REJECT)
        tally.progress()
        with session.database.writing() as connection:
            connection.exec_driver_sql("UPDATE log SET at = x'ff', seconds = 'long'")
        with pytest.raises(SessionError, match="a block of bytes where a text belongs"):
            recent_pace(session)


def test_a_tally_counts_afresh_after_a_merge(tmp_path):
    """What is merged in need not follow on: here two lines are about one opinion."""
    with made(tmp_path / "a.speco3", 5) as session:
        tally = ProgressCounter(session)
        session.record_verdict(1, REJECT)
        assert tally.progress().done == 1
        with session.database.writing() as connection:
            for verdict in ("ACCEPT", "UNSURE"):
                merged = {"verdict": verdict, "origin": "other", "reviewer_id": 1, "at": at(0)}
                plain = {"action": "set", "candidate_id": 2, "flags": "[]", "comment": ""}
                values = {**merged, **plain, "shown": "{}"}
                line = connection.execute(log.insert().values(values)).inserted_primary_key[0]
            held = {key: plain[key] for key in ("candidate_id", "flags", "comment")}
            held |= {"reviewer_id": 1, "log_id": line, "verdict": "UNSURE", "at": at(0)}
            connection.execute(judgements.insert().values(held))
        assert counts(tally.progress()) == (0, 1, 1)
