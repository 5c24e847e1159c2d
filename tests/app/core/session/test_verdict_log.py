"""The log of verdicts: undo and redo, for each reviewer, across restarts."""

import random

import pytest

from app.core.errors import SessionError
from app.core.session.records import Change, Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.sessions import ACCEPT, REJECT, UNSURE, made
from tests.night import seeds


def verdicts(session):
    found = (session.judgement(number) for number in range(1, session.count() + 1))
    return [None if each is None else each.opinion.verdict for each in found]


def test_the_same_opinion_again_is_no_news(location):
    with made(location) as session:
        told: list[Change] = []
        session.changed.connect(told.append)
        assert session.record_verdict(1, ACCEPT) is not None
        assert session.record_verdict(1, ACCEPT) is None
        assert [change.candidate_ids for change in told] == [{1}]
        assert len(list(session.history())) == 1


def test_undo_and_redo_across_a_restart(location):
    with made(location) as session:
        for number, opinion in ((1, ACCEPT), (2, REJECT), (1, UNSURE)):
            session.record_verdict(number, opinion)
    with open_session(location, "Ada") as session:
        assert verdicts(session)[:2] == ["UNSURE", "REJECT"]
        assert session.undo().candidate_id == 1
        assert verdicts(session)[:2] == ["ACCEPT", "REJECT"]
        assert session.undo().candidate_id == 2
        assert verdicts(session)[:2] == ["ACCEPT", None]
    with open_session(location, "Ada") as session:
        assert session.redo().opinion == REJECT
        assert session.undo().opinion == Opinion()
        assert session.undo().candidate_id == 1
        assert session.undo() is None
        assert verdicts(session) == [None] * 5
        session.redo()
        session.record_verdict(3, REJECT)
        assert session.redo() is None
        assert verdicts(session) == ["ACCEPT", None, "REJECT", None, None]


def test_reviewers_do_not_undo_one_another(location):
    with made(location, reviewer="Ada") as session:
        session.record_verdict(1, ACCEPT)
    with open_session(location, "Ben") as session:
        session.record_verdict(1, REJECT)
        assert session.undo().reviewer == "Ben"
        assert session.undo() is None
        assert [each.reviewer for each in session.judgements(1)] == ["Ada"]


@pytest.mark.parametrize("seed", seeds(by_day=2, by_night=8))
def test_any_order_of_presses_equals_a_model(location, seed):
    """Against the plain model: two stacks of (candidate, before, after)."""
    chance = random.Random(seed)
    held: dict[int, Opinion] = {}
    done: list[tuple[int, Opinion | None, Opinion]] = []
    undone: list[tuple[int, Opinion | None, Opinion]] = []
    session = made(location)
    lines = 0
    for _ in range(200):
        press = chance.random()
        if press < 0.5:
            number = chance.randint(1, 5)
            opinion = Opinion(
                verdict=chance.choice([*Verdict, None]), confidence=chance.choice([None, 4])
            )
            told = session.record_verdict(number, opinion)
            if held.get(number) != opinion:
                done.append((number, held.get(number), opinion))
                undone.clear()
                held[number] = opinion
                lines += 1
                assert told is not None
            else:
                assert told is None
        elif press < 0.8:
            told = session.undo()
            assert (told is None) == (not done)
            if done:
                lines += 1
                number, before, _after = step = done.pop()
                undone.append(step)
                held.pop(number) if before is None else held.update({number: before})
        elif press < 0.95:
            told = session.redo()
            assert (told is None) == (not undone)
            if undone:
                lines += 1
                number, _before, after = step = undone.pop()
                done.append(step)
                held[number] = after
        else:
            session.close()
            session = open_session(location, "Ada")
    found = {number: session.judgement(number) for number in range(1, 6)}
    assert {n: each.opinion for n, each in found.items() if each is not None} == held
    assert len(list(session.history())) == lines
    with session.database.reading() as connection:
        judged = connection.exec_driver_sql("SELECT id, judged_by FROM candidates").all()
    assert {row.id for row in judged if row.judged_by} == {
        number for number, opinion in held.items() if opinion.verdict is not None
    }
    session.close()


def test_names_nobody_has(location):
    with made(location) as session:
        for session.reviewer in ("", "   ", "x" * 81, "a\nb\x1b"):
            with pytest.raises(SessionError, match="name"):
                session.record_verdict(1, ACCEPT)
