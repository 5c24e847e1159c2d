"""Repeats: served fairly, kept beside the log, and never in the way of a verdict or its undo."""

import pytest
import sklearn.metrics

from app.core.errors import ReadOnlyError, SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics import repeats
from app.core.statistics.verdicts import read_verdicts
from tests.app.core.judged_sessions import A, R, U, say
from tests.app.core.sessions import change_file, made


@pytest.fixture
def session(location):
    with made(location, 300) as session:
        yield session


def judge_again(session, verdicts):
    return [repeats.record_repeat(session, n, Opinion(verdict=v)) for n, v in verdicts.items()]


def test_a_share_of_what_was_judged(session):
    assert repeats.plan_repeats(session) == ()
    say(session, "Ada", {n: A if n % 3 else R for n in range(1, 202)})
    say(session, "Ben", dict.fromkeys(range(202, 301), A))
    plan = repeats.plan_repeats(session, 0.1, seed=3)
    assert len(plan) == len(set(plan)) == 21
    assert max(plan) <= 151  # the last fifty are too fresh
    assert plan == repeats.plan_repeats(session, 0.1, seed=3)
    assert plan != repeats.plan_repeats(session, 0.1, seed=4) and list(plan) != sorted(plan)
    assert repeats.plan_repeats(session, 0.0) == ()
    assert len(repeats.plan_repeats(session, 1.0)) == 151
    assert len(repeats.plan_repeats(session, 1.0, gap=0)) == 201


def test_each_has_the_same_chance_and_what_was_served_is_not_served_again(session, monkeypatch):
    # What is drawn hangs on the session, whose name is new each time.
    monkeypatch.setitem(session._facts, "id", "0a7b8f64-3c1e-4f7b-9d41-5a2f60c7e913")
    say(session, "Ada", dict.fromkeys(range(1, 101), R))
    times = dict.fromkeys(range(1, 101), 0)
    for seed in range(400):
        for number in repeats.plan_repeats(session, 0.2, seed=seed, gap=0):
            times[number] += 1
    assert sum(times.values()) == 20 * 400
    spread = (sum((n - 80) ** 2 for n in times.values()) / 100) ** 0.5
    assert spread == pytest.approx(8.0, abs=2.0)  # of 400 draws at 0.2
    plan = repeats.plan_repeats(session, 0.1, gap=0)
    judge_again(session, dict.fromkeys(plan[:4], R))
    assert repeats.plan_repeats(session, 0.1, gap=0) == plan[4:]
    say(session, "Ada", dict.fromkeys(range(101, 201), R))
    grown = repeats.plan_repeats(session, 0.1, gap=0)
    assert len(grown) == 16 and not set(grown) & set(plan[:4])


def test_a_repeat_changes_no_verdict_and_no_undo(session):
    say(session, "Ada", {1: A, 2: R, 3: U})
    log = list(session.history())
    told = []
    session.changed.connect(told.append)
    (repeat,) = judge_again(session, {1: R})
    assert (repeat.first.verdict, repeat.second.verdict, repeat.is_same) == (A, R, False)
    assert [change.candidate_ids for change in told] == [{1}]
    assert list(session.history()) == log and session.judgement(1).opinion.verdict is A
    assert session.undo().candidate_id == 3 and len(read_verdicts(session)) == 2


def test_it_is_compared_with_what_was_thought_then(session):
    full = Opinion(verdict=A, confidence=3, flags=("odd",), comment="Hα 宽")
    session.record_verdict(5, full)
    repeat = repeats.record_repeat(session, 5, Opinion(verdict=A, comment="still"), seconds=2.5)
    session.record_verdict(5, Opinion(verdict=R))
    (kept,) = repeats.repeats_of(session)
    assert kept == repeat
    assert (kept.first, kept.second.comment, kept.seconds) == (full, "still", 2.5)
    assert kept.is_same


def test_a_repeat_can_be_taken_back_while_it_is_the_last_thing_done(session, location):
    say(session, "Ada", {1: A, 2: R})
    judge_again(session, {1: A, 2: A})
    session.close()
    with open_session(location, "Ada") as session:
        assert repeats.withdraw_repeat(session).candidate_id == 2
        assert [each.candidate_id for each in repeats.repeats_of(session)] == [1]
        session.record_verdict(3, Opinion(verdict=U))
        assert repeats.withdraw_repeat(session) is None and session.undo().candidate_id == 3
        assert repeats.withdraw_repeat(session) is None  # the undo came after it
        assert [each.candidate_id for each in repeats.repeats_of(session)] == [1]
        with session.database.reading() as connection:
            kept = connection.exec_driver_sql("SELECT count(*) FROM repeats").scalar_one()
        assert kept == 2


def test_people_do_not_take_one_anothers_back(session):
    say(session, "Ada", {1: A})
    judge_again(session, {1: A})
    session.reviewer = "Ben"
    assert repeats.withdraw_repeat(session) is None
    assert [each.reviewer for each in repeats.repeats_of(session)] == ["Ada"]


def test_what_cannot_be_repeated(session, location):
    say(session, "Ada", {1: A, 2: None})
    say(session, "Ben", {3: A})
    for number in (2, 3, 4, 999):
        with pytest.raises(SessionError, match="you have no verdict"):
            judge_again(session, {number: A})
    with pytest.raises(SessionError, match="a repeat needs a verdict"):
        judge_again(session, {1: None})
    with pytest.raises(SessionError, match="confidence"):
        repeats.record_repeat(session, 1, Opinion(verdict=A, confidence=9))
    with pytest.raises(SessionError, match="share"):
        repeats.plan_repeats(session, 1.5)
    assert repeats.repeats_of(session) == []
    with open_session(location, "Ada", read_only=True) as reader:
        assert repeats.plan_repeats(reader, 1.0, gap=0) == (1,)
        with pytest.raises(ReadOnlyError):
            judge_again(reader, {1: A})


def test_consistency_is_scikit_learns(session, rng):
    first = {n: rng.choice([A, R, U]) for n in range(1, 61)}
    second = {
        n: verdict if rng.random() < 0.8 else rng.choice([A, R, U]) for n, verdict in first.items()
    }
    say(session, "Ada", first)
    judge_again(session, second)
    session.reviewer = "Ben"
    say(session, "Ben", {1: A})
    judge_again(session, {1: A})
    ada, ben = repeats.consistency(session)
    expected = sklearn.metrics.cohen_kappa_score(list(first.values()), list(second.values()))
    assert ada.agreement.kappa.value == pytest.approx(expected)
    assert ada.differing == tuple(n for n in first if first[n] != second[n])
    assert (ben.reviewer, ben.agreement.n, ben.differing) == ("Ben", 1, ())


def test_a_repeat_of_nothing_is_damage(tmp_path):
    with made(tmp_path / "a.speco3") as session:
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
        repeats.record_repeat(session, 1, Opinion(verdict=Verdict.REJECT), seconds=1.0)
        change_file(tmp_path / "a.speco3", "UPDATE repeats SET first_id = 99")
        with pytest.raises(SessionError, match="a repeat"):
            repeats.repeats_of(session)
