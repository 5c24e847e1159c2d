"""Several programs that inspect one session on a server: each candidate is inspected once."""

import os
import random
import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count, islice
from typing import Any, cast

import pytest
from sqlalchemy import func, select

from app.core.database.tables import candidates, inspections, leases
from app.core.errors import SessionError
from app.core.inspections import leases as claims_module
from app.core.inspections.batch import inspect_all
from app.core.inspections.leases import Leases
from app.core.inspections.store import Share, add_inspection, pending_candidates
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.worker.pool import PoolResult, WorkerPool
from tests.app.core.database.postgres import name_of
from tests.app.core.inspected import NANO, OTHER, said
from tests.app.core.inspections.test_batch import Workers
from tests.app.core.session import recorder
from tests.app.core.session.recorder import Order, line_of, nursery, tell
from tests.app.core.sessions import change, made

AT_WORK = 3
PEOPLE = ("Ada", "Ben")
PRESSES = 60


class Telling:
    """A pool that tells what it is given, some at once, and says YES to it."""

    def run(self, requests: Iterable[tuple[int, Any]]) -> Iterator[PoolResult[int]]:
        source = iter(requests)
        while given := list(islice(source, AT_WORK)):
            for number, _ in given:
                tell("begun", number)
            for number, _ in given:
                yield PoolResult(number, said(number=number))


def work(order: Order) -> None:
    if order["copy"] < len(PEOPLE):
        judge(order, PEOPLE[order["copy"]])
    else:
        inspect(order)


def judge(order: Order, reviewer: str) -> None:
    chance = random.Random(reviewer)
    with open_session(order["location"], reviewer) as session:
        for _ in range(PRESSES):
            opinion = Opinion(verdict=chance.choice(list(Verdict)))
            entry = session.record_verdict(chance.randint(1, session.count()), opinion)
            if entry is not None:
                tell("judged", entry.id, line_of(entry))


def inspect(order: Order) -> None:
    with open_session(order["location"], "Ada") as session:
        tell("inspector", os.getpid())
        pool = cast(WorkerPool, Telling())
        for each in inspect_all(session, pool, NANO, wait=True, lease_s=order["lease_s"]):
            tell("stored", each.candidate.id)


recorder.WORKS["inspect"] = work

if __name__ == "__main__":
    recorder.main()


LONG_S = 600.0


def claimed(session):
    return session.database.rows(select(leases.c.candidate_id).order_by("candidate_id"))


def numbers_of(rounds):
    return [[each.id for each in some] for some in rounds]


def test_what_one_has_claimed_another_does_not_get(team_location):
    with made(team_location, 6) as session:
        ada, ben = Leases(session, NANO), Leases(session, NANO)
        assert ada.take([1, 2, 3]) == {1, 2, 3}
        assert ben.take([2, 3, 4]) == {4}
        assert ada.take([1, 4]) == set(), "one's own are taken, too"
        assert Leases(session, OTHER).take([1, 4]) == {1, 4}, "another model is another matter"


def test_a_claim_is_given_up_once_the_result_is_stored(team_location):
    with made(team_location, 4) as session:
        ada, ben = Leases(session, NANO), Leases(session, NANO)
        assert ada.take([1, 2, 3]) == {1, 2, 3}
        add_inspection(session, 1, said())
        add_inspection(session, 2, said(None, None, stopped_by="error"))
        for number in (1, 2):
            ada.finished(number)
        assert ada.take([4]) == {4}
        assert [row[0] for row in claimed(session)] == [3, 4]
        assert ben.take([1, 2, 3, 4]) == {2}, "what failed may be tried again"


def test_the_claims_of_the_dead_expire(team_location):
    with made(team_location, 3) as session:
        assert Leases(session, NANO, lease_s=0).take([1, 2]) == {1, 2}
        assert Leases(session, NANO, lease_s=LONG_S).take([1, 2, 3]) == {1, 2, 3}
        assert Leases(session, NANO).take([1, 2, 3]) == set()


def test_claims_are_renewed_while_one_works(team_location):
    with made(team_location, 1) as session, Leases(session, NANO, lease_s=4.0) as mine:
        query = select(func.max(leases.c.expires))
        mine.take([1])
        found = set()
        for _ in count():
            with session.database.reading() as connection:
                found.add(connection.execute(query).scalar())
            if len(found) == 3:  # it took two renewals
                break


def test_old_claims_are_cleared_away_and_one_s_own_given_up(team_location):
    with made(team_location, 3) as session:
        Leases(session, NANO, lease_s=0).take([1])
        Leases(session, NANO, lease_s=LONG_S).take([2])
        with Leases(session, NANO) as mine:
            assert [row[0] for row in claimed(session)] == [2]
            assert mine.take([1, 2, 3]) == {1, 3}
        assert [row[0] for row in claimed(session)] == [2]


def test_what_was_done_meanwhile_is_not_claimed(team_location):
    """Its page of the list was read before another program stored its result."""
    with made(team_location, 5) as session:
        pending = list(pending_candidates(session, NANO))
        add_inspection(session, 2, said())
        assert numbers_of(Leases(session, NANO).rounds(pending, wait=True)) == [[1, 3, 4, 5]]
        assert [row[0] for row in claimed(session)] == [1, 3, 4, 5]


