"""What conversations earn. One table has what each of the two rewards pays for them."""

from collections.abc import Sequence

import pytest

from agent.protocol.protocol import task_text
from agent.protocol.reply import Verdict, is_well_formed, parse_reply
from agent.protocol.tool import TOOL_NAME
from agent.tasks.catalogue import find_task
from agent.tasks.task import guideline_text
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from agent.trajectory.turns import turns_of
from train.reward import PENALTY, Reading, published_reading
from train.toolless import toolless_opening, without_looks

LOOK = '<think>\nlook\n</think>\n<tool_call>\n{"name": "x", "arguments": {}}\n</tool_call>'
THOUGHT = "<think>\nseen\n</think>\n"
YES = "<think>\nseen\n</think>\n<answer>\\boxed{YES} a line</answer>"
UNTHOUGHT = "<answer>\\boxed{YES} a line</answer>"
UNBALANCED = "<think>\nseen\n<answer>\\boxed{YES} a line</answer>"


def answered(words: str) -> str:
    return f"{THOUGHT}<answer>{words}</answer>"


# Replies of a conversation whose right answer is YES; the strict reward; the published one.
TABLE: dict[str, tuple[tuple[str, ...], float, float]] = {
    "right": ((LOOK, answered(r"\boxed{YES} a line")), 1.0, 1.0),
    "wrong": ((answered(r"\boxed{NO} no line"),), 0.0, 0.0),
    "small letters": ((answered(r"\boxed{yes}"),), -0.2, 1.0),
    "blanks in the box": ((answered(r"\boxed{ YES }"),), -0.2, 1.0),
    "two boxes": ((answered(r"\boxed{YES} rather than \boxed{NO}"),), -0.2, 1.0),
    "two boxes, the first one wrong": ((answered(r"\boxed{NO}, or \boxed{YES}"),), -0.2, 0.0),
    "the same box twice": ((answered(r"\boxed{YES}, so \boxed{YES}"),), 1.0, 1.0),
    "a bare word": ((answered("YES, a line"),), -0.2, 0.8),
    "a bare wrong word": ((answered("no line"),), -0.2, -0.2),
    "both bare words": ((answered("no, or yes"),), -0.2, 0.8),
    "part of a word": ((answered("yesterday"),), -0.2, -0.2),
    "a box outside the answer": ((f"{THOUGHT}\\boxed{{YES}} <answer>so</answer>",), -0.2, 0.8),
    "a wrong box outside": ((f"{THOUGHT}\\boxed{{NO}} <answer>so</answer>",), -0.2, -0.2),
    "a bare word before a box outside": (
        (f"{THOUGHT}\\boxed{{NO}} <answer>YES</answer>",), -0.2, 0.8,
    ),
    "another word in the box": ((answered(r"\boxed{maybe} YES"),), -0.2, -0.2),
    "an empty box": ((answered(r"\boxed{} a line"),), -0.2, -0.2),
    "an empty box and a word": ((answered(r"\boxed{} YES"),), -0.2, 0.8),
    "an empty box after a full one": (
        (f"{THOUGHT}\\boxed{{YES}} <answer>\\boxed{{}}</answer>",), -0.2, 0.8,
    ),
    "an open box": ((answered(r"\boxed{YES"),), -0.2, 0.8),
    "a call and an answer in one turn": (
        (f"{LOOK}\n<answer>\\boxed{{YES}}</answer>",), 0.0, 1.0,
    ),
    "think tags balanced only over the whole": (
        ("<think>\nlook", "</think>\n<answer>\\boxed{YES}</answer>"), 0.8, 1.0,
    ),
    "think tags out of order": (
        ("</think>look<think>\n<answer>\\boxed{YES}</answer>",), 0.8, 1.0,
    ),
    "an open thought": (("<think>\nseen\n<answer>\\boxed{YES}</answer>",), 0.8, 0.8),
    "no thought": ((r"<answer>\boxed{YES}</answer>",), 0.8, 0.8),
    "no thought, wrong": ((r"<answer>\boxed{NO}</answer>",), -0.2, -0.2),
    "two answers, the last one right": (
        (answered(r"\boxed{NO}") + r"<answer>\boxed{YES}</answer>",), 0.8, 0.8,
    ),
    "two answers, the last one wrong": (
        (answered(r"\boxed{YES}") + r"<answer>\boxed{NO}</answer>",), -0.2, -0.2,
    ),
    "an answer that is not closed": ((f"{THOUGHT}<answer>\\boxed{{YES}} a line",), -0.2, 0.8),
    "answer tags out of order": ((f"{THOUGHT}</answer>\\boxed{{YES}}<answer>",), -0.2, 0.8),
    "no answer": ((LOOK,), -0.2, -0.2),
    "only a word": (("<think>\nyes\n</think>",), -0.2, 0.8),
    "nothing": ((), -0.2, -0.2),
}  # fmt: skip


