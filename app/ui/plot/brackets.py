"""The windows drawn in the overview: those of the task, and those the agent looked at."""

from __future__ import annotations

from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from app.ui.plot.overview import Bracket
from app.ui.translation.text_pairs import task_words

LABEL_LENGTH = 60


def task_brackets(task: Task, z: float) -> tuple[Bracket, ...]:
    """Named by their keys; they move with the star."""
    shift = 1.0 + z
    return tuple(
        Bracket(
            (window.range[0] * shift, window.range[1] * shift),
            window.key,
            f"{window.key}: {task_words(window.label)}",
        )
        for window in task.windows
    )


def agent_brackets(trajectory: Trajectory | None) -> tuple[Bracket, ...]:
    """Numbered as the agent looked."""
    if trajectory is None:
        return ()
    shift = 1.0 + (trajectory.spectrum.z or 0.0)
    return tuple(
        Bracket(
            (step.range[0] * shift, step.range[1] * shift),
            str(number),
            f"{number}: {task_words(' '.join(step.label.split()))[:LABEL_LENGTH]}",
        )
        for number, step in enumerate(trajectory.looks, 1)
        if step.range is not None
    )
