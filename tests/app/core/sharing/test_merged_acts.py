"""What was judged in one act is known as one act after a merge, in any order, and only that."""

from __future__ import annotations

from dataclasses import replace

from app.core.database.database import write_facts
from app.core.session.records import Verdict
from app.core.session.session import open_session
from app.core.session.together import acts, write_act
from app.core.sharing.merge import merge
from app.core.statistics.agents import read_agent
from app.core.statistics.calibration import calibration_sample
from app.core.statistics.people import reviewer_agreement
from app.core.statistics.summary import statistics
from app.core.statistics.verdicts import read_verdicts
from tests.app.core.judged_sessions import A, R, inspect, say
from tests.app.core.sharing.merged_sessions import copy_of, session_at


def reject(former):
    return replace(former, verdict=Verdict.REJECT)


def alone(session):
    verdicts = read_verdicts(session).one_by_one
    pairs = zip(verdicts.candidate.tolist(), verdicts.reviewer.tolist(), strict=True)
    return {(number, verdicts.names[who]) for number, who in pairs}


def act_count(session):
    with session.database.reading() as connection:
        return sum(len(each) for each in acts(connection).values())


def test_agreement_and_calibration_leave_it_out_here_as_there(location, tmp_path):
    with session_at(location) as here, session_at(tmp_path / "there.speco3", "Ben") as there:
        say(here, "Ada", {1: R, 2: R, 3: A, 4: A})
        inspect(here, "nano", dict.fromkeys(range(1, 6), ("NO", 0.2)))
        there.record_together([1, 2, 3], reject, place="overview")
        say(there, "Ben", {4: A, 5: R})
        merge(here, there)
        assert act_count(here) == 1
        assert alone(here) == {*((n, "Ada") for n in range(1, 5)), (4, "Ben"), (5, "Ben")}
        (pair,) = reviewer_agreement(read_verdicts(here).one_by_one).pairs
        assert pair.every.n == 1
        assert [each.every.n for each in statistics(here).people.pairs] == [1]
        sample = calibration_sample(read_verdicts(here), read_agent(here, "nano", "ab" * 32))
        assert (len(sample.judged), sample.together) == (5, 0)
        merge(here, there)
        assert act_count(here) == 1


def test_acts_of_two_people_that_overlap_both_come(tmp_path):
    """As on a server, where the lines of others lie between."""
    with session_at(tmp_path / "a.speco3") as here, session_at(tmp_path / "b.speco3", "Ben") as two:
        for number in range(1, 4):
            say(two, "Ben", {number: R})
            say(two, "Cyd", {number: R})
        with two.database.writing() as connection:
            for first, last in ((1, 5), (2, 6)):
                write_act(connection, first, last, "overview")
        assert alone(two) == set()
        merge(here, two)
        assert act_count(here) == 2
        assert alone(here) == set()


def test_by_way_of_a_third_file_and_back(tmp_path):
    first, second, third = (
        session_at(tmp_path / f"{name}.speco3", name) for name in ("Ada", "Ben", "Cyd")
    )
    with first, second, third:
        first.record_together([1, 2, 3], reject, place="overview")
        say(second, "Ben", {1: A})
        say(third, "Cyd", {2: A})
        merge(second, first)
        merge(third, second)
        merge(third, first)
        merge(first, third)
        for session in (first, second, third):
            assert act_count(session) == 1
            assert not [pair for pair in alone(session) if pair[1] == "Ada"]
        assert first.undo().others == 2


def test_where_an_older_program_has_merged_the_lines_the_act_comes_later(tmp_path):
    with session_at(tmp_path / "a.speco3") as here, session_at(tmp_path / "b.speco3", "Ben") as two:
        two.record_together([1, 2, 3], reject, place="overview")
        merge(here, two)
        with here.database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM facts WHERE key LIKE 'act:%'")
        assert len(alone(here)) == 3
        merge(here, two)
        assert alone(here) == set()


def test_no_other_session_takes_our_verdicts_out(tmp_path):
    """A copy with our lines claims that they were one act, or that more was in one than was."""
    place = tmp_path / "a.speco3"
    with session_at(place) as here:
        say(here, "Ada", {1: A, 2: A, 3: R})
    with open_session(place, "Ada") as here:
        forged = copy_of(place, "forged")
        with open_session(forged, "Ben") as other:
            say(other, "Ben", {1: A, 2: R})
            for notes in ({"act:1": "1 3 overview"}, {"act:1": "1 99 x", "act:4": "4 999999 x"}):
                with other.database.writing() as connection:
                    write_facts(connection, notes)
                merge(here, other)
        assert act_count(here) == 0
        assert len(alone(here)) == 5
