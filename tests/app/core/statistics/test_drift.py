"""Drift: blocks that hold every verdict once, and a test that sees a change and no other."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from sqlalchemy import insert

from app.core.database.tables import known_answers
from app.core.session.group_acts import write_act
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics.agents import read_agents
from app.core.statistics.drift import MAX_BLOCKS, MIN_BLOCK, drift
from app.core.statistics.people import subclass_statistics
from app.core.statistics.summary import statistics
from app.core.statistics.verdicts import read_verdicts
from tests.app.core.judged_sessions import A, R, U, inspect, say
from tests.app.core.sessions import change, change_file, made


def of(session, reviewer=1, *, with_agent=False):
    agents = read_agents(session)
    return drift(session, read_verdicts(session), reviewer, agents[0] if with_agent else None)


def alternating(numbers, every):
    return {n: A if n % every == 0 else R for n in numbers}


def test_blocks_hold_all_in_the_order_given(session):
    say(session, "Ada", {n: A if n > 200 else U for n in range(300, 0, -1)})
    found = of(session)
    assert len(found.blocks) == 12 and sum(block.n for block in found.blocks) == 300
    assert [block.unsure.value for block in found.blocks] == [0] * 4 + [1] * 8
    assert [block.accepted.value for block in found.blocks] == [1] * 4 + [None] * 8
    lines = list(session.history())
    assert (found.blocks[0].since, found.blocks[-1].until) == (lines[0].at, lines[-1].at)
    assert found.words == ""


@pytest.mark.parametrize(
    ("n", "blocks"), [(1, 1), (MIN_BLOCK, 1), (2 * MIN_BLOCK, 2), (400, MAX_BLOCKS)]
)
def test_as_many_blocks_as_verdicts_bear(session, n, blocks):
    say(session, "Ada", alternating(range(1, n + 1), 2))
    assert len(of(session).blocks) == blocks


def test_a_changed_mind_moves_to_where_it_was_changed(session):
    say(session, "Ada", dict.fromkeys(range(1, 51), R))
    say(session, "Ada", {1: A})
    first, last = of(session).blocks
    assert (first.accepted.value, last.accepted.value) == (0.0, 1 / 25)


def test_a_steady_hand_is_left_alone(session):
    say(session, "Ada", alternating(range(1, 401), 3))
    found = of(session)
    assert found.accepted_by_chance > 0.9 and found.words == ""


def test_chance_is_scipys(session, rng):
    verdicts = {n: A if rng.random() < 0.2 + n / 1000 else R for n in range(1, 301)}
    say(session, "Ada", verdicts)
    blocks = np.array_split([verdict is A for verdict in verdicts.values()], 12)
    table = [[block.sum(), (~block).sum()] for block in blocks]
    expected = scipy.stats.chi2_contingency(table, correction=False).pvalue
    assert of(session).accepted_by_chance == pytest.approx(expected)


def test_a_change_is_told_with_its_likely_cause(session):
    verdicts = alternating(range(1, 201), 2) | alternating(range(201, 401), 10)
    say(session, "Ada", verdicts)
    assert "50 % at first, 12 % now, from 9 % to 50 % overall" in of(session).words
    assert "A repeat round would show" in of(session).words
    inspect(session, "nano", {n: ("YES" if v is A else "NO", 0.5) for n, v in verdicts.items()})
    assert "the list may vary" in of(session, with_agent=True).words


def test_a_change_that_the_agent_does_not_share(session):
    inspect(session, "nano", {n: ("YES" if n % 2 == 0 else "NO", n / 400) for n in range(1, 401)})
    say(session, "Ada", alternating(range(1, 201), 2) | dict.fromkeys(range(201, 401), R))
    found = of(session, with_agent=True)
    assert "review some objects again" in found.words
    assert [round(block.with_agent.value, 1) for block in found.blocks] == [1] * 6 + [0.5] * 6
    assert found.blocks[0].p_yes == pytest.approx(np.mean(np.arange(1, 35)) / 400)


def test_agreement_with_people_block_by_block(session):
    say(session, "Ada", dict.fromkeys(range(1, 51), A))
    say(session, "Ben", dict.fromkeys(range(1, 26), A) | dict.fromkeys(range(26, 38), R))
    say(session, "Cy", dict.fromkeys(range(1, 26), U))
    first, last = of(session).blocks
    assert (first.with_people.value, last.with_people.value) == (0.5, 0.0)
    assert first.with_people.low < 0.5 < first.with_people.high


# Numbers of sub-classes, and kappa by level.


ADA = ("DN/WZ Sge", "DN/DN outburst", "DN", "NL", "NL/SW Sex", "polar", "")
BEN = ("DN/WZ Sge", "DN/WZ Sge", "DN", "DN", "NL/SW Sex", "", "IP")


@pytest.fixture
def classed(location):
    for name, given in (("Ben", BEN), ("Ada", ADA)):
        opened = made(location, 8, name) if name == "Ben" else open_session(location, name)
        with opened:
            for number, path in enumerate(given, 1):
                opened.record_verdict(number, Opinion(verdict=Verdict.ACCEPT, subclass=path))
    with open_session(location, "Ada") as opened:
        yield opened


def test_numbers_and_kappa_by_level_are_in_the_statistics(classed):
    told = subclass_statistics(classed).counts
    assert told == {"DN": 2, "DN/WZ Sge": 1, "IP": 1, "NL/SW Sex": 1, "polar": 1}
    first, second = subclass_statistics(classed).pairs
    assert (first.first, first.second, first.level) == ("Ada", "Ben", 1)
    # Of five that both have named four agree, where chance alone gives 14 of 25.
    assert (first.agreement.n, first.agreement.observed.value) == (5, 0.8)
    assert first.agreement.kappa.value == pytest.approx((0.8 - 14 / 25) / (1 - 14 / 25))
    assert (second.level, second.agreement.n) == (2, 3)
    assert second.agreement.observed.value == pytest.approx(2 / 3)
    found = statistics(classed)
    assert found.subclasses.counts["DN"] == 2 and found.subclasses.counts["DN/WZ Sge"] == 1


def test_what_was_given_in_one_act_is_counted_but_not_compared(classed):
    classed.record_group_act([1, 2, 3], finer("polar"), place="overview")
    assert subclass_statistics(classed).pairs[0].agreement.n == 2
    classed.undo()
    classed.record_group_act([1, 2, 3], lambda one: replace(one, flags=("x",)), place="overview")
    assert subclass_statistics(classed).pairs[0].agreement.n == 5


def test_an_opinion_that_names_no_line_of_the_log_is_counted(file_location):
    """As in a session from a stranger; it lies within an act, so nothing compares it."""
    with made(file_location, 8, "Ben") as opened:
        for number, path in enumerate(BEN, 1):
            opened.record_verdict(number, Opinion(verdict=Verdict.ACCEPT, subclass=path))
        with opened.database.writing() as connection:
            write_act(connection, 1, 99, "overview")
    change_file(file_location, "UPDATE judgements SET log_id = 50 WHERE candidate_id = 1")
    with open_session(file_location, "Ada") as opened:
        assert subclass_statistics(opened).counts["DN/WZ Sge"] == 2


def finer(path):
    return lambda former: replace(former, subclass=path)


def test_a_known_answer_is_no_member_of_a_sub_class(classed):
    values = {"candidate_id": 1, "is_member": True, "class_name": "CV", "simulated": False}
    change(classed, insert(known_answers).values(**values, source="a.fits:0"))
    found = subclass_statistics(classed)
    assert "DN/WZ Sge" not in found.counts and found.pairs[0].agreement.n == 4
