"""The rules of review: who may do what next with a trajectory, and how it is decided.

A case is screened, revised, audited by two further people, and voted on by the three. Auditors who
ask for changes return it to its author, and then see it again. Another may audit it in the place of
one who does not answer, or take it over from its author. A review of one wording does not count for
another.
"""

import difflib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any, Literal, get_args

from agent.errors import WorkbenchError
from agent.hashing import text_hash
from agent.ratings.records import (
    ScoredRecord,
    refuse_unknown,
    said_in,
    scores_in,
    text_in,
    timestamp,
    written,
)
from agent.ratings.rubric import CRITERIA
from agent.trajectory.trajectory import Trajectory

Role = Literal["screener", "reviser", "auditor", "voter"]
ROLES: tuple[Role, ...] = get_args(Role)
ReviewRole = Role | Literal["lead", "successor"]
REVIEW_ROLES: tuple[ReviewRole, ...] = (*ROLES, "lead", "successor")
"""The last two judge nothing: a lead waits no longer for somebody, and a successor takes the draft
over from its author."""

# As they stand in files: a line is written today as it was by the first version.
REVIEW_ORDER = (
    *("trajectory", "role", "by", "approve", "version", "changes", "at"),
    *("coherence", "consistency", "note", "replies", "diff", "replaces"),
)
MAX_NAME = 80
MAX_REPLIES = 64
MAX_DIFF = 4_000_000

AUTHORS: tuple[ReviewRole, ...] = ("reviser", "successor")
Stage = Role | Literal["approved", "rejected"]
STAGES: tuple[Stage, ...] = (*ROLES, "approved", "rejected")
AUDITORS = 2
VOTES_TO_PASS = 2  # votes needed from the three who revised and audited
SILENT_DAYS = 3.0  # without an answer for so long, an auditor or voter is no longer waited for
TAKE_HOURS = 24.0  # how long a draft stays with somebody who neither saves it nor gives it back


@dataclass(frozen=True, kw_only=True)
class Review(ScoredRecord):
    """One review of the wording with the hash `version`.

    `replies` are the new replies of a reviser who changed them, and `diff` shows the change. An
    auditor who does not approve may ask for `changes`; without that the trajectory is rejected.
    A lead `replaces` an auditor who does not answer, and a successor the author.
    """

    trajectory: str
    role: ReviewRole
    approve: bool
    version: str
    changes: bool = False
    replies: tuple[str, ...] = ()
    diff: str = ""
    replaces: str = ""


@dataclass(frozen=True, kw_only=True)
class Take:
    """Somebody took a draft to revise it, or gave it back."""

    trajectory: str
    by: str
    at: str
    is_free: bool = False


def take_from(record: object) -> Take:
    """The take in a JSON object; raises WorkbenchError if it is not a valid one."""
    if not isinstance(record, dict):
        raise WorkbenchError("a take should be an object")
    texts = [record.get(name) for name in ("trajectory", "by", "at")]
    is_free = record.get("is_free", False)
    if not all(isinstance(each, str) and 0 < len(each) <= MAX_NAME for each in texts):
        raise WorkbenchError(f"trajectory, by and at should be texts of 1 to {MAX_NAME} characters")
    if not isinstance(is_free, bool):
        raise WorkbenchError("is_free should be true or false")
    trajectory, by, at = map(str, texts)
    return Take(trajectory=trajectory, by=by, at=at, is_free=is_free)


def take_to_json(take: Take) -> dict[str, Any]:
    """Raises WorkbenchError for one that could not be read again."""
    table = asdict(take)
    take_from(table)
    return table


def days_between(first: str, second: str) -> float:
    """Days from one timestamp to another; 0 where one of them is none."""
    try:
        times = [datetime.fromisoformat(each) for each in (first, second)]
    except ValueError:
        return 0.0
    start, end = (each if each.tzinfo else each.replace(tzinfo=UTC) for each in times)
    return (end - start).total_seconds() / 86_400


def version_of(replies: Sequence[str]) -> str:
    return text_hash("\x1e".join(replies))[:16]


