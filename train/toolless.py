"""Inspections without the tool, for the ablation: one picture of the whole spectrum, one answer."""

from dataclasses import replace

from agent.protocol.protocol import SYSTEM, Turn, opening
from agent.tasks.task import Task, guideline_text
from agent.trajectory.trajectory import Trajectory

NO_TOOL = "The tool cannot be used on this spectrum. Answer from the picture of the whole."
RULES = r"""How to work:
1. Think inside <think> </think> before anything else.
2. Judge from the picture of the whole spectrum: there is no other.
3. Answer once: <answer>\boxed{YES} reasons</answer> or <answer>\boxed{NO} reasons</answer>. Name in
   the reasons the features you saw and where."""


def toolless_opening(
    task: Task, *, brief: bool = False, overview_text: str = ""
) -> tuple[Turn, Turn]:
    """System and first user turn that do not speak of a tool; picture 0 is the whole spectrum."""
    if brief:  # the question alone names no tool
        return opening(task, brief=True, overview_text=overview_text)
    text = (
        f"The picture shows the whole spectrum of one object. {task.question}\n\n"
        f"{guideline_text(task)}\n\n{RULES}"
    )
    if overview_text:
        text = f"{text}\n{overview_text}"
    return Turn("system", SYSTEM), Turn("user", text, picture=0)


def without_looks(trajectory: Trajectory) -> Trajectory:
    """The inspection with its last turn alone, as if that were the only one."""
    last = len(trajectory.replies) - 1
    said = [step for step in trajectory.steps if step.turn == last and step.by == "agent"]
    kept = [replace(step, turn=0) for step in said if step.kind in ("think", "answer")]
    return replace(trajectory, steps=tuple(kept), replies=trajectory.replies[-1:])
