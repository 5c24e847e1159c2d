"""Whose word holds, and the list of what is to be talked over."""

import random

import pytest

from app.core.errors import SessionError
from app.core.session.records import Judgement, Opinion, Verdict
from app.core.statistics import adjudication as module
from app.core.statistics.adjudication import (
    adjudicator_of,
    disputes,
    final_opinion,
    set_adjudicator,
)
from app.core.statistics.verdicts import NONE, VERDICTS, read_verdicts, settled
from tests.app.core.judged_sessions import A, R, U, inspect, say


def judgement(reviewer, verdict, at="2026-01-01", **more):
    opinion = Opinion(verdict=verdict, **more)
    return Judgement(candidate_id=1, reviewer=reviewer, opinion=opinion, at=at, log_id=1)


def test_one_person_alone_and_nobody():
    mine = judgement("Ada", A, confidence=4, flags=("odd",), comment="x")
    found = final_opinion([mine, judgement("Ben", None, comment="hm")], "Ben")
    assert (found.settled_by, found.opinion, found.reviewers) == ("one", mine.opinion, ("Ada",))
    assert found.at == mine.at
    assert final_opinion([]).opinion == Opinion()
    assert final_opinion([]).settled_by == "nobody"
    commented = final_opinion([judgement("Ada", None, comment="later")])
    assert (commented.settled_by, commented.opinion.comment) == ("nobody", "later")


def test_people_of_one_mind():
    given = [
        judgement("Ada", A, "2026-01-02", confidence=4, flags=("odd", "sky"), comment="broad"),
        judgement("Ben", A, "2026-01-03", confidence=2, flags=("odd",)),
        judgement("Cy", A, "2026-01-01", comment="yes"),
    ]
    found = final_opinion(given)
    told = (found.settled_by, found.reviewers, found.at)
    assert told == ("unanimous", ("Ada", "Ben", "Cy"), "2026-01-03")
    assert found.opinion == Opinion(
        verdict=A, confidence=2, flags=("odd", "sky"), comment="Ada: broad\nCy: yes"
    )


@pytest.mark.parametrize("other", [R, U])
def test_people_who_differ_have_no_verdict_until_somebody_speaks(other):
    given = [judgement("Ada", A, flags=("odd",)), judgement("Ben", other)]
    found = final_opinion(given)
    assert (found.settled_by, found.opinion.verdict) == ("disagreement", None)
    assert found.opinion.flags == ("disagreement", "odd")
    assert (found.reviewers, found.at) == (("Ada", "Ben"), "")
    spoken = final_opinion([*given, judgement("Eve", U, comment="no way to tell")], "Eve")
    told = (spoken.settled_by, spoken.opinion.verdict, spoken.reviewers)
    assert told == ("adjudicator", U, ("Eve",))
    assert spoken.opinion.comment == "no way to tell"
    assert final_opinion([*given, judgement("Eve", None)], "Eve").settled_by == "disagreement"


def test_the_list_of_what_people_differ_on(session):
    say(session, "Ada", {1: A, 2: A, 3: R, 4: U, 6: None})
    say(session, "Ben", {1: A, 2: R, 3: U, 5: R, 6: A})
    found = list(disputes(session))
    told = [(each.candidate_id, each.between, each.is_open) for each in found]
    assert told == [(2, ("people",), True), (3, ("people",), True)]
    told = [(j.reviewer, j.opinion.verdict) for j in found[0].judgements]
    assert told == [("Ada", A), ("Ben", R)]


def test_a_word_of_the_adjudicator_ends_it(session):
    say(session, "Ada", {2: A, 3: R})
    say(session, "Ben", {2: R, 3: U})
    assert adjudicator_of(session) is None
    set_adjudicator(session, " Eve  Doe ")
    assert adjudicator_of(session) == "Eve Doe"
    say(session, "Eve Doe", {3: A})
    assert [each.candidate_id for each in disputes(session, only_open=True)] == [2]
    two, three = disputes(session)
    assert (two.final.settled_by, three.final.settled_by) == ("disagreement", "adjudicator")
    assert three.final.opinion.verdict is A
    set_adjudicator(session, None)
    assert adjudicator_of(session) is None
    assert len(list(disputes(session, only_open=True))) == 2


def test_people_and_agent(session):
    inspect(
        session,
        "nano",
        {1: ("YES", 0.9), 2: ("NO", 0.2), 3: ("YES", 0.8), 4: (None, None), 5: ("YES", 0.7)},
    )
    say(session, "Ada", {1: A, 2: A, 3: R, 4: R, 5: A})
    say(session, "Ben", {3: U, 5: R})
    found = list(disputes(session))
    told = [(each.candidate_id, each.between) for each in found]
    assert told == [(2, ("agent",)), (3, ("people", "agent")), (5, ("people", "agent"))]
    told = (found[0].agent_verdict, found[0].agent_p_yes, found[0].agent_model)
    assert told == ("NO", 0.2, "nano")
    assert not found[0].is_open
    assert [each.candidate_id for each in disputes(session, with_agent=False)] == [3, 5]
    assert [each.candidate_id for each in disputes(session, only_open=True)] == [3, 5]


@pytest.mark.parametrize("block", [1, 7, 20_000])
def test_the_list_is_what_the_rule_says_of_each(session, monkeypatch, block):
    monkeypatch.setattr(module, "BLOCK", block)
    chance = random.Random(block)
    inspect(session, "nano", {n: (chance.choice(["YES", "NO", None]), None) for n in range(1, 40)})
    for name in ("Ada", "Ben", "Eve"):
        say(
            session,
            name,
            {n: chance.choice([*Verdict, None]) for n in range(1, 51) if chance.random() < 0.7},
        )
    set_adjudicator(session, "Eve")
    holds = settled(read_verdicts(session))
    codes = dict(zip(holds.candidate.tolist(), holds.verdict.tolist(), strict=True))
    listed = {each.candidate_id: each for each in disputes(session)}
    for number in range(1, 51):
        given = session.judgements(number)
        said = {each.opinion.verdict for each in given} - {None}
        agent = session.candidate(number).agent_verdict
        against = (agent == "YES" and R in said) or (agent == "NO" and A in said)
        assert (number in listed) == (len(said) > 1 or against)
        final = final_opinion(given, "Eve").opinion.verdict
        code = codes.get(number, NONE)
        assert final == (None if code == NONE else VERDICTS[code])


def test_names_nobody_has(session):
    for name in ("x" * 81, "a\x1b"):
        with pytest.raises(SessionError, match="name"):
            set_adjudicator(session, name)
