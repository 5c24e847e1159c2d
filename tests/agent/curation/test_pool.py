from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.curation.pool import Pool, import_drafts, open_pool
from agent.curation.store import Take
from agent.errors import WorkbenchError
from agent.ratings.records import trajectory_id
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from tests.agent.curation.helpers import Pairs


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
