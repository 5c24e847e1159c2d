from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from tests.train.review.helpers import stages
from train.review.pool import Pool, open_pool
from train.review.programs import SCREENER, run_panel
from train.review.sheet import review_by_sheet


class TestSheet:
    def test_out_and_back(self, pool: Pool, tmp_path: Path) -> None:
        run_panel(pool, names=[SCREENER])
        sheet = tmp_path / "ben.jsonl"
        assert review_by_sheet(pool, "Ben", "reviser", sheet).startswith("3 trajectories")
        lines = [json.loads(line) for line in sheet.read_text().splitlines()]
        lines[0] |= {"approve": True, "coherence": 5, "consistency": 4}
        lines[1] |= {"approve": False, "coherence": 1, "consistency": 0, "note": "invented"}
        lines[0]["replies"][0] = lines[0]["replies"][0].replace("<think>", "<think>Well. ")
        sheet.write_text("".join(json.dumps(line) + "\n" for line in lines))
        said = review_by_sheet(open_pool(pool.place), "Ben", "reviser", sheet)
        assert said.startswith("2 reviews imported") and "1 lines left open" in said
        assert stages(pool) == ["auditor", "rejected", "reviser"]
        assert "Well." in next(open_pool(pool.place).cases()).replies[0]

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"coherence": 9}, "0 to 5"),
            ({"trajectory": "nobody"}, "no such trajectory"),
            ({"version": "old"}, "was revised since"),
        ],
    )
    def test_mistakes_are_named_by_line(
        self, pool: Pool, tmp_path: Path, change: dict[str, object], why: str
    ) -> None:
        sheet = tmp_path / "ann.jsonl"
        review_by_sheet(pool, "Ann", "screener", sheet)
        line = json.loads(sheet.read_text().splitlines()[0])
        sheet.write_text(json.dumps({**line, "approve": True, **change}))
        with pytest.raises(WorkbenchError, match=f"line 1: .*{why}"):
            review_by_sheet(pool, "Ann", "screener", sheet)
