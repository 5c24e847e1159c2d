"""Verdicts as arrays: all that stand, which were blind, and what holds for each candidate."""

import random
from dataclasses import replace

import numpy as np
import pytest

from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.group_acts import acts as session_acts
from app.core.session.group_acts import write_act
from app.core.session.records import Opinion
from app.core.session.session import open_session
from app.core.statistics import verdicts as module
from app.core.statistics.adjudication import set_adjudicator
from app.core.statistics.verdicts import VERDICTS, common_indexes, read_verdicts, settled
from tests.app.core.judged_sessions import A, R, U, say, set_snr
from tests.app.core.sessions import change, change_file, made
from tests.night import seeds

SEEN = {"verdict": "YES", "model": "nano"}


@pytest.fixture
def session(location):
    with made(location, 30) as session:
        yield session


def told(verdicts):
    """{(candidate, name): (verdict, blind verdict)}"""
    words = [*VERDICTS, None]
    return {
        (int(candidate), verdicts.names[int(number)]): (words[code], words[blind])
        for candidate, number, code, blind in zip(
            verdicts.candidate, verdicts.reviewer, verdicts.verdict, verdicts.blind, strict=True
        )
    }


def holds(verdicts, **how):
    found = settled(verdicts, **how)
    words = [*VERDICTS, None]
    return {int(c): words[v] for c, v in zip(found.candidate, found.verdict, strict=True)}


def test_all_that_stand_and_no_more(session):
    verdicts = read_verdicts(session)
    assert len(verdicts) == 0 and verdicts.reviewers == ()
    assert len(settled(verdicts)) == 0
    say(session, "Ben", {3: A, 1: R, 2: U})
    say(session, "Ada", {3: R, 7: A, 8: None})
    say(session, "Ada", {7: None})
    set_snr(session, {3: 12.5})
    verdicts = read_verdicts(session)
    found = told(verdicts)
    assert found == {(1, "Ben"): (R, R), (2, "Ben"): (U, U), (3, "Ben"): (A, A), (3, "Ada"): (R, R)}
    assert np.all(np.diff(verdicts.candidate) >= 0)
    assert dict(zip(verdicts.candidate.tolist(), verdicts.snr.tolist(), strict=True))[3] == 12.5
    assert np.isnan(verdicts.snr[0])


def test_pages_make_no_difference(session, monkeypatch):
    for name in ("Ada", "Ben", "Cy"):
        say(
            session,
            name,
            {number: random.Random(name + str(number)).choice(VERDICTS) for number in range(1, 31)},
        )
    whole = told(read_verdicts(session))
    assert len(whole) == 90
    for page in (1, 2, 7):
        monkeypatch.setattr(module, "PAGE", page)
        assert told(read_verdicts(session)) == whole


def test_what_a_person_said_before_they_saw(session):
    expected = {}
    for number, (lines, blind) in enumerate(
        [
            ([(A, {})], A),
            ([(A, SEEN)], None),
            ([(R, {}), (A, {})], A),
            ([(R, {}), (A, SEEN)], R),
            ([(R, {}), (A, SEEN), (R, SEEN), (U, {})], R),
            ([(None, {}), (A, SEEN)], None),
            ([(R, {}), (None, {}), (A, SEEN)], None),
            ([(A, SEEN), (R, {})], None),
        ]
    ):
        for verdict, shown in lines:
            say(session, "Ada", {number + 1: verdict}, shown)
        expected[number + 1, "Ada"] = lines[-1][0], blind
    assert told(read_verdicts(session)) == expected


def test_a_verdict_taken_back_was_never_said(session):
    session.record_verdict(1, Opinion(verdict=A))
    session.undo()
    session.record_verdict(1, Opinion(verdict=R), shown=SEEN)
    assert told(read_verdicts(session)) == {(1, "Ada"): (R, None)}
    session.record_verdict(1, Opinion(verdict=U))
    session.undo()
    session.undo()
    session.redo()
    assert told(read_verdicts(session)) == {(1, "Ada"): (R, None)}


@pytest.mark.parametrize("seed", seeds(by_day=2, by_night=4))
def test_any_history_equals_a_model(session, seed):
    chance = random.Random(seed)
    chains: dict[tuple[int, str], list] = {}
    for _ in range(150):
        name, number = chance.choice(["Ada", "Ben"]), chance.randint(1, 6)
        verdict, seen = chance.choice([*VERDICTS, None]), chance.random() < 0.3
        chain = chains.setdefault((number, name), [])
        if chain and chain[-1][0] == verdict:
            continue
        say(session, name, {number: verdict}, SEEN if seen else {})
        chain.append((verdict, seen))
    expected = {}
    for key, chain in chains.items():
        before = []
        for verdict, seen in chain:
            if seen:
                break
            before.append(verdict)
        if chain[-1][0] is not None:
            expected[key] = (chain[-1][0], before[-1] if before else None)
    assert told(read_verdicts(session)) == expected


