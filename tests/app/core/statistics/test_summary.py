"""All numbers of a session: they add up, and come out as JSON that anything can read."""

import json
from dataclasses import replace

import pytest

from agent.confidence.scores import Estimate
from app.core.inspections.store import mark_fault
from app.core.report.people_section import counts_bar
from app.core.session.records import Opinion
from app.core.session.session import open_session
from app.core.statistics import number_format
from app.core.statistics.adjudication import set_adjudicator
from app.core.statistics.calibration import calibrate
from app.core.statistics.repeats import record_repeat
from app.core.statistics.summary import statistics, to_plain
from tests.agent.confidence.judged_samples import sample_judged
from tests.app.core.judged_sessions import A, R, U, inspect, inspect_scores, nano_sample, say
from tests.app.core.sessions import change, change_file, made

SEEN = {"verdict": "YES"}


def refuse(word):
    raise AssertionError(f"{word} is not JSON")


def read(found):
    return json.loads(json.dumps(to_plain(found), allow_nan=False), parse_constant=refuse)


def test_an_empty_session(file_location):
    with made(file_location, 0) as session:
        found = statistics(session)
    assert found.counts.candidates == found.counts.judged == found.counts.open == 0
    assert (found.reviewers, found.agents, found.drift, found.repeats) == ((), (), (), ())
    told = read(found)
    assert told["people"]["several"]["kappa"] == {"value": None, "low": None, "high": None}
    assert (told["session"], told["task"]) == ("night", "cataclysmic variable")


def test_counts_add_up(file_location):
    with made(file_location, 10) as session:
        say(session, "Ada", {1: A, 2: R, 3: U, 4: A, 5: A})
        say(session, "Ben", {4: R, 5: A, 6: R})
        say(session, "Ben", {7: R}, SEEN)
        inspect(session, "nano", {1: ("YES", 0.9), 8: ("NO", 0.1)})
        inspect(session, "other", {8: ("NO", None), 9: (None, None)}, stopped_by="error")
        mark_fault(session, 10, "cut short")
        found = statistics(session)
        counts = found.counts
        assert (counts.accepted, counts.rejected, counts.unsure, counts.disputed) == (2, 3, 1, 1)
        assert (counts.judged, counts.open, counts.candidates) == (7, 3, 10)
        assert (counts.inspected, counts.unreadable) == (3, 1)
        ada, ben = found.reviewers
        assert (ada.name, ada.judged, ada.accepted, ada.unsure, ada.blind) == ("Ada", 5, 3, 1, 5)
        assert (ben.name, ben.judged, ben.rejected, ben.blind) == ("Ben", 4, 3, 3)
        nano, other = found.agents
        assert (nano.inspected, nano.yes, nano.no, nano.undecided) == (2, 1, 1, 0)
        assert (other.inspected, other.no, other.undecided, other.failed) == (2, 1, 1, 2)
        set_adjudicator(session, "Ben")
        assert statistics(session).counts.disputed == 0


def test_json_says_what_the_record_says(file_location, rng):
    judged = sample_judged(rng, 120, prior=0.4)
    with made(file_location, 150) as session:
        inspect_scores(session, judged.p)
        say(session, "Ada", dict(enumerate([A if real else R for real in judged.label], 1)))
        say(session, "Ben", dict.fromkeys(range(1, 61), R))
        record_repeat(session, 1, Opinion(verdict=U))
        found = statistics(session)
        told = read(found)
        assert told == to_plain(found) and told["counts"]["judged"] == found.counts.judged
        pair = found.people.pairs[0]
        assert told["people"]["pairs"][0]["every"]["kappa"]["value"] == pair.every.kappa.value
        assert told["people"]["pairs"][0]["by_snr"][0]["name"] == "S/N not known"
        assert told["repeats"][0]["differing"] == [1]
        assert [len(each["blocks"]) for each in told["drift"]] == [4, 2]
        agent = told["agents"][0]
        assert agent["people"]["scores"]["precision"]["value"] is not None
        assert agent["reliability"]["raw"][0]["n"] > 0
        assert (agent["calibration"], agent["judged"]) == (None, 120 - found.counts.disputed)
        assert agent["calibration_state"].startswith("Not calibrated")
        assert read(statistics(session)) == told


