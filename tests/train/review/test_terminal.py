from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from tests.train.review.helpers import stages
from tests.train.review.people import people
from train.review.pool import Pool, open_pool
from train.review.programs import SCREENER, run_panel


@pytest.fixture
def screened(pool: Pool) -> Pool:
    run_panel(pool, names=[SCREENER])
    return pool


class TestTerminal:
    def test_a_reviser_changes_a_turn(self, screened: Pool) -> None:
        case = next(screened.cases())
        worded = case.replies[0].replace("<think>", "<think>Let us see. ")
        answers = ["99", "1", "", "a", "7", "4", "5", "a greeting"]
        assert people(screened, "Ben", "reviser", *answers, edit=worded) == 1
        after = next(open_pool(screened.place).cases())
        assert "Let us see" in after.replies[0] and after.stage == "auditor"
        assert after.reviews[-1].note == "a greeting" and after.reviews[-1].coherence == 4
        assert "Let us see" in open_pool(screened.place).current_trajectory(after).steps[0].text

    def test_skipping_and_leaving(self, screened: Pool) -> None:
        assert people(screened, "Ben", "reviser", "", "s", "", "x", "q") == 0
        assert stages(screened) == ["reviser"] * 3

    def test_who_wants_changes_says_which(self, screened: Pool) -> None:
        assert people(screened, "Ben", "reviser", "", "a", "5", "5", "") == 1
        assert people(screened, "Cy", "auditor", "c", "2", "5", "", " ", "name the line") == 1
        case = next(case for case in open_pool(screened.place).cases() if case.author)
        assert case.audits[-1].changes and case.audits[-1].note == "name the line"

    def test_a_person_with_another_role_is_not_asked(self, screened: Pool) -> None:
        assert people(screened, "Ben", "reviser", "", "a", "5", "5", "") == 1
        pool = open_pool(screened.place)
        ben = next(case for case in pool.cases() if case.author == "Ben")
        assert ben.stage == "auditor" and people(pool, "Ben", "auditor") == 0