def test_a_log_that_points_at_itself_ends(session):
    say(session, "Ada", {1: A, 2: R})
    change(session, "UPDATE log SET before_id = id")
    assert len(read_verdicts(session)) == 2
    with session.database.writing() as connection:
        connection.exec_driver_sql("UPDATE log SET before_id = 1, verdict = 'PERHAPS' WHERE id = 2")
        connection.exec_driver_sql("UPDATE judgements SET verdict = 'PERHAPS' WHERE log_id = 1")
    assert told(read_verdicts(session)) == {(2, "Ada"): (R, R)}


def test_what_holds_for_each_candidate(session):
    say(session, "Ada", {1: A, 2: A, 3: U, 4: A})
    say(session, "Ben", {2: A, 3: U, 4: R, 5: R})
    assert holds(read_verdicts(session)) == {1: A, 2: A, 3: U, 4: None, 5: R}
    say(session, "Eve", {4: U, 1: R})
    set_adjudicator(session, "Eve")
    assert holds(read_verdicts(session)) == {1: R, 2: A, 3: U, 4: U, 5: R}


def test_what_holds_blind(session):
    say(session, "Ada", {1: A, 2: R})
    say(session, "Ben", {1: A, 2: R, 3: A}, SEEN)
    say(session, "Ada", {2: A}, SEEN)
    assert holds(read_verdicts(session)) == {1: A, 2: None, 3: A}
    assert holds(read_verdicts(session), blind=True) == {1: A, 2: R}


def test_the_adjudicator_after_a_restart(session, location):
    say(session, "Ada", {1: A})
    say(session, "Eve", {1: R})
    set_adjudicator(session, "Eve")
    session.close()
    with open_session(location, "Ada", read_only=True) as reopened:
        verdicts = read_verdicts(reopened)
        assert verdicts.names[verdicts.adjudicator] == "Eve" and holds(verdicts) == {1: R}


def test_what_two_columns_share():
    rng = np.random.default_rng(5)
    for _ in range(200):
        some, rising = (rng.permutation(40)[: rng.integers(0, 40)] for _ in range(2))
        rising = np.sort(rising)
        here, there = common_indexes(some, rising)
        assert some[here].tolist() == rising[there].tolist()
        assert set(some[here].tolist()) == set(some.tolist()) & set(rising.tolist())


def test_a_verdict_of_nobody_is_damage(file_location):
    with made(file_location) as session:
        say(session, "Ada", {1: A})
        change_file(file_location, "DELETE FROM reviewers")
        with pytest.raises(SessionError, match="the reviewer of a judgement"):
            read_verdicts(session)


def test_verdicts_of_one_act_are_told_apart_but_not_those_it_only_flagged(session):
    say(session, "Ada", {1: A, 2: R, 9: A})

    def flagged(former):
        return replace(former, flags=("star",))

    def rejected(former):
        return replace(former, verdict=R)

    session.record_group_act([1, 2], flagged, place="overview")
    session.record_group_act([2, 3, 4, 5], rejected, place="overview")
    say(session, "Ada", {5: A})
    session.record_group_act([5, 6], flagged, place="overview")
    assert told(read_verdicts(session)).keys() == {(n, "Ada") for n in (1, 2, 3, 4, 5, 9)}
    assert told(read_verdicts(session).one_by_one).keys() == {(n, "Ada") for n in (1, 2, 5, 9)}
    session.undo()
    say(session, "Ada", {3: U})
    assert told(read_verdicts(session).one_by_one).keys() == {(n, "Ada") for n in (1, 2, 3, 5, 9)}


def test_lines_of_others_between_those_of_an_act_are_no_part_of_it(session):
    """As on a server, where two people write at once."""
    say(session, "Ben", {7: A})
    session.reviewer = "Ada"
    session.record_group_act([1, 2], lambda former: replace(former, verdict=R), place="overview")
    with session.database.writing() as connection:
        first, last = session_acts(connection)[2][0]
        connection.exec_driver_sql(f"UPDATE log SET reviewer_id = 1 WHERE id = {last}")
        connection.exec_driver_sql(f"UPDATE judgements SET reviewer_id = 1 WHERE log_id = {last}")
        verdict_log.record(connection, 3, 2, Opinion(verdict=R))
        write_act(connection, first, last + 1, "overview")
    assert told(read_verdicts(session).one_by_one).keys() == {(2, "Ben"), (7, "Ben")}
