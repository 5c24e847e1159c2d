"""The rules of review: who may do what next with a trajectory, and how it is decided.

A case is screened, revised, audited twice, and voted on by the reviser and the auditors. Nobody
holds two roles on one trajectory, and a review of one wording does not count for another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from agent.curation.reviews import ROLES, Review, Role, version_of
from agent.errors import WorkbenchError
from agent.trajectory.trajectory import Trajectory

Stage = Role | Literal["approved", "rejected"]
STAGES: tuple[Stage, ...] = (*ROLES, "approved", "rejected")
AUDITORS = 2
VOTES_TO_PASS = 2
"""Votes needed from the three who revised and audited."""


@dataclass(eq=False)
class Case:
    """One trajectory of the pool with its reviews, in order."""

    id: str
    trajectory: Trajectory
    reviews: list[Review] = field(default_factory=list)
    void_reasons: list[str] = field(default_factory=list)
    """Reasons why recorded reviews do not count."""

    @property
    def replies(self) -> tuple[str, ...]:
        """The replies in their latest wording."""
        revised = [review.replies for review in self.reviews if review.replies]
        return revised[-1] if revised else self.trajectory.replies

    @property
    def version(self) -> str:
        return version_of(self.replies)

    @property
    def stage(self) -> Stage:
        """The role that reviews next, or the decision."""
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
        """The voters: the reviser and the auditors of this wording."""
        found = [*self._by("reviser")[-1:], *self._current("auditor")[:AUDITORS]]
        return tuple(review.by for review in found)

    def refusal(self, by: str, role: Role) -> str:
        """The reason why this person may not review in this role now, or an empty text."""
        if self.stage in ("approved", "rejected"):
            return f"{self.id} is already {self.stage}"
        if self.stage != role:
            return f"{self.id} waits for the {self.stage}"
        if role == "voter":
            if by not in self.panel:
                return f"{by} neither revised nor audited {self.id}: only those who did may vote"
            if any(vote.by == by for vote in self._current("voter")):
                return f"{by} has already voted on {self.id}"
            return ""
        held = {review.role for review in self.reviews if review.by == by} - {"voter"}
        if held:
            return f"{by} is already {sorted(held)[0]} of {self.id}: nobody may hold two roles"
        return ""

    def add(self, review: Review) -> None:
        """Add a review; raises WorkbenchError if it breaks the rules."""
        reason = self.refusal(review.by, review.role)
        if not reason and review.version != self.version:
            reason = f"{self.id} was revised since {review.by} read it"
        if not reason and review.replies and review.role != "reviser":
            reason = f"only the reviser may change the words of {self.id}"
        if reason:
            raise WorkbenchError(reason)
        self.reviews.append(review)

    def add_recorded(self, reviews: Sequence[Review]) -> None:
        """Add reviews from a file that people may have edited; those that break rules are void."""
        for review in reviews:
            try:
                self.add(review)
            except WorkbenchError as error:
                self.void_reasons.append(str(error))

    def _by(self, role: Role) -> list[Review]:
        return [review for review in self.reviews if review.role == role]

    def _current(self, role: Role) -> list[Review]:
        return [review for review in self._by(role) if review.version == self.version]
