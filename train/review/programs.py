"""Programs that review without a person.

The screener checks form and verdict, the reviser removes wrong claims, one auditor checks every
claim, and the other checks the record and its coherence.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from agent.protocol.reply import is_well_formed
from agent.ratings.rubric import CRITERIA
from train.draft.teachers import LEAKS, rough_tokens
from train.parallel import in_order
from train.review.audit import Audit, audit
from train.review.pool import Pool, cached_pool
from train.review.review_rules import Case, Review, Role, version_of
from train.review.revision import canonical_replies, remove_sentences

SCREENER, REVISER, CLAIMS, RECORD = "auto-screener", "auto-reviser", "auto-claims", "auto-record"
ROLE_OF: Mapping[str, Role] = MappingProxyType(
    {SCREENER: "screener", REVISER: "reviser", CLAIMS: "auditor", RECORD: "auditor"}
)
PROGRAMS = tuple(ROLE_OF)
MIN_FLOW = 3
MAX_TOKENS = 8000
BATCH = 16


def run_panel(
    pool: Pool,
    *,
    names: Sequence[str] = PROGRAMS,
    workers: int = 1,
    advance: Callable[[int], None] = lambda more: None,
) -> int:
    """Review open cases batch by batch, as far as programs can; returns the number of reviews."""
    open_cases = (case for case in pool.cases() if case.stage not in ("approved", "rejected"))
    batches = iter(lambda: list(islice(open_cases, BATCH)), [])
    count = 0
    work = partial(_batch, pool.place, tuple(names))
    for size, reviews in in_order(work, batches, workers):
        count += pool.add_reviews(reviews)
        advance(size)
    return count


def _batch(
    place: Path | str, names: tuple[str, ...], cases: list[Case]
) -> tuple[int, list[Review]]:
    panels = (ReviewPanel(cached_pool(place), case, names) for case in cases)
    return len(cases), [review for panel in panels for review in panel.reviews()]


class ReviewPanel:
    """The programs that review one case; they share their audits."""

    def __init__(self, pool: Pool, case: Case, names: Sequence[str] = PROGRAMS) -> None:
        self.pool = pool
        self.case = case
        self.names = names
        self._audits: dict[str, Audit] = {}

    def reviews(self) -> Iterator[Review]:
        """Reviews one by one, until the case is closed or needs a person."""
        while (review := self._next()) is not None:
            self.case.add(review)
            yield review

    def _next(self) -> Review | None:
        stage = self.case.stage
        if stage == "approved" or stage == "rejected":
            return None
        acts = {
            SCREENER: self._screen,
            REVISER: self._revise,
            CLAIMS: self._audit_claims,
            RECORD: self._audit_record,
        }
        for name in self.names:
            if stage in (ROLE_OF[name], "voter") and not self.case.refusal(name, stage):
                return self._vote(name) if stage == "voter" else acts[name]()
        return None

    def _screen(self) -> Review:
        """Check everything that needs no measuring: form, verdict, length and leaks."""
        replies, trajectory = self.case.replies, self.case.trajectory
        reason = ""
        if not is_well_formed(replies) or trajectory.stopped_by != "answer":
            reason = "not well-formed, or without an answer"
        elif trajectory.verdict != self.pool.example(self.case).answer:
            reason = "the verdict is wrong"
        elif rough_tokens(replies) > MAX_TOKENS:
            reason = f"longer than {MAX_TOKENS} tokens"
        elif any(LEAKS.search(reply) for reply in replies):
            reason = "it reveals that the answer was given"
        elif not trajectory.looks:
            reason = "it has no zoom"
        return self._review(SCREENER, "screener", not reason, note=reason)

    def _revise(self) -> Review:
        """Bring to canonical form without wrong claims; without any reason left it is rejected."""
        found = self._audit(self.case.replies)
        after = canonical_replies(self.case.replies)
        for turn in {fault.turn for fault in found.faults if fault.turn >= 0}:
            wrong = [fault.text for fault in found.faults if fault.turn == turn]
            after = (*after[:turn], remove_sentences(after[turn], wrong), *after[turn + 1 :])
        found = self._audit(after)
        return self._review(REVISER, "reviser", found.approves, found, found.note, after)

    def _audit_claims(self) -> Review:
        found = self._audit(self.case.replies)
        approve = not any(fault.turn >= 0 for fault in found.faults)
        return self._review(CLAIMS, "auditor", approve, found, found.note)

    def _audit_record(self) -> Review:
        found = self._audit(self.case.replies)
        wrong = [fault.reason for fault in found.faults if fault.turn < 0]
        approve = not wrong and found.flow >= MIN_FLOW
        note = "; ".join(wrong) or f"the tool answers alike, coherence {found.coherence}"
        return self._review(RECORD, "auditor", approve, found, note)

    def _vote(self, name: str) -> Review:
        found = self._audit(self.case.replies)
        return self._review(name, "voter", found.approves and found.flow >= MIN_FLOW)

    def _audit(self, replies: tuple[str, ...]) -> Audit:
        version = version_of(replies)
        if version not in self._audits:
            trajectory = self.pool.with_replies(self.case, replies)
            example, task = self.pool.example(self.case), self.pool.task(self.case)
            self._audits[version] = audit(trajectory, example, task)
        return self._audits[version]

    def _review(
        self,
        by: str,
        role: Role,
        approve: bool,
        found: Audit | None = None,
        note: str = "",
        after: Sequence[str] = (),
    ) -> Review:
        scores = {name: getattr(found, name) for name in CRITERIA} if found else {}
        return self.case.review(by, role, approve=approve, after=after, note=note, **scores)