def diff_of(before: Sequence[str], after: Sequence[str]) -> str:
    """A reviser's changes as a unified diff of each turn."""
    return "\n".join(
        line
        for number, (old, new) in enumerate(zip_longest(before, after, fillvalue=""), 1)
        for line in difflib.unified_diff(
            old.splitlines(), new.splitlines(), f"turn {number}", f"turn {number}", lineterm="", n=0
        )
    )


def review_to_json(review: Review) -> dict[str, Any]:
    """Raises WorkbenchError for one that could not be read again: its pool would not open."""
    table = written(review, REVIEW_ORDER, always=("approve",))
    review_from(table)
    return table


def review_from(record: object) -> Review:
    """The review in a JSON object; raises WorkbenchError if it is not a valid one."""
    if not isinstance(record, dict):
        raise WorkbenchError("a review should be an object")
    refuse_unknown(record, Review)
    role = record.get("role")
    if role not in REVIEW_ROLES:
        raise WorkbenchError(f"role should be one of {', '.join(REVIEW_ROLES)}")
    if not isinstance(record.get("approve"), bool):
        raise WorkbenchError("approve should be true or false")
    changes = record.get("changes", False)
    if not isinstance(changes, bool) or (changes and (record["approve"] or role != "auditor")):
        raise WorkbenchError("only an auditor who does not approve may ask for changes")
    if (role in ROLES) == bool(record.get("replaces")):
        raise WorkbenchError("a lead or successor replaces somebody, and nobody else does")
    replies = record.get("replies", [])
    if not isinstance(replies, list | tuple) or len(replies) > MAX_REPLIES:
        raise WorkbenchError(f"replies should be a list of at most {MAX_REPLIES} texts")
    return Review(
        trajectory=text_in(record, "trajectory", 64, needed=True),
        role=role,
        approve=record["approve"],
        version=text_in(record, "version", 64, needed=True),
        changes=changes,
        replies=tuple(text_in({"reply": each}, "reply", 200_000, needed=True) for each in replies),
        diff=text_in(record, "diff", MAX_DIFF),
        replaces=text_in(record, "replaces", MAX_NAME),
        **scores_in(record, CRITERIA),
        **said_in(record, MAX_NAME),
    )


