"""The expert process as rules: who may do what next with a trajectory, and what has come of it.

Screen, revise, two audits, a final vote of the three. Nobody holds two roles on one trajectory,
and what is said of one wording does not count for another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import Trajectory
from train.curate.reviews import ROLES, Review, Role, version_of

Stage = Role | Literal["approved", "rejected"]
STAGES: tuple[Stage, ...] = (*ROLES, "approved", "rejected")
AUDITORS = 2
VOTES_TO_PASS = 2
"""Of the three who revised and audited."""


@dataclass(eq=False)
class Case:
    """One trajectory in the pool with all that was said of it, in order."""

    id: str
    trajectory: Trajectory
    reviews: list[Review] = field(default_factory=list)
    void: list[str] = field(default_factory=list)
    """Reviews that do not count, and why."""

    @property
    def replies(self) -> tuple[str, ...]:
        """As last revised."""
        revised = [review.replies for review in self.reviews if review.replies]
        return revised[-1] if revised else self.trajectory.replies

    @property
    def version(self) -> str:
        return version_of(self.replies)

    @property
    def stage(self) -> Stage:
        """The role that is wanted next, or what has been decided."""
        if any(not review.approve for review in self.reviews if review.role != "voter"):
            return "rejected"
        if not self._by("screener"):
            return "screener"
        if not self._by("reviser"):
            return "reviser"
        if len(self._current("auditor")) < AUDITORS:
            return "auditor"
        votes = self._current("voter")
        ayes = sum(vote.approve for vote in votes)
        if ayes >= VOTES_TO_PASS and len(votes) == len(self.panel):
            return "approved"
        return "voter" if len(votes) < len(self.panel) else "rejected"

    @property
    def panel(self) -> tuple[str, ...]:
        """The reviser and the auditors of this wording: they vote."""
        found = [*self._by("reviser")[-1:], *self._current("auditor")[:AUDITORS]]
        return tuple(review.by for review in found)

    def refusal(self, by: str, role: Role) -> str:
        """Why this person may not do this now; empty where they may."""
        if self.stage in ("approved", "rejected"):
            return f"{self.id} is {self.stage} already"
        if self.stage != role:
            return f"{self.id} waits for the {self.stage}"
        if role == "voter":
            if by not in self.panel:
                return f"{by} neither revised nor audited {self.id}: only those three vote"
            if any(vote.by == by for vote in self._current("voter")):
                return f"{by} has voted on {self.id}"
            return ""
        held = {review.role for review in self.reviews if review.by == by} - {"voter"}
        if held:
            return f"{by} is {sorted(held)[0]} of {self.id}: nobody holds two roles on one"
        return ""

    def add(self, review: Review) -> None:
        """Raises WorkbenchError where the review may not count."""
        why = self.refusal(review.by, review.role)
        if not why and review.version != self.version:
            why = f"{self.id} was revised since {review.by} read it"
        if not why and review.replies and review.role != "reviser":
            why = f"only the reviser changes the words of {self.id}"
        if why:
            raise WorkbenchError(why)
        self.reviews.append(review)

    def take(self, reviews: Sequence[Review]) -> None:
        """Reviews from a file that people may have edited: those against the rules are void."""
        for review in reviews:
            try:
                self.add(review)
            except WorkbenchError as error:
                self.void.append(str(error))

    def _by(self, role: Role) -> list[Review]:
        return [review for review in self.reviews if review.role == role]

    def _current(self, role: Role) -> list[Review]:
        return [review for review in self._by(role) if review.version == self.version]
