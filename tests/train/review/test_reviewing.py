from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from tests.scripted_engine import ScriptedEngine
from tests.train.review.helpers import stages
from train.review.pool import Pool, open_pool
from train.review.programs import SCREENER, run_panel
from train.review.reviewing import judge_cases


class TestJudge:
    def test_a_model_judges_what_waits(self, pool: Pool) -> None:
        run_panel(pool, names=[SCREENER])
        good = '{"coherence": 5, "consistency": 4, "note": "fine\\u0000"}'
        texts = iter([good, "no idea"])
        engine = ScriptedEngine(lambda turn: next(texts))
        assert judge_cases(pool, "judge", "reviser", engine, limit=2) == (1, 1)
        assert stages(pool) == ["auditor", "reviser", "reviser"]
        heard = engine.conversations[0]
        assert "You are now its referee" in heard.turns[-2].text
        case = next(open_pool(pool.place).cases())
        assert len(heard.pictures) == 1 + len(case.trajectory.looks)
        assert case.reviews[-1].consistency == 4 and "\x00" not in case.reviews[-1].note
