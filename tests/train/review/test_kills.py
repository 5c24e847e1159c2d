"""Nothing acknowledged is lost when the program is killed, in any step of a draft's way."""

import base64
import gzip
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

pytest.importorskip("pyarrow")

from agent.ratings.records import Choice, Rating, to_json, trajectory_id
from agent.trajectory.trajectory_file import read_trajectories
from app.core.inspections.ratings import agent_faults, all_ratings, rating_of
from app.core.session.session import open_session
from tests.app.core.database.postgres import Cluster
from tests.app.core.session.recorder import nursery
from tests.night import seeds
from tests.train.review.helpers import give
from tests.train.review.reviewing import PEOPLE, act
from train.review.export import export_approved
from train.review.pool import Pool, import_drafts, open_pool
from train.review.pool_database import TABLES
from train.review.rating_round import open_round, read_records
from train.review.review_rules import review_from, review_to_json
from train.review.revision import revision_from_text
from train.review.session_file import SessionReader

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


# Pools, files of ratings and sessions written by 0.2.0 open, and the work on them goes on.
RELEASED = Path(__file__).parent / "released" / "0.2.0"


def in_folder(folder: Path) -> Pool:
    shutil.copytree(RELEASED, folder / "night")
    note = folder / "night" / "pool" / "pool.json"
    spectra = json.dumps(str(folder / "night" / "spectra.parquet"))
    note.write_text(note.read_text().replace('"SPECTRA"', spectra))
    return open_pool(folder / "night" / "pool")


def in_database(cluster: Cluster, name: str) -> Pool:
    kept = json.loads(gzip.decompress((RELEASED / "pool_database.json.gz").read_bytes()))
    assert kept["tables"] == list(TABLES)
    url = cluster.url(name)
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        for table in kept["tables"]:
            connection.execute(text(table))
        for table, rows in kept["rows"].items():
            for row in rows:
                values = {key: _bytes(value) for key, value in row.items()}
                names, places = ", ".join(values), ", ".join(f":{key}" for key in values)
                connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({places})"), values)
            if rows and "id" in rows[0]:
                last = f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), :last)"
                connection.execute(text(last), {"last": rows[-1]["id"]})
    engine.dispose()
    return open_pool(url)


def _bytes(value: object) -> object:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value


@pytest.fixture(params=["folder", "database"])
def released_pool(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pool]:
    if request.param == "folder":
        yield in_folder(tmp_path)
        return
    cluster = request.getfixturevalue("cluster")
    name = cluster.new_database()
    pool = in_database(cluster, name)
    yield pool
    pool.store.close()
    cluster.drop(name)


def test_a_pool_goes_on_to_its_export(released_pool: Pool, tmp_path: Path) -> None:
    first, second = released_pool.cases()
    assert [case.stage for case in (first, second)] == ["reviser", "reviser"]
    assert not first.void_reasons and not second.void_reasons
    said = [(each.role, each.by, each.approve, each.changes, each.note) for each in first.reviews]
    assert said == [
        ("screener", "Ada", True, False, "clear lines"),
        ("reviser", "Ben", True, False, "begun anew"),
        ("auditor", "Cy", False, True, "why well?"),
        ("auditor", "Di", True, False, ""),
        ("successor", "Ada", False, False, "Ben is on leave"),
    ]
    assert [each.total for each in first.audits] == [8, 9] and first.author == "Ada"
    lines = (RELEASED / "pool" / "reviews.jsonl").read_text().splitlines()
    again = (review_to_json(review_from(json.loads(line))) for line in lines)
    assert [json.dumps(each, ensure_ascii=False) for each in again] == lines
    assert first.reviews[1].diff and first.replies[0].startswith("<think>Well. ")
    assert first.reviews[-1].replaces == "Ben"
    # What Ben has begun and not saved of the second one is still there.
    kept = revision_from_text(released_pool.store.work(second.id, "Ben"))
    assert kept is not None and kept[1] == second.version
    assert kept[0].turns[0].thought.startswith("Not yet saved. ")
    # Three people bring the first one to its end.
    give(released_pool, first.id, "Ada", "reviser", note="it is well")
    for by in ("Cy", "Di"):
        give(released_pool, first.id, by, "auditor", coherence=5, consistency=5)
    for by in ("Ada", "Cy", "Di"):
        case = give(released_pool, first.id, by, "voter")
    assert case.stage == "approved"
    done = export_approved(released_pool, tmp_path / "approved.jsonl")
    (exported,) = read_trajectories(tmp_path / "approved.jsonl")
    assert done.count == 1 and not done.left_out and exported.replies == first.replies


def test_a_file_of_ratings_goes_on(tmp_path: Path) -> None:
    shutil.copytree(RELEASED, tmp_path / "night")
    file = tmp_path / "night" / "night.jsonl"
    records = list(read_records(tmp_path / "night" / "night.ratings.jsonl"))
    assert [type(each) for each in records] == [Rating, Rating, Rating, Choice, Choice, Rating]
    judge = records[-1]
    assert judge.by_model and judge.by == "judge-7b" and judge.note == "a slip"
    assert records[3].preferred != "tie" and records[3].note == "shorter"
    lines = (tmp_path / "night" / "night.ratings.jsonl").read_text().splitlines()
    assert [json.dumps(to_json(each), ensure_ascii=False) for each in records] == lines
    mine = open_round([file], "Ada", seed=3)
    assert mine.rated == 2 and mine.chosen == 2 and len(mine.trajectories) == 4
    latest = mine.rating_of(mine.trajectories[0])
    assert latest is not None and latest.scores == (3, 5) and latest.note == "less fine"
    assert mine.first_unrated() == 2
    mine.rate(mine.trajectories[2], 1, 0)
    assert list(read_records(mine.out))[:-1] == records


def test_the_ratings_of_a_session_are_read(tmp_path: Path) -> None:
    path = tmp_path / "night.speco3"
    path.write_bytes(gzip.decompress((RELEASED / "night.speco3.gz").read_bytes()))
    found = list(SessionReader(str(path)).inspections())
    assert [(each.answer, each.lowest) for each in found] == [("YES", 5), ("NO", 1), ("NO", None)]
    with open_session(path, "Ada") as session:
        assert [(n, each.overall) for n, each in all_ratings(session)] == [(1, 5), (2, 1)]
        given = rating_of(session, 1, found[0].trajectory)
        assert given is not None and given.overall == 5
        assert [each.candidate_id for each in agent_faults(session)] == [2]
