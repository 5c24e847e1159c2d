from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.examples.examples import read_examples, write_examples
from agent.ratings.records import trajectory_id
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.train.review.helpers import Pairs, review
from train.review.pool import Pool, import_drafts, open_pool
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


def pairs_of_sets(example_set: Path, folder: Path) -> tuple[Path, Path]:
    """Two sets with half of the examples each."""
    every = list(read_examples(example_set))
    half = len(every) // 2
    paths = folder / "first.parquet", folder / "other.parquet"
    for path, some in zip(paths, (every[:half], every[half:]), strict=True):
        write_examples(path, some)
    return paths
