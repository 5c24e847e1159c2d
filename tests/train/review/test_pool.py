import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.examples.examples import read_examples, write_examples
from agent.ratings.records import trajectory_id
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.app.core.database.postgres import Cluster, name_of
from tests.train.review.helpers import Pairs, review
from train.review.pool import Pool, import_drafts, open_pool
from train.review.pool_database import VERSION
from train.review.review_rules import Take


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
    for text in ("first", "second", ""):
        pool.store.save_work(case.id, "Ben", text)
        assert pool.store.work(case.id, "Ben") == text
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
