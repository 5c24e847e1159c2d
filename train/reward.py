"""The reward of a rollout, by verdict and form: equation 3 of the published recipe.

How verdict and form are read is either strict, as in inspections by our models, or as the scorer of
the published weights reads them (`agent.protocol.reply`).
"""

from dataclasses import dataclass
from typing import Literal

from agent.protocol.reply import Verdict, is_published_form, published_verdict

RewardKind = Literal["strict", "published"]
PENALTY = 0.2  # cost of an ill-formed conversation, `a` in the paper


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
