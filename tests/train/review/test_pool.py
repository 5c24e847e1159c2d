"""Nothing acknowledged is lost when the program is killed, in any step of a draft's way."""

import base64
import gzip
import json
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.examples.examples import read_examples, write_examples
from agent.ratings.records import Choice, Rating, to_json, trajectory_id
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from app.core.inspections.ratings import agent_faults, all_ratings, rating_of
from app.core.session.session import open_session
from tests.app.core.database.postgres import Cluster, name_of
from tests.app.core.session.recorder import nursery
from tests.night import seeds
from tests.train.review.helpers import Pairs, give, review
from tests.train.review.reviewing import PEOPLE, act
from train.review.pool import Pool, export_approved, import_drafts, open_pool
from train.review.pool_database import TABLES, VERSION
from train.review.rating_round import open_round, read_records
from train.review.review_rules import Take, review_from, review_to_json
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


class TestPool:
    def test_drafts_come_in_once(self, pool: Pool, drafts: Path, example_set: Path) -> None:
        before = len(list(pool.cases()))
        again, new = import_drafts(pool.place, [drafts], [])
        everything = len(list(read_trajectories(drafts)))
        assert before == 3 and new == everything - 3
        assert import_drafts(pool.place, [drafts], [example_set])[1] == 0
        assert again.store.sets == (example_set.resolve(),)

    def test_a_pool_and_a_rating_name_a_trajectory_alike(self, pool: Pool) -> None:
        cases = list(pool.cases())
        assert cases and all(case.id == trajectory_id(case.trajectory) for case in cases)

    def test_drafts_of_unknown_spectra_are_refused(
        self, tmp_path: Path, pairs: Pairs, example_set: Path
    ) -> None:
        strange = replace(pairs[0][0], spectrum=replace(pairs[0][0].spectrum, sha256="0" * 64))
        write_trajectories(tmp_path / "strange.jsonl", [strange])
        with pytest.raises(WorkbenchError, match="in none of the sets"):
            import_drafts(tmp_path / "pool", [tmp_path / "strange.jsonl"], [example_set])
        assert not (tmp_path / "pool").exists()

    def test_folders_that_are_no_pools(self, tmp_path: Path) -> None:
        with pytest.raises(WorkbenchError, match="not a pool"):
            open_pool(tmp_path)
        (tmp_path / "pool.json").write_text("[]")
        with pytest.raises(WorkbenchError, match="damaged"):
            open_pool(tmp_path)
        with pytest.raises(WorkbenchError, match="--spectra"):
            import_drafts(tmp_path / "new", [], [])

    @pytest.mark.parametrize("at", ["9999-01-01T00:00:00+00:00", "whenever", "2001-01-01"])
    def test_a_wrong_clock_holds_no_draft(self, pool: Pool, at: str) -> None:
        number = next(pool.cases()).id
        pool.store.add_take(Take(trajectory=number, by="Ben", at=at))
        assert pool.case(number).taken_by == ""

    def test_an_import_with_further_sets_is_followed_by_who_has_it_open(
        self, pool: Pool, drafts: Path, example_set: Path, tmp_path: Path
    ) -> None:
        """As somebody's room, while somebody else brings new drafts with their spectra."""
        first, other = pairs_of_sets(example_set, tmp_path)
        lines = drafts.read_text().splitlines(keepends=True)
        mine = tmp_path / "mine.jsonl"
        in_first = {each.sha256 for each in read_examples(first)}
        known = [each for each in lines if json.loads(each)["spectrum"]["sha256"] in in_first]
        mine.write_text("".join(known))
        opened, _ = import_drafts(tmp_path / "both", [mine], [first])
        before = len(list(opened.cases()))
        assert len(opened.store.truths()) == len(in_first)
        import_drafts(tmp_path / "both", [drafts], [other])
        cases = list(opened.cases())
        assert len(cases) > before
        assert {opened.example(case).answer for case in cases}

    def test_who_wants_changes_says_which(self, pool: Pool) -> None:
        case = next(pool.cases())
        for by, role in (("Ben", "screener"), ("Ben", "reviser")):
            pool.add_review(review(case, by, role))
        wish = review(case, "Cy", "auditor", approve=False, changes=True, note=" ")
        with pytest.raises(WorkbenchError, match="say what should change"):
            pool.add_review(wish)

    @pytest.mark.parametrize("wrong", [
        {"coherence": 9}, {"note": "a" * 5000}, {"by": "a" * 200}, {"changes": True, "note": "b"},
    ])  # fmt: skip
    def test_nothing_is_written_that_could_not_be_read_again(self, pool: Pool, wrong: dict) -> None:
        case = next(pool.cases())
        refused = review(case, **{"by": "Ben", "role": "screener"} | wrong)
        with pytest.raises(WorkbenchError):
            pool.add_review(refused)
        with pytest.raises(WorkbenchError):
            pool.add_reviews([refused])
        with pytest.raises(WorkbenchError):
            pool.store.add_take(Take(trajectory=case.id, by="a" * 200, at=""))
        assert not list(pool.store.reviews()) and not list(pool.store.takes())
        assert open_pool(pool.place).case(case.id).stage == "screener"


