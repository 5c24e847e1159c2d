from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from agent.errors import EngineError
from tests.scripted_engine import ScriptedEngine
from tests.train.review.helpers import stages
from train.review.model_judge import ModelJudge, judge_pool, read_scores
from train.review.pool import Pool, open_pool
from train.review.programs import SCREENER, run_panel

SCORES = '{"coherence": %s, "consistency": %s}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SCORES % (4, 5), (4, 5, True)),
        ("I think {hard}. ```json\n" + SCORES % ('"3/5"', 4.0) + "\n```", (3, 4, False)),
        ('{"coherence": 5, "consistency": 5, "approve": false, "note": "no"}', (5, 5, False)),
        (SCORES % (1, 1) + " or rather " + SCORES % (2, 2), (2, 2, False)),
    ],
)
def test_scores_in_any_wrapping(text: str, expected: tuple[int, int, bool]) -> None:
    found = read_scores(text)
    assert found is not None
    assert (found.coherence, found.consistency, found.approve) == expected


NO_SCORES = (
    "", "5 and 5", SCORES % (7, 1), SCORES % ("true", 1), SCORES % ("NaN", 4),
    SCORES % ("[4]", "{}"), '{"coherence": 4}', "{" * 3000, "[4, 5]",
)  # fmt: skip


@pytest.mark.parametrize("text", NO_SCORES)
def test_what_is_no_score(text: str) -> None:
    assert read_scores(text) is None


def test_a_model_judges_what_waits_in_a_pool(pool: Pool) -> None:
    run_panel(pool, names=[SCREENER])
    good = '{"coherence": 5, "consistency": 4, "note": "fine\\u0000"}'
    texts = iter([good, "no idea"])
    engine = ScriptedEngine(lambda turn: next(texts))
    counts = judge_pool(ModelJudge(engine=engine, name="judge"), pool, "reviser", limit=2)
    assert (counts.rated, counts.unusable) == (1, 1)
    assert stages(pool) == ["auditor", "reviser", "reviser"]
    heard = engine.conversations[0]
    assert "You are now its referee" in heard.turns[-2].text
    case = next(open_pool(pool.place).cases())
    assert len(heard.pictures) == 1 + len(case.trajectory.looks)
    assert case.reviews[-1].consistency == 4 and "\x00" not in case.reviews[-1].note


def test_what_a_judge_gave_before_it_failed_is_kept(pool: Pool) -> None:
    run_panel(pool, names=[SCREENER])

    def reply(turn: int) -> str:
        if len(engine.conversations) == 2:
            raise EngineError("the server is away")
        return SCORES % (4, 4)

    engine = ScriptedEngine(reply)
    with pytest.raises(EngineError, match="is away"):
        judge_pool(ModelJudge(engine=engine, name="judge"), pool, "reviser")
    assert stages(pool) == ["auditor", "reviser", "reviser"]
