"""What a rollout earns: right or wrong, well-formed or not. Equation 3 of the published recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agent.errors import WorkbenchError
from agent.protocol.reply import Verdict, is_well_formed
from agent.trajectory.trajectory import Trajectory

PENALTY = 0.2
"""`a`: what an ill-formed conversation costs."""


def outcome_reward(
    replies: Sequence[str], verdict: Verdict | None, answer: Verdict, penalty: float = PENALTY
) -> float:
    """The reward of the agent's turns, word for word.

    `verdict` is None where it never answered or was cut off: that is wrong, whatever it said.
    """
    right = 1.0 if verdict == answer else 0.0
    return right if is_well_formed(replies) else right - penalty


def reward_of(trajectory: Trajectory, answer: Verdict) -> float:
    """The same for the record of an inspection."""
    return outcome_reward(trajectory.replies, trajectory.verdict, answer)


def check_references(
    trajectories: Iterable[Trajectory], answers: Mapping[tuple[str, str], Verdict]
) -> int:
    """How many reference trajectories there are, all of them with full marks.

    `answers` by task and hash of the spectrum. Raises WorkbenchError for the first that would not
    be rewarded: a model taught to say it would then be punished for it.
    """
    count = 0
    for count, one in enumerate(trajectories, 1):
        answer = answers.get((one.task, one.spectrum.sha256))
        name = f"trajectory {count} ({one.task}, {one.spectrum.object_id or one.spectrum.path})"
        if answer is None:
            raise WorkbenchError(f"{name}: its spectrum has no answer in these sets")
        reward = reward_of(one, answer)
        if reward != 1.0:
            said = one.verdict or "nothing"
            form = "well" if is_well_formed(one.replies) else "ill"
            raise WorkbenchError(
                f"{name}: earns {reward:g}, not 1: it says {said}, {form}-formed, and the answer "
                f"is {answer}"
            )
    return count
