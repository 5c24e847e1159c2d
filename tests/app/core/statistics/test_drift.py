"""Drift: blocks that hold every verdict once, and a test that sees a change and no other."""

import numpy as np
import pytest
import scipy.stats

from app.core.statistics.agents import read_agents
from app.core.statistics.drift import MAX_BLOCKS, MIN_BLOCK, drift
from app.core.statistics.verdicts import read_verdicts
from tests.app.core.judged_sessions import A, R, U, inspect, say
from tests.app.core.sessions import made


@pytest.fixture
def session(tmp_path):
    with made(tmp_path / "night.speco3", 400) as session:
        yield session


def of(session, reviewer=1, *, with_agent=False):
    agents = read_agents(session)
    return drift(session, read_verdicts(session), reviewer, agents[0] if with_agent else None)


def alternating(numbers, every):
    return {n: A if n % every == 0 else R for n in numbers}


def test_blocks_hold_all_in_the_order_given(session):
    say(session, "Ada", {n: A if n > 200 else U for n in range(300, 0, -1)})
    found = of(session)
    assert len(found.blocks) == 12
    assert sum(block.n for block in found.blocks) == 300
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
    assert found.accepted_by_chance > 0.9
    assert found.words == ""


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
