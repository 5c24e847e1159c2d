from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from train.reward import PENALTY, check_references, outcome_reward, reward_of

LOOK = '<think>\nlook\n</think>\n<tool_call>\n{"name": "x", "arguments": {}}\n</tool_call>'
YES = "<think>\nseen\n</think>\n<answer>\\boxed{YES} a line</answer>"
UNTHOUGHT = "<answer>\\boxed{YES} a line</answer>"
UNBALANCED = "<think>\nseen\n<answer>\\boxed{YES} a line</answer>"


def record(*replies: str, verdict: str | None = "YES", sha256: str = "a") -> Trajectory:
    return Trajectory(
        task="CV",
        spectrum=SpectrumRef(object_id="J1", sha256=sha256),
        model=ModelRef(name="teacher"),
        replies=replies,
        verdict=verdict,  # type: ignore[arg-type]
        stopped_by="answer" if verdict else "turn_limit",
    )


class TestEquationThree:
    def test_the_published_penalty(self):
        assert PENALTY == 0.2

    @pytest.mark.parametrize(
        ("replies", "verdict", "reward"),
        [
            ((LOOK, YES), "YES", 1.0),
            ((LOOK, UNTHOUGHT), "YES", 1.0),  # thought in another turn: balanced and present
            ((UNTHOUGHT,), "YES", 0.8),
            ((LOOK, UNBALANCED), "YES", 0.8),
            ((YES, YES), "YES", 0.8),  # two answers
            ((LOOK, YES), "NO", 0.0),
            ((UNTHOUGHT,), "NO", -0.2),
        ],
    )
    def test_right_or_wrong_well_or_ill_formed(self, replies, verdict, reward):
        said = "YES"
        assert outcome_reward(replies, said, verdict) == pytest.approx(reward)

    @pytest.mark.parametrize("answer", ["YES", "NO"])
    def test_unanswered_is_wrong_whatever_the_answer(self, answer):
        assert outcome_reward([LOOK], None, answer) == pytest.approx(-0.2)

    def test_cut_off_is_wrong_although_the_words_are_right(self):
        assert outcome_reward([LOOK, YES], None, "YES") == 0.0

    def test_silence(self):
        assert outcome_reward([], None, "NO") == pytest.approx(-0.2)

    def test_another_penalty(self):
        assert outcome_reward([UNTHOUGHT], "YES", "YES", 0.5) == pytest.approx(0.5)
        assert outcome_reward([UNTHOUGHT], "YES", "NO", 0.0) == 0.0

    def test_of_a_record(self):
        assert reward_of(record(LOOK, YES), "YES") == 1.0
        assert reward_of(record(LOOK, verdict=None), "YES") == pytest.approx(-0.2)


class TestReferences:
    def test_full_marks(self):
        answers = {("CV", "a"): "YES", ("WD", "a"): "NO"}
        assert check_references([record(LOOK, YES), record(YES)], answers) == 2
        assert check_references([], answers) == 0

    def test_the_first_that_is_wrong_is_named(self):
        with pytest.raises(
            WorkbenchError, match=r"trajectory 2 \(CV, J1\): its reward is 0, not 1: it"
        ):
            check_references(
                [record(YES), record(YES, sha256="b")], {("CV", "a"): "YES", ("CV", "b"): "NO"}
            )

    def test_ill_formed(self):
        with pytest.raises(
            WorkbenchError, match=r"reward is 0\.8, not 1: it is ill-formed, its verdict is YES"
        ):
            check_references([record(UNTHOUGHT)], {("CV", "a"): "YES"})

    def test_without_an_answer(self):
        with pytest.raises(WorkbenchError, match="has no answer in these sets"):
            check_references([record(YES)], {("WD", "a"): "YES"})
