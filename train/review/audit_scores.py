"""Scores of an audit on the rubric that people use, and what the audit could check at all.

A claim that nobody can check counts against consistency as little as for it: the highest score
needs most sentences checked, so that a text of empty phrases does not get it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from agent.claims.claims import NOT_ASSERTED, Claim, claims_of, sentences_of
from agent.protocol.reply import parse_reply
from agent.ratings.rubric import HIGHEST, LOWEST
from agent.trajectory.trajectory import Trajectory

MIN_LOOKS = 2
MOST_CHECKED = 0.6
"""Share of the sentences that must be checkable for full consistency."""
FEW_REASONS = 2
KINDS = {
    "state": "states",
    "window": "windows",
    "colour": "colours",
    "snr": "S/N",
    "quote": "quoted numbers",
}


@dataclass(frozen=True)
class Checked:
    """What an audit compared with the spectrum."""

    kinds: tuple[tuple[str, int], ...]
    """Claims of each kind."""
    looks: int
    used_looks: int
    """Looks after which the agent says something about the spectrum."""
    sentences: int
    """Those that assert something."""
    checked_sentences: int
    reasons: int
    """Checkable reasons in the answer."""

    @property
    def share(self) -> float:
        return self.checked_sentences / max(self.sentences, 1)

    @property
    def text(self) -> str:
        """What was checked and what was not, in one sentence."""
        parts = ", ".join(f"{count} {kind}" for kind, count in self.kinds) or "no claim"
        unchecked = self.sentences - self.checked_sentences
        rest = f"{unchecked} of {self.sentences} sentences hold nothing to check"
        idle = self.looks - self.used_looks
        unused = f", {idle} of {self.looks} looks unused" if idle else f", {self.looks} looks used"
        return f"checked {parts}{unused}, {self.reasons} reasons in the answer; {rest}"


def what_was_checked(
    trajectory: Trajectory, claims: Sequence[Claim], answer_reasons: int
) -> Checked:
    kinds = Counter(KINDS.get(claim.quantity, "numbers") for claim in claims)
    replies = [parse_reply(text) for text in trajectory.replies]
    said = [text for reply in replies for text in (reply.thought, reply.answer)]
    sentences = {one for text in said for one in sentences_of(text) if not NOT_ASSERTED.search(one)}
    looks = trajectory.looks
    used = 0
    for look in looks:
        after = replies[look.turn + 1 : look.turn + 2]
        told = [claim for reply in after for claim in claims_of(f"{reply.thought} {reply.answer}")]
        used += any(claim.quantity != "window" for claim in told)
    return Checked(
        kinds=tuple(sorted(kinds.items())),
        looks=len(looks),
        used_looks=used,
        sentences=len(sentences),
        checked_sentences=len(sentences & {claim.text for claim in claims}),
        reasons=answer_reasons,
    )


def flow_of(trajectory: Trajectory, answer_reasons: int) -> int:
    """How the turns hang together: different looks, a thought in each turn, a reasoned answer."""
    score = HIGHEST
    windows = [step.range for step in trajectory.looks]
    score -= len(windows) - len(set(windows))
    score -= 1 if len(set(windows)) < MIN_LOOKS else 0
    score -= 2 if not answer_reasons else 0
    score -= sum(not parse_reply(reply).thought for reply in trajectory.replies)
    return max(LOWEST, score if trajectory.verdict is not None else 0)


def coherence_of(flow: int, checked: Checked, *, contradicts_itself: bool) -> int:
    """The flow, less for looks that lead to nothing and for an answer with a single reason."""
    score = flow - (checked.used_looks < checked.looks)
    score -= checked.reasons < FEW_REASONS and flow == HIGHEST
    return max(LOWEST, min(score, 1) if contradicts_itself else score)


def consistency_of(
    wrong: Collection[tuple[int, str]],
    claims: int,
    checked: Checked,
    last_turn: int,
    *,
    are_slips: bool,
) -> int:
    """From the wrong claims by turn: those of the answer decide, others are side remarks.

    `are_slips`: they only have other numbers than were measured.
    """
    in_answer = sum(turn == last_turn for turn, _ in wrong)
    if in_answer:
        right = max(checked.reasons - in_answer, 0)
        return 0 if not right else 1 if in_answer > 1 else 2
    if wrong:
        return 1 if 2 * len(wrong) > claims else 4 if are_slips and len(wrong) == 1 else 3
    return HIGHEST if checked.share >= MOST_CHECKED else HIGHEST - 1
