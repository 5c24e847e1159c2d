"""Reviewers that are programs, one for each role: what can be checked without a person.

Each looks at something of its own: the screener at form and verdict, the reviser at claims that do
not hold, one auditor at every claim, the other at the record and at how it hangs together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from agent.protocol.reply import is_well_formed
from train.curate.audit import Audit, audit
from train.curate.one_form import one_form, without
from train.curate.parcels import Parcel, packed, pool_at, unpacked
from train.curate.pool import REVIEWS, Pool
from train.curate.process import Case
from train.curate.reviews import Review, Role, add_reviews, diff_of, now, version_of
from train.draft.teachers import LEAKS, rough_tokens
from train.parallel import in_order

SCREENER, REVISER, CLAIMS, RECORD = "auto-screener", "auto-reviser", "auto-claims", "auto-record"
NAMES = (SCREENER, REVISER, CLAIMS, RECORD)
ROLE_OF: Mapping[str, Role] = MappingProxyType(
    {SCREENER: "screener", REVISER: "reviser", CLAIMS: "auditor", RECORD: "auditor"}
)
LEAST_COHERENCE = 3
MOST_TOKENS = 8000
BATCH = 16


def run_panel(
    pool: Pool,
    *,
    names: Sequence[str] = NAMES,
    workers: int = 1,
    advance: Callable[[int], None] = lambda more: None,
) -> int:
    """Every open case as far as programs alone can take it; how many reviews they gave.

    What was given is on disk batch by batch: a run that was stopped goes on.
    """
    open_cases = (case for case in pool.cases() if case.stage not in ("approved", "rejected"))
    parcels = map(packed, open_cases)
    batches = iter(lambda: list(islice(parcels, BATCH)), [])
    given = 0
    work = partial(_batch, pool.folder, pool.sets, tuple(names))
    for size, reviews in in_order(work, batches, workers):
        add_reviews(pool.folder / REVIEWS, reviews)
        given += len(reviews)
        advance(size)
    return given


def _batch(
    folder: Path, sets: tuple[Path, ...], names: tuple[str, ...], parcels: list[Parcel]
) -> tuple[int, list[Review]]:
    given: list[Review] = []
    for parcel in parcels:
        given += ReviewPanel(pool_at(folder, sets), unpacked(parcel), names).reviews()
    return len(parcels), given


class ReviewPanel:
    """The programs at one case. What was measured for one of them serves the others."""

    def __init__(self, pool: Pool, case: Case, names: Sequence[str] = NAMES) -> None:
        self.pool = pool
        self.case = case
        self.names = names
        self._found: dict[str, Audit] = {}

    def reviews(self) -> Iterator[Review]:
        """One after the other, until the case is closed or needs a person."""
        while (review := self._next()) is not None:
            self.case.add(review)
            yield review

    def _next(self) -> Review | None:
        stage = self.case.stage
        if stage == "approved" or stage == "rejected":
            return None
        free = [name for name in self.names if self._may(name, stage)]
        if not free:
            return None
        if stage == "voter":
            return self._vote(free[0])
        return {
            SCREENER: self._screen,
            REVISER: self._revise,
            CLAIMS: self._audit_claims,
            RECORD: self._audit_record,
        }[free[0]]()

    def _may(self, name: str, role: Role) -> bool:
        return role in (ROLE_OF[name], "voter") and not self.case.refusal(name, role)

    def _screen(self) -> Review:
        """What needs no measuring: form, verdict, length, and that nothing was given away."""
        replies, trajectory = self.case.replies, self.case.trajectory
        why = ""
        if not is_well_formed(replies) or trajectory.stopped_by != "answer":
            why = "not well-formed, or without an answer"
        elif trajectory.verdict != self.pool.example(self.case).answer:
            why = "the verdict is not the truth"
        elif rough_tokens(replies) > MOST_TOKENS:
            why = f"longer than {MOST_TOKENS} tokens"
        elif any(LEAKS.search(reply) for reply in replies):
            why = "it speaks of the answer as given"
        elif not trajectory.looks:
            why = "it never looked closer"
        return self._review(SCREENER, "screener", not why, note=why)

    def _revise(self) -> Review:
        """To one form, without what is not borne out; with no reason left it is not approved."""
        before, found = self.case.replies, self._audit(self.case.replies)
        after = one_form(before)
        for turn in {fault.turn for fault in found.faults if fault.turn >= 0}:
            wrong = [fault.text for fault in found.faults if fault.turn == turn]
            after = (*after[:turn], without(after[turn], wrong), *after[turn + 1 :])
        changed = after if after != before else ()
        found = self._audit(after)
        review = self._review(REVISER, "reviser", found.approves, found, note=found.note)
        return replace(review, replies=changed, diff=diff_of(before, after))

    def _audit_claims(self) -> Review:
        found = self._audit(self.case.replies)
        approve = not any(fault.turn >= 0 for fault in found.faults)
        return self._review(CLAIMS, "auditor", approve, found, note=found.note)

    def _audit_record(self) -> Review:
        found = self._audit(self.case.replies)
        wrong = [fault.why for fault in found.faults if fault.turn < 0]
        approve = not wrong and found.coherence >= LEAST_COHERENCE
        note = "; ".join(wrong) or f"coherence {found.coherence}"
        return self._review(RECORD, "auditor", approve, found, note=note)

    def _vote(self, name: str) -> Review:
        found = self._audit(self.case.replies)
        approve = found.approves and found.coherence >= LEAST_COHERENCE
        return self._review(name, "voter", approve)

    def _audit(self, replies: tuple[str, ...]) -> Audit:
        version = version_of(replies)
        if version not in self._found:
            trajectory = self.pool.reworded(self.case, replies)
            example, task = self.pool.example(self.case), self.pool.task(self.case)
            self._found[version] = audit(trajectory, example, task)
        return self._found[version]

    def _review(
        self, by: str, role: Role, approve: bool, found: Audit | None = None, note: str = ""
    ) -> Review:
        return Review(
            trajectory=self.case.id,
            role=role,
            by=by,
            approve=approve,
            version=self.case.version,
            at=now(),
            coherence=None if found is None else found.coherence,
            consistency=None if found is None else found.consistency,
            note=note,
        )