def pairs_of_sets(example_set: Path, folder: Path) -> tuple[Path, Path]:
    """Two sets with half of the examples each."""
    every = list(read_examples(example_set))
    half = len(every) // 2
    paths = folder / "first.parquet", folder / "other.parquet"
    for path, some in zip(paths, (every[:half], every[half:]), strict=True):
        write_examples(path, some)
    return paths


# What differs in a database: the spectra are in it, and its faults are told in one line.
@pytest.fixture
def url(team_location: str) -> str:
    return team_location


def test_spectra_and_work_are_in_it(url: str, tmp_path: Path, drafts: Path, example_set: Path):
    copy = tmp_path / "cold.parquet"
    copy.write_bytes(example_set.read_bytes())
    pool, count = import_drafts(url, [drafts], [copy])
    copy.unlink()  # whoever reviews needs no file
    pool.store.close()
    pool = open_pool(url)
    assert count == len(list(pool.cases())) == len(pool.store.truths())
    case = next(pool.cases())
    assert pool.example(case).sha256 == case.trajectory.spectrum.sha256
    assert import_drafts(url, [drafts], [])[1] == 0
    before = pool.store.stamp()
    pool.add_review(review(case, "Ада", "screener", note="宽 'quoted'; --"))
    assert pool.store.stamp() != before and pool.case(case.id).stage == "reviser"
    pool.take(case.id, "Ben")
    for content in ("first", "second", ""):
        pool.store.save_work(case.id, "Ben", content)
        assert pool.store.work(case.id, "Ben") == content
    assert open_pool(url).case(case.id).taken_by == "Ben"
    pool.store.close()


def test_nothing_is_written_where_one_part_fails(url: str, drafts: Path, example_set: Path):
    pool, _ = import_drafts(url, [drafts], [example_set])
    case = next(pool.cases())
    with pytest.raises(KeyboardInterrupt), pool.store.writing():
        pool.store.add_reviews([review(case, "Ada", "screener")])
        raise KeyboardInterrupt
    assert list(pool.store.reviews()) == []
    pool.store.close()


def test_a_pool_of_an_older_program_is_brought_up_to_date(
    cluster: Cluster, url: str, drafts: Path, example_set: Path
):
    """One from before drafts under way were kept; and one of a newer program is refused."""
    pool, count = import_drafts(url, [drafts], [example_set])
    pool.store.close()
    name = name_of(url)
    cluster.run("DROP TABLE pool_work", name)
    cluster.run("DROP TABLE pool_about", name)
    pool = open_pool(url)
    case = next(pool.cases())
    pool.store.save_work(case.id, "Ada", "half of it")
    assert open_pool(url).store.work(case.id, "Ada") == "half of it"
    assert len(list(pool.cases())) == count
    assert cluster.run("SELECT version FROM pool_about", name) == [(VERSION,)]
    cluster.run(f"INSERT INTO pool_about VALUES ({VERSION + 1})", name)
    for use in (open_pool, lambda place: import_drafts(place, [drafts], [example_set])):
        with pytest.raises(WorkbenchError, match="newer version of this program"):
            use(url)
    pool.store.close()


def test_a_connection_that_is_cut_is_made_anew(
    cluster: Cluster, url: str, drafts: Path, example_set: Path
):
    pool, _ = import_drafts(url, [drafts], [example_set])
    case = next(pool.cases())
    with pytest.raises(WorkbenchError, match="cannot be used"), pool.store.writing():
        cluster.cut_connections(name_of(url))
        pool.store.add_reviews([review(case, "Ada", "screener")])
    assert list(pool.store.reviews()) == []
    cluster.cut_connections(name_of(url))
    pool.add_review(review(case, "Ada", "screener"))
    assert pool.case(case.id).stage == "reviser"
    pool.store.close()


def test_what_is_no_pool(url: str):
    with pytest.raises(WorkbenchError, match="is not a pool"):
        open_pool(url)
    with pytest.raises(WorkbenchError, match="needs PostgreSQL"):
        open_pool("mysql://ada:secret@host/db")
    with pytest.raises(WorkbenchError, match="cannot be used") as error:
        open_pool("postgresql://ada:secret@127.0.0.1:1/db?connect_timeout=2")
    assert "secret" not in str(error.value)
