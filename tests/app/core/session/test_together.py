"""Several candidates judged in one act: all or none of them, and one undo takes all back."""

from dataclasses import replace

import pytest

from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.session.together import MAX_CANDIDATES
from tests.app.core.sessions import made


def rejected(opinion):
    return replace(opinion, verdict=Verdict.REJECT)


def verdicts(session):
    found = {n: session.judgement(n) for n in range(1, session.count() + 1)}
    return {n: str(each.opinion.verdict) for n, each in found.items() if each is not None}


@pytest.fixture
def session(tmp_path):
    with made(tmp_path / "night.speco3", 600) as session:
        yield session


@pytest.mark.parametrize("count", [2, 5, 500])
def test_one_undo_takes_all_back_and_one_redo_gives_them_again(session, count):
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT, confidence=3, flags=("star",)))
    before = verdicts(session)
    changes = []
    session.changed.connect(changes.append)
    numbers = range(1, count + 1)
    entries = session.record_together(numbers, rejected, place="overview")
    assert len(entries) == count
    assert session.judgement(2).opinion == Opinion(
        verdict=Verdict.REJECT, confidence=3, flags=("star",)
    )
    assert [len(each.candidate_ids) for each in changes] == [count]
    after = verdicts(session)
    assert set(after.values()) == {"REJECT"}
    assert session.size_of_next("undo") == count
    assert session.undo().others == count - 1
    assert verdicts(session) == before
    assert session.size_of_next("redo") == count
    assert session.redo().others == count - 1
    assert verdicts(session) == after
    session.undo()
    session.undo()
    assert verdicts(session) == {}
    assert session.undo() is None


def test_only_the_act_is_undone(session):
    session.record_verdict(1, Opinion(verdict=Verdict.UNSURE))
    session.record_together([3, 4, 5], rejected, place="overview")
    session.record_verdict(6, Opinion(verdict=Verdict.ACCEPT))
    session.undo()
    assert verdicts(session) == {1: "UNSURE", 3: "REJECT", 4: "REJECT", 5: "REJECT"}
    session.undo()
    assert verdicts(session) == {1: "UNSURE"}
    session.redo()
    assert verdicts(session) == {1: "UNSURE", 3: "REJECT", 4: "REJECT", 5: "REJECT"}
    session.redo()
    assert verdicts(session)[6] == "ACCEPT"


def test_after_a_restart(session, tmp_path):
    session.record_together([3, 4, 5], rejected, place="overview")
    session.close()
    with open_session(tmp_path / "night.speco3", session.reviewer) as again:
        assert again.undo().others == 2
        assert verdicts(again) == {}


def test_two_acts_side_by_side_are_two(session):
    session.record_together([1, 2], rejected, place="overview")
    session.record_together([3, 4], rejected, place="overview")
    session.undo()
    assert set(verdicts(session)) == {1, 2}
    session.undo()
    assert verdicts(session) == {}
    session.redo()
    assert set(verdicts(session)) == {1, 2}


def test_all_or_nothing_and_not_too_many(session, monkeypatch):
    with pytest.raises(SessionError, match="no candidate 9999"):
        session.record_together([1, 2, 9999], rejected, place="overview")
    assert verdicts(session) == {}
    assert not list(session.history())
    assert session.size_of_next("undo") == 0
    with pytest.raises(SessionError, match="at most"):
        session.record_together(range(1, MAX_CANDIDATES + 2), rejected, place="overview")


def test_who_thinks_so_already_has_no_line(session):
    session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    entries = session.record_together([1, 2], rejected, place="overview")
    assert [each.candidate_id for each in entries] == [2]
    session.undo()
    assert verdicts(session) == {1: "REJECT"}
    assert session.record_together([1], rejected, place="overview") == []


@pytest.mark.parametrize("fact", ["", "1", "a b c", "1 999999999999999999 x", "9 1 x", "-1 5 x"])
def test_a_damaged_fact_undoes_no_more_than_there_is(session, fact):
    session.record_together([1, 2, 3], rejected, place="overview")
    with session.database.writing() as connection:
        last = verdict_log.history_page(connection)[-1].id
    session.set_fact(f"act:{last}", fact)
    while session.undo() is not None:
        pass
    assert verdicts(session) == {}
