"""Rebuilds the conversation of a recorded inspection, word for word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent.protocol.protocol import GO_ON, Turn, opening, person_text
from agent.tasks.task import Task
from agent.trajectory.trajectory import Step, Trajectory


def turns_of(task: Task, trajectory: Trajectory) -> list[Turn]:
    """The conversation of a trajectory, for training and for resuming an inspection.

    Picture 0 is the whole spectrum, picture n + 1 is `trajectory.looks[n]`.
    """
    turns = list(opening(task, brief=is_brief(trajectory), overview_text=trajectory.overview_text))
    numbers = {id(look): number for number, look in enumerate(trajectory.looks, 1)}
    turns += _person_turns(trajectory.steps, -1, numbers)
    for number, reply in enumerate(trajectory.replies):
        turns.append(Turn("assistant", reply))
        own = [step for step in trajectory.steps if step.by == "agent" and step.turn == number]
        answer = feedback(own[-1], numbers.get(id(own[-1]))) if own else None
        if answer is not None:
            turns.append(answer)
        turns += _person_turns(trajectory.steps, number, numbers)
    return turns


def is_brief(trajectory: Trajectory) -> bool:
    """Whether the prompt was the question alone, without guideline and rules."""
    return trajectory.style.get("brief") is True


def feedback(last: Step, picture: int | None) -> Turn | None:
    """The turn that answers an agent's turn ending in `last`; None after an answer."""
    if last.kind == "zoom":
        return Turn("tool", last.error or last.text, picture)
    if last.error:
        return Turn("user", last.error)
    return None if last.kind == "answer" else Turn("user", GO_ON)


def person_turn(step: Step, picture: int | None) -> Turn | None:
    """The turn that shows a person's step to the agent; None if its window cannot be drawn."""
    if step.error:
        return None
    return Turn("user", person_text(step.range, step.label, step.text), picture)


def _person_turns(steps: Sequence[Step], after: int, numbers: dict[int, int]) -> Iterator[Turn]:
    for step in steps:
        if step.by == "person" and step.turn == after:
            turn = person_turn(step, numbers.get(id(step)))
            if turn is not None:
                yield turn
