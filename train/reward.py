"""The reward of a rollout, by verdict and form: equation 3 of the published recipe.

How verdict and form are read is either strict, as in inspections by our models, or as the scorer of
the published weights reads them (`agent.protocol.reply`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.errors import WorkbenchError
from agent.protocol.reply import Verdict, is_published_form, is_well_formed, published_verdict
from agent.trajectory.trajectory import Trajectory

RewardKind = Literal["strict", "published"]

PENALTY = 0.2
"""Cost of an ill-formed conversation, `a` in the paper."""


@dataclass(frozen=True)
class Reading:
    """What a conversation says and whether its form is right.

    `verdict` is None if there is none to be read, which is wrong whatever the answer.
    """

    verdict: Verdict | None
    is_well_formed: bool

    def reward(self, answer: Verdict, penalty: float = PENALTY) -> float:
        right = 1.0 if self.verdict == answer else 0.0
        return right if self.is_well_formed else right - penalty


def published_reading(said: str) -> Reading:
    """What the published scorer makes of all that was said after the prompt."""
    return Reading(published_verdict(said), is_published_form(said))


def outcome_reward(
    replies: Sequence[str], verdict: Verdict | None, answer: Verdict, penalty: float = PENALTY
) -> float:
    """The strict reward; `verdict` is None if the agent never answered or was cut off."""
    return Reading(verdict, is_well_formed(replies)).reward(answer, penalty)


def reward_of(trajectory: Trajectory, answer: Verdict) -> float:
    """The reward of a recorded inspection."""
    return outcome_reward(trajectory.replies, trajectory.verdict, answer)


def check_references(
    trajectories: Iterable[Trajectory], answers: Mapping[tuple[str, str], Verdict]
) -> int:
    """Check that every reference trajectory earns full marks, and return their number.

    `answers` are by task and hash of the spectrum. Raises WorkbenchError for the first that does
    not: RL would punish a model for what SFT taught it.
    """
    count = 0
    for count, one in enumerate(trajectories, 1):
        answer = answers.get((one.task, one.spectrum.sha256))
        name = f"trajectory {count} ({one.task}, {one.spectrum.object_id or one.spectrum.path})"
        if answer is None:
            raise WorkbenchError(f"{name}: its spectrum has no answer in these sets")
        reward = reward_of(one, answer)
        if reward != 1.0:
            verdict = one.verdict or "missing"
            form = "well" if is_well_formed(one.replies) else "ill"
            raise WorkbenchError(
                f"{name}: its reward is {reward:g}, not 1: it is {form}-formed, its verdict is "
                f"{verdict} and the answer is {answer}"
            )
    return count
