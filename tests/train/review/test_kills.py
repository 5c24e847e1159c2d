"""Nothing acknowledged is lost when the program is killed, in any step of a draft's way."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agent.ratings.records import trajectory_id
from agent.trajectory.trajectory_file import read_trajectories
from tests.app.core.session.recorder import nursery
from tests.night import seeds
from tests.train.review.reviewing import PEOPLE, act
from train.review.export import export_approved
from train.review.pool import Pool, import_drafts, open_pool
from train.review.revision import revision_from_text

STAGES = ("screener", "reviser", "auditor", "voter")
KILLS = 3


@pytest.fixture(scope="module")
def children():
    with nursery("tests.train.review.reviewing") as running:
        yield running


@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=20))
@pytest.mark.parametrize("stage", STAGES)
def test_killed_in_each_step(children, placed_pool: Pool, stage: str, seed: int) -> None:
    pool = placed_pool
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
            assert "So it begins" in work[0].turns[0].thought
    with pool.store.writing():  # the lock of the dead does not bar the living
        pass


@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=20))
def test_killed_while_drafts_come_in(
    children, place, many_drafts: Path, example_set: Path, seed: int
) -> None:
    chance = random.Random(f"import-{seed}")
    for _ in range(KILLS):
        children.order("import", place, drafts=str(many_drafts), set=str(example_set))
        said = children.killed(chance, within_s=0.15)
        assert not [line for line in said if line[0] in ("fault", "refused")]
    pool, _ = import_drafts(place, [many_drafts], [example_set])
    drafted = {trajectory_id(each) for each in read_trajectories(many_drafts)}
    assert sorted(case.id for case in pool.cases()) == sorted(drafted)
    for case in pool.cases():
        assert pool.example(case).sha256 == case.trajectory.spectrum.sha256
    pool.store.close()


@pytest.mark.parametrize("seed", seeds(by_day=1, by_night=20))
def test_killed_while_it_is_exported(
    children, placed_pool: Pool, tmp_path: Path, seed: int
) -> None:
    pool, out = placed_pool, tmp_path / "approved.jsonl"
    chance = random.Random(f"export-{seed}")
    bring_to(pool, "approved")
    count = len(list(pool.cases()))
    for _ in range(KILLS):
        children.order("export", pool.place, out=str(out))
        said = children.killed(chance)
        assert not [line for line in said if line[0] in ("fault", "refused")]
        assert not out.is_file() or len(list(read_trajectories(out))) == count
        assert out.is_file() or not [line for line in said if line[0] == "kept"]
    assert export_approved(open_pool(pool.place), out).count == count


def bring_to(pool: Pool, stage: str) -> None:
    """Review every draft until it waits in this stage."""
    for case in list(pool.cases()):
        while case.stage != stage:
            by = next(name for name in PEOPLE if not case.refusal(name, case.stage))
            case = pool.add_review(act(pool, case, by))


def key(review) -> tuple[str, ...]:
    return review.trajectory, review.role, review.by, review.note


def test_half_a_draft_of_a_dead_import_is_overwritten(
    pool: Pool, drafts: Path, example_set: Path
) -> None:
    before = [case.id for case in pool.cases()]
    with (Path(pool.place) / "pool.jsonl").open("ab") as file:
        file.write(b'{"version": 1, "task": "C')
    found = open_pool(pool.place)
    assert [case.id for case in found.cases()] == before
    again, new = import_drafts(pool.place, [drafts], [example_set])
    cases = [case.id for case in again.cases()]
    assert new and cases[: len(before)] == before and len(cases) == len(before) + new


def test_half_a_line_of_a_dead_program_is_overwritten(pool: Pool) -> None:
    bring_to(pool, "reviser")
    path = Path(pool.place) / "reviews.jsonl"
    before = list(pool.store.reviews())
    with path.open("ab") as file:
        file.write(b'{"trajectory": "half')
    case = next(iter(open_pool(pool.place).cases_at("reviser")))
    pool.add_review(act(pool, case, "Ada"))
    assert len(list(open_pool(pool.place).store.reviews())) == len(before) + 1