def test_the_state_of_calibration(file_location, rng):
    judged = sample_judged(rng, 60, prior=0.4)
    with made(file_location, 60) as session:
        inspect(session, "nano", {n: ("YES", p) for n, p in enumerate(judged.p.tolist(), 1)})
        say(session, "Ada", dict(enumerate([A if real else R for real in judged.label], 1)))
        calibrate(session, nano_sample(session))
        (agent,) = statistics(session).agents
        assert agent.calibration == "platt" and "on 60 of your verdicts" in agent.calibration_state
        change(session, "UPDATE calibrations SET content = '[]'")
        (agent,) = statistics(session).agents
        assert agent.calibration is None
        assert agent.calibration_state.startswith("Not calibrated: calibration 1 of")


def test_reading_alone_is_enough(file_location):
    with made(file_location, 5) as session:
        say(session, "Ada", {1: A})
    with open_session(file_location, "Ben", read_only=True) as session:
        assert statistics(session).counts.accepted == 1


def test_verdicts_on_candidates_that_are_gone(file_location):
    with made(file_location, 3) as session:
        say(session, "Ada", {1: A, 2: A, 3: R})
        change_file(file_location, "DELETE FROM candidates WHERE id > 1")
        counts = statistics(session).counts
        assert counts.candidates == 1 and counts.open == 0
        assert "<svg" in counts_bar(counts)


def test_what_was_judged_in_one_act_is_done_but_measures_nobody(file_location):
    with made(file_location, 8) as session:
        say(session, "Ada", {1: A, 2: R})
        say(session, "Ben", {1: A, 3: R})
        session.reviewer = "Ada"
        session.record_group_act(
            [3, 4, 5], lambda former: replace(former, verdict=R), place="overview"
        )
        found = statistics(session)
        assert (found.counts.judged, found.counts.open) == (5, 3)
        ada = next(each for each in found.reviewers if each.name == "Ada")
        assert (ada.accepted, ada.rejected) == (1, 4)
        assert next(each for each in found.working if each.reviewer == "Ada").left == 3
        assert [pair.every.n for pair in found.people.pairs] == [1]


# Numbers as people read them.
def test_numbers_as_people_read_them():
    found = [number_format.percent(each) for each in (0.9512, 0.999, 0.0, 1.0, 0.05)]
    assert found == ["95.1 %", "99.9 %", "0 %", "100 %", "5 %"]
    assert number_format.rough_percent(0.9512) == "95 %"
    assert [number_format.percent(each) for each in (0.9999, 0.99996)] == ["99.99 %", "99.996 %"]
    shares = (1.0, 0.999, 0.994, 0.004, 0.0)
    told = [number_format.rough_percent(each) for each in shares]
    assert told == ["100 %", "> 99 %", "99 %", "< 1 %", "0 %"]
    found = [number_format.threshold(each) for each in (0.9999, 0.99996, 0.5, 1.0)]
    assert found == [*("0.9999", "0.99996", "0.5", "1")]
    told = [number_format.about(each) for each in (0.04, 9.94, 10.4, 12345.6)]
    assert told == ["0.0", "9.9", "10", "12,346"]
    seconds = (0.4, 89, 91, 3540, 3600, 12_000, 35_000, 147_000, 2_250_000)
    assert [number_format.duration(each) for each in seconds] == [
        *("0 s", "89 s", "2 min", "59 min", "1 h 0 min", "3 h 20 min", "9 h 43 min"),
        *("41 h", "625 h"),
    ]
    assert number_format.with_interval(Estimate(0.7, -0.001, 1.0)) == "0.70 (0.00 to 1.00)"
    assert number_format.with_interval(Estimate(None, float("nan"), float("nan"))) == "–"


@pytest.mark.parametrize(("p", "told"), [
    (0.0, "< 0.001"), (0.0004, "< 0.001"), (0.0012, "0.0012"), (0.5, "0.5"), (0.9996, "> 0.999"),
])  # fmt: skip
def test_a_chance_is_never_told_as_certain(p, told):
    assert number_format.chance(p) == told
