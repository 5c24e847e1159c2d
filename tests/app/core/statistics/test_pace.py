"""How far a person has come and how fast they are, whatever they undo, and whenever they pause."""

import random
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert, update

from app.core.database.tables import candidates, judgements, known_answers, log
from app.core.errors import SessionError
from app.core.queue import UNJUDGED, count
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing import merge
from app.core.sharing.share_out import SharePlan, share_out
from app.core.statistics import pace
from app.core.statistics.summary import statistics, to_plain
from tests.app.core.judged_sessions import say
from tests.app.core.sessions import change, made
from tests.app.core.sharing.test_share_out import own
from tests.night import seeds

ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)
START = datetime(2026, 3, 1, 20, tzinfo=UTC)


def counts(found):
    return tuple(found.by_verdict[verdict] for verdict in Verdict)


def at(seconds):
    return (START + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def test_done_and_left(location):
    with made(location, 10) as session:
        told = pace.progress(session)
        assert told == pace.Progress(total=10, by_verdict=dict.fromkeys(Verdict, 0))
        for number, opinion in ((1, ACCEPT), (2, REJECT), (3, REJECT), (4, Opinion(comment="?"))):
            session.record_verdict(number, opinion)
        found = pace.progress(session)
        assert (counts(found), found.done, found.left) == ((1, 2, 0), 3, 7)
        assert pace.progress(session, "Ben").left == 10
    with open_session(location, "Ben", read_only=not isinstance(location, str)) as session:
        assert pace.progress(session, "Ada").done == 3


def test_a_tally_after_a_merge(tmp_path):
    """An undo of what no longer stood changes no number."""
    with made(tmp_path / "a.speco3", 3) as session, made(tmp_path / "b.speco3", 3) as other:
        session.record_verdict(1, ACCEPT)
        other.record_verdict(1, REJECT)
        merge(session, other)
        tally = pace.ProgressCounter(session)
        assert counts(tally.progress()) == (0, 1, 0)
        session.undo()
        assert counts(tally.progress()) == counts(pace.progress(session)) == (0, 1, 0)
        session.redo()
        assert counts(tally.progress()) == (0, 1, 0)


@pytest.mark.parametrize("seed", seeds(by_day=2, by_night=6))
def test_a_tally_follows_every_press(location, seed):
    """Against counting afresh, over verdicts, comments, undo and redo, two reviewers and a second
    tally that looks rarely."""
    draw = random.Random(seed)
    with made(location, 8) as session, open_other(location) as other:
        often, rarely = pace.ProgressCounter(session), pace.ProgressCounter(session)
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
            assert often.progress() == pace.progress(session)
            if draw.random() < 0.1:
                assert rarely.progress() == pace.progress(session)
        assert rarely.progress() == pace.progress(session)
        assert often.progress().left == count(session, UNJUDGED).number


def open_other(location):
    """Another reviewer at the same time, where the place lets two write."""
    return open_session(location, "Ben") if isinstance(location, str) else nullcontext()


def test_a_tally_sees_a_list_grow(location):
    with made(location, 3) as session:
        tally = pace.ProgressCounter(session)
        assert tally.progress().total == 3
        with session.database.writing() as connection:
            row = {"list_id": 1, "line": 4, "object_id": "J4", "path": "", "row": 0}
            connection.execute(candidates.insert().values(**row, label="", own="{}"))
        assert tally.progress().left == 4


def test_an_empty_session(tmp_path):
    with made(tmp_path / "a.speco3", 0) as session:
        assert pace.progress(session).left == 0
        assert pace.recent_pace(session) == pace.Pace(decisions=0, typical=None, mean=None)
        assert pace.recent_pace(session).seconds_for(10) is None


def test_the_pace_of_times():
    times = [0, 4, 8, 13, 17, 17 + 3600, 17 + 3604, 17 + 3609]
    found = pace.pace_of([(at(second), None) for second in times])
    assert found.decisions == 6 and found.typical == pytest.approx(4.0)
    assert found.mean == pytest.approx(26 / 6) and found.seconds_for(60) == pytest.approx(260)
    times = [0, 300, 560, 900, 1150]
    assert pace.pace_of([(at(second), None) for second in times]).decisions == 4
    found = pace.pace_of([(at(0), 3.0), (at(100), 5.0), (at(200), None), (at(206), None)])
    assert found.typical == pytest.approx(5.5)  # of 3, 5, 100 and 6


def test_a_clock_set_back_and_times_that_are_none():
    odd = [("", None), ("yesterday", None), ("2026-03-01T20:00:00", None), (at(0), -5.0)]
    assert pace.pace_of(odd).typical is None
    backwards = [(at(10), None), (at(0), None), (at(5), None), (at(15), None)]
    assert pace.pace_of(backwards).typical == pytest.approx(5.0)


def test_the_pace_is_of_today(location, monkeypatch):
    monkeypatch.setattr(pace, "RECENT", 20)
    with made(location, 30) as session:
        for number in range(1, 31):
            session.record_verdict(number, REJECT, seconds=30.0 if number <= 10 else 2.0)
        found = pace.recent_pace(session)
        assert (found.decisions, found.typical, found.mean) == (20, 2.0, 2.0)
        assert pace.recent_pace(session, "Ben").decisions == 0


def test_undone_presses_and_comments_are_no_decisions(location):
    with made(location, 10) as session:
        for number in range(1, 6):
            session.record_verdict(number, REJECT, seconds=float(number))
        session.record_verdict(6, Opinion(comment="odd"), seconds=50.0)
        session.undo()
        assert pace.recent_pace(session).mean == pytest.approx(3.0)


def test_a_strangers_log_may_hold_anything(tmp_path):
    with made(tmp_path / "a.speco3", 120) as session:
        tally = pace.ProgressCounter(session)
        for number in range(1, 111):
            session.record_verdict(number, REJECT)
        tally.progress()
        change(session, "UPDATE log SET at = x'ff', seconds = 'long'")
        with pytest.raises(SessionError, match="a block of bytes where a text belongs"):
            pace.recent_pace(session)


def test_a_tally_counts_afresh_after_a_merge(tmp_path):
    """What is merged in need not follow on: here two lines are about one opinion."""
    with made(tmp_path / "a.speco3", 5) as session:
        tally = pace.ProgressCounter(session)
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


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_short_rest_is_not_worth_a_word_a_long_one_is_after_the_first():
    assert pace.estimate(0.5, 60, 1) == "", "half a minute is not worth a word"
    found = pace.estimate(12.34, 5000, 4)
    assert found == "about 12.3 s a spectrum: 4 h 17 min for the other 5,000\n"
    clock = Clock()
    left = pace.TimeLeft(20, now=clock)
    for _ in range(10):
        clock.now += 1.0
        assert left.one_more(None) == ""
    assert left.one_more(2) == ""
    clock = Clock()
    left = pace.TimeLeft(101, now=clock)
    clock.now = 12.0
    assert left.one_more(4) == "about 12.0 s a spectrum: 5 min for the other 100\n"
    clock.now = 99.0
    assert left.one_more(4) == "", "once"


def test_where_the_number_is_found_it_speaks_when_it_is():
    """Two at a time end each ten seconds, then four, then eight, and eight are kept."""
    clock = Clock()
    left = pace.TimeLeft(1000, now=clock)
    said = []
    for at_once, rounds in ((2, 3), (4, 3), (8, 2)):
        for _ in range(rounds):
            clock.now += 10.0
            said += [left.one_more(None) for _ in range(at_once)]
    assert set(said) == {""}
    clock.now += 10.0
    done = len(said) + 1
    found = left.one_more(8)
    assert found == f"8 at once, about 10.0 s a spectrum: 20 min for the other {1000 - done}\n"
    assert left.one_more(8) == ""


# What is left to each person, their hours and the time by confidence.
A, R, U = Verdict


@pytest.fixture
def session(file_location):
    with made(file_location, 40) as opened:
        yield opened


def judged_at(session, at, verdict, seconds=None, confidence=None):
    """The next candidate, judged at that time."""
    number = 1 + sum(1 for _ in session.history())
    opinion = Opinion(verdict=verdict, confidence=confidence)
    entry = session.record_verdict(number, opinion, seconds=seconds)
    change(session, update(log).where(log.c.id == entry.id).values(at=at))


def test_pace_and_accept_rate_by_the_hour(session):
    for minute, verdict in enumerate((A, R, R, U)):
        judged_at(session, f"2026-01-01T22:{10 + minute}:00.000+00:00", verdict, seconds=4.0)
    for minute in range(3):
        judged_at(session, f"2026-01-02T01:{minute}0:00.000+00:00", A, seconds=2.0 + minute)
    (ada,) = statistics(session).working
    found = [(each.hour, each.decisions, each.typical_s) for each in ada.hours]
    assert found == [("2026-01-01T22", 4, 4.0), ("2026-01-02T01", 3, 3.0)]
    assert ada.hours[0].accepted.value == 1 / 3 and ada.hours[1].accepted.value == 1.0
    assert ada.accepted.value == 4 / 6
    assert (ada.assigned, ada.left, ada.second_left) == (None, 33, 0)
    assert ada.left_s == pytest.approx(33 * (4 * 4.0 + 9.0) / 7)


def test_time_by_confidence(session):
    for minute, (confidence, seconds) in enumerate(
        ((4, 2.0), (4, 4.0), (1, 20.0), (1, 22.0), (None, 3.0))
    ):
        at = f"2026-01-01T22:0{minute}:00.000+00:00"
        judged_at(session, at, A, seconds=seconds, confidence=confidence)
    (ada,) = statistics(session).working
    found = [(each.confidence, each.decisions, each.typical_s) for each in ada.confidences]
    assert found == [(4, 2, 3.0), (1, 2, 21.0), (None, 1, None)]


def test_known_answers_take_time_but_are_not_accepted_objects(session):
    row = {"candidate_id": 1, "is_member": True, "class_name": "CV", "simulated": True}
    change(session, insert(known_answers).values(**row, source="x"))
    judged_at(session, "2026-01-01T22:00:00.000+00:00", A, seconds=1.0)
    judged_at(session, "2026-01-01T22:01:00.000+00:00", R, seconds=1.0)
    found = statistics(session)
    (ada,) = found.working
    assert ada.hours[0].decisions == 2 and ada.hours[0].accepted.value == 0.0
    assert found.counts.candidates == 39
    assert ada.left == 38


def test_of_what_is_assigned_also_to_who_has_not_begun(session):
    share_out(session, SharePlan(people=("Ada", "Grace"), overlap=10.0))
    mine = own(session, 1)
    others = next(number for number in range(1, 41) if number not in mine)
    say(session, "Ada", dict.fromkeys([*mine[:3], others], R))
    ada, grace = statistics(session).working
    assert (ada.assigned, ada.left) == (22, 19)
    assert (grace.assigned, grace.left, grace.left_s) == (22, 22, None)
    assert to_plain(statistics(session))["working"][1]["reviewer"] == "Grace"


def test_the_progress_line_counts_what_is_theirs(location):
    with made(location, 40) as session:
        counter = pace.ProgressCounter(session)
        assert counter.progress().total == 40
        share_out(session, SharePlan(people=("Ada", "Grace")))
        mine = own(session, 1)
        others = [number for number in range(1, 41) if number not in mine]
        assert (counter.progress().total, counter.progress().done) == (20, 0)
        for number in (mine[0], others[0], mine[1]):
            session.record_verdict(number, Opinion(verdict=R))
        assert (counter.progress().done, counter.progress().left) == (2, 18)
        session.undo()
        session.undo()
        assert counter.progress().done == 1
        assert pace.ProgressCounter(session).progress() == counter.progress()
    with open_session(location, "Somebody") as session:
        assert pace.ProgressCounter(session).progress().total == 40
