from __future__ import annotations

from agent.protocol.protocol import task_text
from agent.protocol.tool import TOOL_NAME
from agent.tasks.catalogue import find_task
from agent.tasks.task import guideline_text
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from agent.trajectory.turns import turns_of
from train.toolless import toolless_opening, without_looks

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
