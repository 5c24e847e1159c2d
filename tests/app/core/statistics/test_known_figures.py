"""Completeness and purity of each person on what is known, and their change over a night."""

from dataclasses import replace

import pytest
from sqlalchemy import insert

from agent.confidence.scores import wilson
from app.core.database.tables import known_answers
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics.known_figures import MIN_BLOCK, known_figures
from tests.app.core.judged_sessions import say
from tests.app.core.sessions import made

A, R, U = Verdict


@pytest.fixture
def session(file_location):
    """Candidates 1 to 40 are known: the odd ones are members, the first ten are simulated."""
    with made(file_location, 60) as opened:
        rows = [
            {
                "candidate_id": number,
                "is_member": number % 2 == 1,
                "class_name": "CV" if number % 2 else "M dwarf",
                "simulated": number <= 10,
                "source": f"{number}.fits:0",
            }
            for number in range(1, 41)
        ]
        with opened.database.writing() as connection:
            connection.execute(insert(known_answers), rows)
        yield opened


def test_completeness_and_purity_with_their_intervals(session):
    say(session, "Ada", {1: A, 3: A, 5: R, 7: U, 2: A, 4: R, 6: R, 50: A})
    say(session, "Grace", {1: A})
    ada, grace = known_figures(session)
    assert (ada.reviewer, ada.members, ada.members_accepted) == ("Ada", 4, 2)
    assert (ada.others, ada.others_accepted, ada.unsure, ada.simulated) == (3, 1, 1, 7)
    assert (ada.completeness.value, ada.purity.value) == (2 / 4, 2 / 3)
    assert (ada.completeness.low, ada.completeness.high) == wilson(2, 4)
    assert (ada.purity.low, ada.purity.high) == wilson(2, 3)
    assert ada.wrong == 2 and ada.words == ""
    assert (grace.completeness.value, grace.purity.value, grace.members) == (1.0, 1.0, 1)


def test_no_figure_tells_which_answers_were_wrong(session):
    """`stats --json` prints all of it, to people who may still judge them."""
    say(session, "Ada", {1: A, 3: R, 5: R, 2: R, 4: A})
    say(session, "Grace", {1: R, 3: R, 5: A, 2: A, 4: R})
    ada, grace = (replace(each, reviewer="", blocks=()) for each in known_figures(session))
    assert ada == grace and ada.wrong == 3


def test_nothing_is_said_of_who_accepted_nothing_and_who_may_not_write_reads_it(session, tmp_path):
    say(session, "Ada", {2: R, 4: R})
    (ada,) = known_figures(session)
    assert ada.completeness.value is None and ada.purity.value is None
    assert len(ada.blocks) == 1
    say(session, "Ada", {1: A})
    with open_session(session.location, "Grace", read_only=True) as reader:
        assert len(known_figures(reader)) == 1
    with made(tmp_path / "other.speco3") as session:
        say(session, "Ada", {1: A})
        assert known_figures(session) == ()


def test_the_first_verdict_counts_as_the_answer_is_told_after_it(session):
    session.record_verdict(1, Opinion(verdict=R))
    session.undo()
    session.record_verdict(1, Opinion(verdict=A))
    session.record_verdict(2, Opinion(comment="hm"))
    session.record_verdict(2, Opinion(verdict=U))
    session.record_verdict(2, Opinion(verdict=R))
    (ada,) = known_figures(session)
    assert (ada.members_accepted, ada.others_accepted, ada.unsure) == (0, 0, 1)


def test_what_is_judged_with_others_in_one_act_counts_too(session):
    """Also where the act was on the flags of what was judged before."""
    say(session, "Ada", {1: A})
    session.record_group_act(
        range(1, 6), lambda former: replace(former, flags=("star",)), place="overview"
    )
    session.record_group_act(
        range(2, 9), lambda former: replace(former, verdict=A), place="overview"
    )
    (ada,) = known_figures(session)
    assert (ada.members, ada.members_accepted, ada.others, ada.others_accepted) == (4, 4, 4, 4)
    assert (ada.completeness.value, ada.purity.value) == (1.0, 0.5) and ada.together == 7


def test_a_person_who_tires_is_told_and_a_steady_one_is_not(session):
    right = {number: A if number % 2 else R for number in range(1, 41)}
    wrong = {number: R if number % 2 else A for number in range(1, 41)}
    say(session, "Steady", right)
    say(session, "Tired", {n: (right if n <= 20 else wrong)[n] for n in right})
    steady, tired = known_figures(session)
    assert (len(steady.blocks), len(tired.blocks)) == (40 // MIN_BLOCK, 40 // MIN_BLOCK)
    assert sum(block.n for block in tired.blocks) == 40
    assert tired.blocks[0].correct.value == 1.0 and tired.blocks[-1].correct.value == 0.0
    assert tired.blocks[0].since <= tired.blocks[0].until <= tired.blocks[-1].since
    assert steady.words == ""
    assert "100 % at first and 0 % at last" in tired.words
