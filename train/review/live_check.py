"""Checks a revision while it is written: what its texts claim, against what its looks show."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.claims.claims import SENTENCES
from agent.claims.lexicon import normalize_spelling
from agent.examples.examples import Example
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from train.review.audit import Fault, claim_faults
from train.review.pool import retold

Span = tuple[int, int]


@dataclass(frozen=True)
class LiveCheck:
    """The number of claims, and those that no measurement supports."""

    claims: int
    faults: tuple[Fault, ...]

    def of_turn(self, turn: int) -> tuple[Fault, ...]:
        return tuple(fault for fault in self.faults if fault.turn == turn)


def check_live(
    first: Trajectory, replies: tuple[str, ...], example: Example, task: Task
) -> LiveCheck:
    """Check these replies; the tool answers each call, but draws nothing."""
    blind = replace(first, overview="")
    trajectory = retold(blind, replies, example, task)
    claims, faults = claim_faults(trajectory, example, task)
    seen = dict.fromkeys(faults)  # a sentence of several claims may fail twice for one reason
    return LiveCheck(len(claims), tuple(seen))


def marked_spans(text: str, faults: Sequence[Fault]) -> list[Span]:
    """Where the sentences stand that hold a wrong claim."""
    wrong = {fault.text.strip() for fault in faults if fault.text.strip()}
    spans, start = [], 0
    ends = [(cut.start(), cut.end()) for cut in SENTENCES.finditer(text)]
    for end, following in (*ends, (len(text), len(text))):
        said = normalize_spelling(text[start:end]).strip()
        if said and any(said == each or said in each or each in said for each in wrong):
            spans.append((start, end))
        start = following
    return spans