def strict_reward(replies: tuple[str, ...], answer: str) -> float:
    last = parse_reply(replies[-1]) if replies else None
    verdict = last.verdict if last is not None and last.kind == "answer" else None
    return reading(replies, verdict).reward(answer)  # type: ignore[arg-type]


def reading(replies: Sequence[str], verdict: Verdict | None) -> Reading:
    return Reading(verdict, is_well_formed(replies))


@pytest.mark.parametrize("case", TABLE)
class TestOneTable:
    def test_strict(self, case: str):
        replies, strict, _ = TABLE[case]
        assert strict_reward(replies, "YES") == pytest.approx(strict)

    def test_published(self, case: str):
        replies, _, published = TABLE[case]
        assert published_reading("\n".join(replies)).reward("YES") == pytest.approx(published)


def test_words_of_the_tool_count_where_there_is_no_answer():
    told = f"{LOOK}user\n<tool_response>\nThere is no such range.\n</tool_response>assistant\n"
    assert published_reading(told).verdict == "NO"


@pytest.mark.parametrize("word", [r"\boxed{", "<answer>", "<think>", "</answer>", "}"])
def test_a_model_that_repeats_itself_forever_is_not_searched_again_from_every_word(word: str):
    """That would take a regular expression hours, where reading it once takes half a second."""
    assert published_reading(word * (4_000_000 // len(word))).is_well_formed is False


class TestEquationThree:
    def test_the_published_penalty(self):
        assert PENALTY == 0.2

    @pytest.mark.parametrize(("replies", "verdict", "reward"), [
        ((LOOK, YES), "YES", 1.0),
        ((LOOK, UNTHOUGHT), "YES", 1.0),  # thought in another turn: balanced and present
        ((UNTHOUGHT,), "YES", 0.8),
        ((LOOK, UNBALANCED), "YES", 0.8),
        ((YES, YES), "YES", 0.8),  # two answers
        ((LOOK, YES), "NO", 0.0),
        ((UNTHOUGHT,), "NO", -0.2),
    ])  # fmt: skip
    def test_right_or_wrong_well_or_ill_formed(self, replies, verdict, reward):
        said = "YES"
        assert reading(replies, said).reward(verdict) == pytest.approx(reward)

    @pytest.mark.parametrize("answer", ["YES", "NO"])
    def test_unanswered_is_wrong_whatever_the_answer(self, answer):
        assert reading([LOOK], None).reward(answer) == pytest.approx(-0.2)

    def test_cut_off_is_wrong_although_the_words_are_right(self):
        assert reading([LOOK, YES], None).reward("YES") == 0.0

    def test_silence(self):
        assert reading([], None).reward("NO") == pytest.approx(-0.2)

    def test_another_penalty(self):
        assert reading([UNTHOUGHT], "YES").reward("YES", 0.5) == pytest.approx(0.5)
        assert reading([UNTHOUGHT], "YES").reward("NO", 0.0) == 0.0


CV = find_task("CV")
LAST = "<think>\nseen\n</think>\n<answer>\\boxed{YES} a line</answer>"


def test_no_word_of_a_tool() -> None:
    system, user = toolless_opening(CV)
    said = system.text + user.text
    assert "tool" not in said and TOOL_NAME in turns_of(CV, inspected())[0].text
    assert guideline_text(CV) in said and CV.question in said
    assert said.count("\\boxed{") == task_text(CV).count("\\boxed{")
    assert user.picture == 0


def test_a_brief_question_stays_as_it_is() -> None:
    system, user = toolless_opening(CV, brief=True, overview_text="EW 3")
    assert user.text == f"{CV.question}\nEW 3"
    assert "tool" not in system.text


def test_the_last_turn_alone() -> None:
    short = without_looks(inspected())
    assert short.replies == (LAST,)
    assert not short.looks
    roles = [turn.role for turn in turns_of(CV, short)]
    assert roles == ["system", "user", "assistant"]
    assert short.verdict == "YES"


def inspected() -> Trajectory:
    return Trajectory(
        task="CV",
        spectrum=SpectrumRef(object_id="J1", sha256="a"),
        model=ModelRef(name="teacher"),
        replies=("<think>\nlook\n</think>\n<tool_call>...</tool_call>", LAST),
        steps=(
            Step(kind="think", turn=0, text="look"),
            Step(kind="zoom", turn=0, text="drawn", range=(6500, 6600), picture="p"),
            Step(kind="think", turn=1, text="seen"),
            Step(kind="answer", turn=1, text="a line", verdict="YES"),
        ),
        verdict="YES",
        stopped_by="answer",
    )
