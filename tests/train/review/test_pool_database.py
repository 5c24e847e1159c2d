"""What differs in a database: the spectra are in it, and its faults are told in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from tests.app.core.database.postgres import Cluster, name_of
from tests.train.review.helpers import review
from train.review.pool import import_drafts, open_pool
from train.review.pool_database import VERSION


@pytest.fixture
def url(cluster: Cluster):
    name = cluster.new_database()
    yield cluster.url(name)
    cluster.drop(name)


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
