"""Rebuilds the conversation of a recorded inspection, word for word."""

from collections.abc import Iterator, Sequence

from agent.errors import TrajectoryError
from agent.protocol.protocol import GO_ON, Turn, person_text
from agent.protocol.reply import solution
from agent.protocol.rules import OURS, RULES, Rules
from agent.protocol.wording import Wording, opening
from agent.tasks.task import Task
from agent.trajectory.trajectory import Step, Trajectory


def turns_of(task: Task, trajectory: Trajectory, wording: Wording | None = None) -> list[Turn]:
    """The conversation of a trajectory, for training and for resuming an inspection.

    Picture 0 is the whole spectrum, picture n + 1 is `trajectory.looks[n]`. An inspection in a
    wording needs that `wording`, or a TrajectoryError says so; one in our words ignores it.
    """
    rules = RULES[trajectory.rules]
    wording, brief = _own_wording(trajectory, wording), is_brief(trajectory)
    told = trajectory.overview_text
    turns = [*opening(task, wording=wording, brief=brief, overview_text=told, calls=rules.calls)]
    numbers = {id(look): number for number, look in enumerate(trajectory.looks, 1)}
    turns += _person_turns(trajectory.steps, -1, numbers)
    for number, reply in enumerate(trajectory.replies):
        turns.append(Turn("assistant", reply))
        last = _last_step(trajectory.steps, number)
        answer = None if last is None else feedback(last, numbers.get(id(last)), rules)
        if answer is not None:
            turns.append(answer)
        turns += _person_turns(trajectory.steps, number, numbers)
    return turns


def is_brief(trajectory: Trajectory) -> bool:
    """Whether the prompt was the question alone, without guideline and rules."""
    return trajectory.style.get("brief") is True


def feedback(last: Step, picture: int | None, rules: Rules = OURS) -> Turn | None:
    """The turn that answers an agent's turn ending in `last`; None after an answer."""
    if last.kind == "zoom":
        return Turn("tool", last.error or last.text, picture)
    if last.error:
        return Turn("user", last.error)
    return None if last.kind == "answer" or rules.is_published else Turn("user", GO_ON)


def person_turn(step: Step, picture: int | None) -> Turn | None:
    """The turn that shows a person's step to the agent; None if its window cannot be drawn."""
    if step.error:
        return None
    return Turn("user", person_text(step.range, step.label, step.text), picture)


def said_in(steps: Sequence[Step], replies: Sequence[str]) -> str:
    """All that agent and tool said, as the published scorer reads it."""
    lasts = (_last_step(steps, number) for number in range(len(replies)))
    texts = [last.error or last.text if last and last.kind == "zoom" else None for last in lasts]
    return solution(replies, texts)


def _own_wording(trajectory: Trajectory, wording: Wording | None) -> Wording | None:
    """The wording if it is the one that the trajectory names."""
    ref = trajectory.wording
    if not ref.sha256:
        return None
    if wording is None or wording.sha256 != ref.sha256:
        known = f"{ref.name} ({ref.sha256[:12]})"
        raise TrajectoryError(f"it was inspected in the wording {known}, which is not here")
    return wording


def _last_step(steps: Sequence[Step], turn: int) -> Step | None:
    """The agent's last step in one of its turns."""
    own = [step for step in steps if step.by == "agent" and step.turn == turn]
    return own[-1] if own else None


def _person_turns(steps: Sequence[Step], after: int, numbers: dict[int, int]) -> Iterator[Turn]:
    for step in steps:
        if step.by == "person" and step.turn == after:
            turn = person_turn(step, numbers.get(id(step)))
            if turn is not None:
                yield turn
