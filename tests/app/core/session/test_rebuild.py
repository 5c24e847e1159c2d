"""What the tables keep ready follows from the log."""

import random

import pytest
from sqlalchemy import delete, select, update

from app.core.database.tables import candidates, facts, judgements, log
from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.rebuild import RULE, rebuild_judgements
from app.core.session.records import Opinion, Verdict
from app.core.session.session import MAX_IDS, open_session
from app.core.sharing import merge
from tests.app.core.sessions import ACCEPT, REJECT, change, made


def derived(session):
    """What follows from the log: judgements, and who has judged what."""
    with session.database.reading() as connection:
        order = (judgements.c.candidate_id, judgements.c.reviewer_id)
        held = connection.execute(select(judgements).order_by(*order)).all()
        masks = select(candidates.c.id, candidates.c.judged_by).order_by(candidates.c.id)
        return [tuple(row) for row in held], [tuple(row) for row in connection.execute(masks)]


def rebuilt(session):
    session_size = session.count()
    with session.database.writing() as connection:
        for first in range(1, session_size + 1, MAX_IDS):
            rebuild_judgements(connection, range(first, min(first + MAX_IDS, session_size + 1)))
    return derived(session)


def press(session, chance, count):
    """Any of the keys, so many times."""
    for _ in range(count):
        match chance.randrange(6):
            case 0 | 1 | 2:
                verdict = chance.choice([*Verdict, None])
                opinion = Opinion(verdict=verdict, confidence=chance.choice([None, 1, 4]))
                session.record_verdict(chance.randint(1, 5), opinion, seconds=1.0)
            case 3 | 4:
                session.undo()
            case 5:
                session.redo()


def wild_clock(monkeypatch, chance):
    """One that somebody sets back and forth."""
    monkeypatch.setattr(verdict_log, "now", lambda: moment(chance.randrange(10_000)))


def moment(second):
    hours, rest = divmod(second, 3600)
    return f"2026-01-01T{hours:02d}:{rest // 60:02d}:{rest % 60:02d}.000+00:00"


@pytest.mark.parametrize("is_wild", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_it_is_what_was_kept(file_location, seed, is_wild, monkeypatch):
    chance = random.Random(seed)
    if is_wild:
        wild_clock(monkeypatch, chance)
    made(file_location).close()
    for _ in range(6):
        with open_session(file_location, chance.choice(["Ada", "Ben", "Cy"])) as session:
            press(session, chance, 25)
            before = derived(session)
            assert rebuilt(session) == before
    with open_session(file_location, "Ada") as session:
        assert len(list(session.history())) > 60


def test_it_is_the_same_on_a_server(team_location):
    with made(team_location) as session:
        press(session, random.Random(3), 80)
        before = derived(session)
        assert before[0]
        assert rebuilt(session) == before


def test_what_an_older_program_chose_is_mended_once(location, tmp_path):
    """In sessions with merged lines, when they are opened for writing."""
    with made(location) as session, made(tmp_path / "b.speco3") as other:
        session.record_verdict(1, ACCEPT)
        other.record_verdict(1, REJECT)
        merge(session, other)
        right = derived(session)
        with session.database.writing() as connection:
            connection.execute(update(judgements).values(log_id=1, verdict="ACCEPT"))
            connection.execute(delete(facts).where(facts.c.key == RULE))
        wrong = derived(session)
    with open_session(location, "Ada", read_only=True) as session:
        assert derived(session) == wrong
    with open_session(location, "Ada") as session:
        assert derived(session) == right
        change(session, update(judgements).values(log_id=1, verdict="ACCEPT"))
    with open_session(location, "Ada") as session:  # it is asked for no second time
        assert derived(session) == wrong


def test_a_damaged_log_is_opened_all_the_same(tmp_path):
    with made(tmp_path / "a.speco3") as session, made(tmp_path / "b.speco3") as other:
        session.record_verdict(1, ACCEPT)
        other.record_verdict(1, REJECT)
        merge(session, other)
        with session.database.writing() as connection:
            connection.execute(update(log).where(log.c.origin != "").values(origin_id=None))
            connection.execute(delete(facts).where(facts.c.key == RULE))
    with open_session(tmp_path / "a.speco3", "Ada") as session:
        assert session.judgements(1)[0].opinion.verdict == Verdict.REJECT
        with pytest.raises(SessionError, match="damaged"):
            session.undo()


def test_it_mends(file_location):
    with made(file_location, count=1200) as session:
        for number in range(1, 1201, 2):
            session.record_verdict(number, ACCEPT)
        whole = derived(session)
        with session.database.writing() as connection:
            connection.execute(delete(judgements).where(judgements.c.candidate_id < 900))
            connection.execute(update(candidates).values(judged_by=5))
        assert derived(session) != whole
        assert rebuilt(session) == whole