@dataclass(eq=False)
class Case:
    """One trajectory of the pool with its reviews, in order."""

    id: str
    trajectory: Trajectory
    reviews: list[Review] = field(default_factory=list)
    void_reasons: list[str] = field(default_factory=list)
    """Reasons why recorded reviews do not count."""
    taken_by: str = ""  # Who is revising it now; the storage knows.

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
        return self._stage_at(timestamp())

    @property
    def author(self) -> str:
        """Who revised it last or has taken it over since, empty if nobody has revised it."""
        written = (each.by for each in reversed(self.reviews) if each.role in AUTHORS)
        return next(written, "")

    @property
    def awaited(self) -> tuple[str, ...]:
        """Who is missing and may be replaced.

        Auditors of the round before who have not audited this one; voters who can change nothing
        any more; auditors whose vote decides, who make room for another auditor.
        """
        return self._awaited_at(timestamp())

    @property
    def audits(self) -> list[Review]:
        """The audits of the latest revision, without those of auditors who have been replaced."""
        return _audits_that_count(self._round)

    @property
    def is_returned(self) -> bool:
        """Whether both auditors have answered, and at least one asked for changes."""
        audits = self.audits
        return len(audits) >= AUDITORS and any(review.changes for review in audits)

    @property
    def rounds(self) -> int:
        """How many times it was revised."""
        return len(self._by("reviser"))

    @property
    def panel(self) -> tuple[str, ...]:
        """The voters: the author and the auditors."""
        return tuple(filter(None, (self.author, *(review.by for review in self.audits))))

    @property
    def is_decided(self) -> bool:
        """Whether the votes that are missing can change nothing."""
        return _is_decided(self._votes)

    def visible_reviews(self, by: str) -> list[Review]:
        """The reviews this person may read: an auditor must not know what the other one said."""
        if self.stage in ("voter", "approved", "rejected"):
            return self.reviews
        is_author = by == self.author
        hidden = [] if self.stage == "reviser" else self._round
        return [
            review
            for review in self.reviews
            if review.role not in ("auditor", "voter")
            or review.by == by
            or (is_author and not any(review is each for each in hidden))
        ]

    def role_for(self, by: str) -> Role | None:
        """The role in which this person can review it now."""
        stage = self.stage
        if stage == "approved" or stage == "rejected" or self.refusal(by, stage):
            return None
        return stage

    def refusal(self, by: str, role: Role, at: str = "") -> str:
        """The reason why this person may not review in this role, or an empty text.

        `at` is when; now by default.
        """
        at = at or timestamp()
        stage = self._stage_at(at)
        if stage in ("approved", "rejected"):
            return f"{self.id} is already {stage}"
        if stage != role:
            return f"{self.id} waits for the {stage}"
        if role == "voter":
            if by not in self.panel:
                return f"{by} neither revised nor audited {self.id}: only those who did may vote"
            if any(vote.by == by for vote in self._votes):
                return f"{by} has already voted on {self.id}"
        if role == "reviser" and self.author not in ("", by):
            return f"{self.id} goes back to its author {self.author}"
        if role == "reviser" and self.taken_by not in ("", by):
            return f"{self.taken_by} is revising {self.id}"
        if role == "auditor":
            return self._audit_refusal(by, at)
        return ""

    def replace_refusal(self, by: str, silent: str, at: str = "") -> str:
        """The reason why this person may not end the wait for that one, or an empty text."""
        if by == self.author and silent != by:
            return f"{by} is the author of {self.id}, who does not choose its auditors"
        if silent not in self._awaited_at(at or timestamp()):
            return f"{self.id} does not wait for {silent}"
        return ""

    def take_over_refusal(self, by: str, at: str = "") -> str:
        """The reason why this person may not become its author, or an empty text."""
        if by == self.author:
            return f"{by} is already the author of {self.id}"
        stage = self._stage_at(at or timestamp())
        # Its author alone can go on with it, or has the vote that decides.
        waits = stage == "reviser" and bool(self.author)
        if stage == "voter":
            waits = not self.is_decided and all(vote.by != self.author for vote in self._votes)
        if not waits:
            return f"{self.id} does not wait for its author"
        if self.taken_by not in ("", by):
            return f"{self.taken_by} is revising {self.id}"
        return ""

    def _audit_refusal(self, by: str, at: str) -> str:
        if by == self.author:
            return f"{by} is already reviser of {self.id}: nobody may hold two roles"
        if any(review.by == by for review in self.audits):
            return f"{by} has already audited {self.id}"
        awaited = self._awaited_at(at)
        revised_at = self._by("reviser")[-1].at
        auditors = (*(audit.by for audit in self.audits), *awaited)
        is_open = by in awaited or days_between(revised_at, at) >= SILENT_DAYS
        if is_open or len(auditors) < AUDITORS:
            return ""
        return f"{self.id} is audited by {' and '.join(auditors)}"

    def _stage_at(self, at: str) -> Stage:
        judged = (each for each in self.reviews if each.role in ("screener", "reviser", "auditor"))
        if any(not (review.approve or review.changes) for review in judged):
            return "rejected"
        if not self._by("screener"):
            return "screener"
        is_taken_over = any(review.role == "successor" for review in self._round)
        if not self.author or self.is_returned or is_taken_over:
            return "reviser"
        if len(self.audits) < AUDITORS:
            return "auditor"
        return self._vote_result(at)

    def _awaited_at(self, at: str) -> tuple[str, ...]:
        stage = self._stage_at(at)
        if stage == "auditor":
            # Those of the round before see the draft again.
            revised = [n for n, each in enumerate(self.reviews) if each.role == "reviser"]
            last_round = self.reviews[revised[-2] : revised[-1]] if len(revised) > 1 else []
            former = [each.by for each in _audits_that_count(last_round) if each.by != self.author]
            return self._still_out(former, self.audits)
        if stage != "voter":
            return ()
        missing = self._still_out(self.panel, self._votes)
        return tuple(name for name in missing if self.is_decided or name != self.author)

    def _still_out(self, people: Sequence[str], answers: Sequence[Review]) -> tuple[str, ...]:
        """Those of these people who have not answered and are waited for."""
        over: set[str] = set()
        for review in self._round:
            if review.role == "lead":
                over.add(review.replaces)
            elif review.role == "auditor":  # who came back after all
                over.discard(review.by)
        over |= {answer.by for answer in answers}
        return tuple(name for name in people if name not in over)

    def _vote_result(self, at: str) -> Stage:
        """The decision, or "voter" while votes are missing that are waited for."""
        votes = self._votes
        ayes = sum(vote.approve for vote in votes)
        result: Stage = "approved" if ayes >= VOTES_TO_PASS else "rejected"
        if len(votes) == len(self.panel):
            return result
        since = votes[-1].at if votes else ""
        is_over = not self._still_out(self.panel, votes)
        if self.is_decided and (is_over or days_between(since, at) >= SILENT_DAYS):
            return result
        return "voter"

    def review(
        self, by: str, role: ReviewRole, *, approve: bool, after: Sequence[str] = (), **more: Any
    ) -> Review:
        """A review of the latest wording, given now; it is not added yet.

        `after` are the replies as a reviser leaves them, changed or not.
        """
        if after and tuple(after) != self.replies:
            more |= {"replies": tuple(after), "diff": diff_of(self.replies, after)}
        about = {"trajectory": self.id, "version": self.version, "at": timestamp(), **more}
        return Review(by=by, role=role, approve=approve, **about)

    def add(self, review: Review) -> None:
        """Add a review; raises WorkbenchError if it breaks the rules."""
        if review.role == "lead":
            reason = self.replace_refusal(review.by, review.replaces, review.at)
        elif review.role == "successor":
            reason = self.take_over_refusal(review.by, review.at)
            if not reason and review.replaces != self.author:
                reason = f"{review.replaces} is not the author of {self.id}"
            if not reason and not review.note.strip():
                reason = f"say why {review.by} takes over {self.id}"
        else:
            reason = self.refusal(review.by, review.role, review.at)
        if not reason and review.version != self.version:
            reason = f"{self.id} was revised since {review.by} read it"
        if not reason and review.replies and review.role != "reviser":
            reason = f"only the reviser may change the words of {self.id}"
        if reason:
            raise WorkbenchError(reason)
        self.reviews.append(review)

    def accepts(self, review: Review) -> bool:
        """Add a review if it keeps to the rules."""
        try:
            self.add(review)
        except WorkbenchError:
            return False
        return True

    def add_recorded(self, reviews: Sequence[Review]) -> None:
        """Add reviews from a file that people may have edited; those that break rules are void."""
        for review in reviews:
            try:
                self.add(review)
            except WorkbenchError as error:
                self.void_reasons.append(str(error))

    def _by(self, role: ReviewRole) -> list[Review]:
        return [review for review in self.reviews if review.role == role]

    @property
    def _round(self) -> list[Review]:
        """All reviews since the last revision."""
        last = max((n for n, each in enumerate(self.reviews) if each.role == "reviser"), default=-1)
        return self.reviews[last + 1 :]

    @property
    def _votes(self) -> list[Review]:
        return [review for review in self._round if review.role == "voter"]


def _is_decided(votes: Sequence[Review]) -> bool:
    """Whether the votes that are missing can change nothing."""
    ayes = sum(vote.approve for vote in votes)
    return VOTES_TO_PASS in (ayes, len(votes) - ayes)


def _audits_that_count(reviews: Sequence[Review]) -> list[Review]:
    """The audits of one round; a lead who waits no longer for a vote that decides ends one."""
    audits: list[Review] = []
    votes: list[Review] = []
    for review in reviews:
        if review.role == "auditor":
            audits.append(review)
        elif review.role == "voter":
            votes.append(review)
        elif review.role == "lead" and not _is_decided(votes):
            audits = [audit for audit in audits if audit.by != review.replaces]
    return audits