def test_one_who_waits_takes_what_others_leave(team_location, monkeypatch):
    monkeypatch.setattr(claims_module, "POLL_S", 0.01)
    with made(team_location, 6) as session:
        dead, slow = Leases(session, NANO), Leases(session, NANO)
        dead.take([1, 2])
        slow.take([4, 5])
        late = Leases(session, NANO)
        found = []
        for turn, some in enumerate(late.rounds(pending_candidates(session, NANO), wait=True)):
            for each in some:
                found.append(each.id)
                add_inspection(session, each.id, said())
                late.finished(each.id)
            if turn == 1:
                add_inspection(session, 4, said())
            if turn == 2:
                change(session, leases.update().values(expires=0.0))
        assert found == [3, 6, 1, 2, 5]
        assert turn >= 3


def test_limit_and_share_count_what_was_claimed(team_location):
    with made(team_location, 20) as session:
        Leases(session, NANO).take([1, 2, 3])
        pending = pending_candidates(session, NANO, share=Share.parse("2/2"))
        (found,) = numbers_of(Leases(session, NANO).rounds(pending, 4, wait=True))
        assert found == [5, 7, 9, 11]


@pytest.mark.parametrize(
    ("took_s", "sizes"), [(0.1, [1, 2, 4, 8, 16, 32, 64, 64]), (30.0, [1, 1, 1])]
)
def test_as_many_at_once_as_take_some_seconds(team_location, monkeypatch, took_s, sizes):
    with made(team_location, sum(sizes)) as session:
        clock = count(step=took_s)
        monkeypatch.setattr(claims_module.time, "monotonic", lambda: next(clock))
        mine, taken = Leases(session, NANO), []
        take = mine.take
        monkeypatch.setattr(mine, "take", lambda some: taken.append(len(some)) or take(some))
        numbers_of(mine.rounds(pending_candidates(session, NANO)))
        assert taken == sizes


def test_a_batch_gives_up_its_claims_however_it_ends(team_location):
    workers = Workers(lambda number: said(number=number))
    with made(team_location, 5) as session:
        run = inspect_all(session, workers, NANO)
        next(run)
        assert claimed(session)
        run.close()
        assert claimed(session) == []
        assert [each.candidate.id for each in inspect_all(session, workers, NANO)] == [2, 3, 4, 5]
        assert claimed(session) == []


def test_a_file_needs_no_claims(file_location, monkeypatch):
    monkeypatch.delattr("app.core.inspections.batch.Leases")
    workers = Workers(lambda number: said(number=number))
    with made(file_location, 3) as session:
        assert len(list(inspect_all(session, workers, NANO, wait=True))) == 3


def test_a_server_that_is_gone_at_the_end_keeps_what_was_stored(cluster, team_location):
    with made(team_location, 2) as session:
        name = name_of(team_location)
        with pytest.raises(SessionError, match="not currently accepting"), Leases(session, NANO):
            cluster.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            cluster.cut_connections(name)
            add_inspection(session, 1, said())
        cluster.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


@pytest.mark.parametrize("programs", [2, 4])
def test_one_of_several_programs_is_killed(team_location, programs):
    """Two people judge meanwhile. Nothing is lost, nothing done twice but by the dead one."""
    size, children = 80, programs + len(PEOPLE)
    made(team_location, size).close()
    with nursery("tests.app.core.inspections.test_leases") as running:
        running.order("inspect", team_location, copies=children, lease_s=LONG_S)
        told = []
        while sum(each[0] == "stored" for each in told) < size // 4:
            told.append(running.told())
        dead = next(each[1] for each in told if each[0] == "inspector")
        os.kill(dead, signal.SIGKILL)
        had = set()
        while sum(each[0] == "over" for each in told) < children:
            line = running.told(0.5)
            if line is not None:
                told.append(line)
                continue
            # Now, as the server may still have had its last words when it died.
            had |= expire(team_location, dead)
    # It may have been killed between its last answer and giving up what it had claimed.
    had |= expire(team_location, dead)
    assert not [each for each in told if each[0] in ("fault", "refused")]
    begun = Counter(each[1] for each in told if each[0] == "begun")
    assert set(begun) == set(range(1, size + 1))
    twice = {number for number, times in begun.items() if times > 1}
    assert twice <= had and max(begun.values()) <= 2
    with open_session(team_location, "Ada") as session, session.database.reading() as connection:
        assert {row[0] for row in claimed(session)} <= had
        rows = connection.execute(select(inspections.c.candidate_id)).scalars().all()
        assert sorted(rows) == list(range(1, size + 1))
        shown = select(func.count()).where(candidates.c.agent_verdict == "YES")
        assert connection.execute(shown).scalar_one() == size
        lines = {entry.id: line_of(entry) for entry in session.history()}
        assert lines == {each[1]: each[2] for each in told if each[0] == "judged"}


def expire(location, pid):
    """As after `LONG_S`: what the program had claimed is free."""
    with open_session(location, "Ada") as session, session.database.writing() as connection:
        his = leases.c.holder.like(f"% {pid} %")
        gone = leases.update().where(his).values(expires=0.0).returning(leases.c.candidate_id)
        return set(connection.execute(gone).scalars())
