"""The windows marked in the overview: the task's, and those the agent looked at."""

from __future__ import annotations

from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from app.ui.plot.strip.bracket_layer import Bracket
from app.ui.translation.data_texts import task_text

LABEL_LENGTH = 60


def task_brackets(task: Task, z: float) -> tuple[Bracket, ...]:
    """The task's diagnostic windows, named by their keys and shifted by the redshift."""
    shift = 1.0 + z
    return tuple(
        Bracket(
            (window.range[0] * shift, window.range[1] * shift),
            window.key,
            f"{window.key}: {task_text(window.label)}",
        )
        for window in task.windows
    )


def agent_brackets(trajectory: Trajectory | None) -> tuple[Bracket, ...]:
    """The windows the agent looked at, numbered in that order."""
    if trajectory is None:
        return ()
    shift = 1.0 + (trajectory.spectrum.z or 0.0)
    return tuple(
        Bracket(
            (step.range[0] * shift, step.range[1] * shift),
            str(number),
            f"{number}: {task_text(' '.join(step.label.split()))[:LABEL_LENGTH]}",
        )
        for number, step in enumerate(trajectory.looks, 1)
        if step.range is not None
    )
