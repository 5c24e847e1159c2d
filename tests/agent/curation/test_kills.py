"""Nothing acknowledged is lost when the program is killed, in any step of a draft's way."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agent.curation.pool import Pool, open_pool
from agent.curation.revision import revision_from_text
from tests.agent.curation.reviewing import PEOPLE, act
from tests.app.core.session.recorder import nursery
from tests.night import seeds

STAGES = ("screener", "reviser", "auditor", "voter")
KILLS = 3


@pytest.fixture(scope="module")
def children():
    with nursery("tests.agent.curation.reviewing") as running:
        yield running


@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=20))
@pytest.mark.parametrize("stage", STAGES)
def test_killed_in_each_step(children, pool: Pool, stage: str, seed: int) -> None:
    chance = random.Random(f"{stage}-{seed}")
    bring_to(pool, stage)
    kept: set[tuple[str, ...]] = {key(review) for review in pool.store.reviews()}
    worked: dict[str, str] = {}
    for _ in range(KILLS):
        children.order("one step", pool.place, stage=stage)
        said = children.killed(chance)
        assert not [line for line in said if line[0] in ("fault", "refused")]
        kept |= {tuple(line[1:]) for line in said if line[0] == "kept"}
        worked |= {line[1]: line[2] for line in said if line[0] == "work"}
        found = open_pool(pool.place)
        assert kept <= {key(review) for review in found.store.reviews()}
        cases = {case.id: case for case in found.cases()}
        assert not [case.void_reasons for case in cases.values() if case.void_reasons]
        for number, by in worked.items():  # work is there, or its revision is saved
            work = revision_from_text(found.store.work(number, by))
            assert work is not None
            assert "So it begins" in work.turns[0].thought
    with pool.store.writing():  # the lock of the dead does not bar the living
        pass


def bring_to(pool: Pool, stage: str) -> None:
    """Review every draft until it waits in this stage."""
    for case in list(pool.cases()):
        while case.stage != stage:
            by = next(name for name in PEOPLE if not case.refusal(name, case.stage))
            case = pool.add_review(act(pool, case, by))


def key(review) -> tuple[str, ...]:
    return review.trajectory, review.role, review.by, review.note


def test_half_a_line_of_a_dead_program_is_overwritten(pool: Pool) -> None:
    bring_to(pool, "reviser")
    path = Path(pool.place) / "reviews.jsonl"
    before = list(pool.store.reviews())
    with path.open("ab") as file:
        file.write(b'{"trajectory": "half')
    case = next(iter(open_pool(pool.place).cases_at("reviser")))
    pool.add_review(act(pool, case, "Ada"))
    assert len(list(open_pool(pool.place).store.reviews())) == len(before) + 1
