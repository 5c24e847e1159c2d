"""The automatic auditor: checks every number and state in a trajectory against the spectrum.

It trusts nothing in the record. It repeats the tool calls, checks each claim against the windows
shown before it, and compares the verdict with the truth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from agent.claims.claims import NOT_ASSERTED, Claim, claims_of, sentences_of
from agent.claims.lexicon import find_mentions, normalize_spelling
from agent.errors import ToolError, TrajectoryError
from agent.evidence.words import KIND_NAMES
from agent.examples.examples import Example
from agent.inspection.pictures import redraw
from agent.protocol.protocol import task_text
from agent.protocol.reply import parse_reply
from agent.protocol.tool import checked_arguments
from agent.ratings.rubric import HIGHEST, LOWEST
from agent.rendering.render import Style
from agent.spectra.spectrum import Window
from agent.tasks.task import Task
from agent.trajectory.trajectory import Step, Trajectory
from train.meter import Meter, contains
from train.record import record_trajectory
from train.review.checks import FEATURE_SLACK, TurnContext, find_fault, is_same_window

NAMED_KIND = re.compile(
    r"(?:looks like|more like|is rather|is that of|that of|it is) (?P<kind>an? [A-Za-z][\w -]*)",
    re.IGNORECASE,
)
FOUND_NOTHING = "Nothing clear"
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
class Fault:
    """A fault in one turn, or in the whole record where `turn` is -1."""

    turn: int
    text: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Audit:
    """Result of an audit; the scores run from 0 (invented) to 5 (fully right) as a person's do."""

    claims: int
    answer_reasons: int
    faults: tuple[Fault, ...]
    checked: Checked
    flow: int
    """How the turns hang together; `coherence` is stricter."""
    coherence: int
    consistency: int

    @property
    def approves(self) -> bool:
        return not self.faults

    @property
    def note(self) -> str:
        shown = [
            f"turn {fault.turn + 1}: {fault.reason}" if fault.turn >= 0 else fault.reason
            for fault in self.faults[:5]
        ]
        found = "; ".join(shown) or f"{self.claims} claims confirmed"
        return f"{found}; {self.checked.text}"


def audit(trajectory: Trajectory, example: Example, task: Task) -> Audit:
    """Check one trajectory against its spectrum and the true answer."""
    record_faults = tuple(_record_faults(trajectory, example, task))
    claims, faults = claim_faults(trajectory, example, task)
    answer_reasons = _count_reasons(trajectory, example)
    if not answer_reasons:
        faults.append(Fault(len(trajectory.replies) - 1, "", "the answer gives no reason to check"))
    checked = what_was_checked(trajectory, claims, answer_reasons)
    flow = flow_of(trajectory, answer_reasons)
    wrong = {(fault.turn, fault.text) for fault in faults}
    is_contrary = trajectory.verdict != example.answer and not faults
    last_turn = len(trajectory.replies) - 1
    are_slips = all(": measured " in fault.reason for fault in faults)
    return Audit(
        claims=len(claims),
        answer_reasons=answer_reasons,
        faults=(*record_faults, *faults),
        checked=checked,
        flow=flow,
        coherence=coherence_of(flow, checked, contradicts_itself=is_contrary),
        consistency=0
        if record_faults
        else consistency_of(wrong, len(claims), checked, last_turn, are_slips=are_slips),
    )


def _count_reasons(trajectory: Trajectory, example: Example) -> int:
    """Number of checkable reasons in the answer; "nothing clear" is enough for a NO."""
    if not trajectory.replies:
        return 0
    answer = parse_reply(trajectory.replies[-1]).answer
    measured = sum(claim.quantity not in ("window", "colour") for claim in claims_of(answer))
    names_kind = example.label in KIND_NAMES and NAMED_KIND.search(answer) is not None
    return measured or int(names_kind or (trajectory.verdict == "NO" and FOUND_NOTHING in answer))


def _record_faults(trajectory: Trajectory, example: Example, task: Task) -> Iterator[Fault]:
    if trajectory.spectrum.sha256 != example.sha256 or trajectory.task != task.id:
        yield Fault(-1, "", "the record is of another spectrum or task")
        return
    if trajectory.verdict != example.answer:
        yield Fault(-1, "", f"the verdict is {trajectory.verdict}, the truth {example.answer}")
    if not trajectory.well_formed or trajectory.stopped_by != "answer":
        yield Fault(-1, "", "it is not well-formed, or has no answer")
    style = Style.from_table(trajectory.style)
    repeated = record_trajectory(
        trajectory.replies, example.spectrum, task, trajectory.model, style, trajectory.sizing
    )
    if repeated.prompt_sha256 != trajectory.prompt_sha256:
        yield Fault(-1, "", "it was made under another guideline")
    steps = [_comparable(step) for step in trajectory.steps]
    if repeated.replies != trajectory.replies or steps != [*map(_comparable, repeated.steps)]:
        yield Fault(-1, "", "the tool answers these turns differently")
    if trajectory.overview_text and trajectory.overview_text != repeated.overview_text:
        yield Fault(-1, "", "the tool describes the whole spectrum differently")
    if trajectory.overview:
        try:
            redraw(trajectory, example.spectrum)
        except TrajectoryError as error:
            yield Fault(-1, "", str(error))


def _comparable(step: Step) -> Step:
    return replace(step, seconds=0.0, picture="")


def claim_faults(
    trajectory: Trajectory, example: Example, task: Task
) -> tuple[list[Claim], list[Fault]]:
    """The claims of all turns, and what is wrong with them in the windows shown before each."""
    meter, guideline = Meter.of(example.spectrum), task_text(task)
    shown: list[Window] = []
    requested: list[Window] = []
    printed = _printed_numbers(trajectory.overview_text)
    all_claims: list[Claim] = []
    faults: list[Fault] = []
    for turn, text in enumerate(trajectory.replies):
        reply = parse_reply(text)
        here = _requested_windows(reply.arguments)
        requested += here
        context = TurnContext(meter, tuple(shown), tuple(requested), guideline, printed)
        claims = [claim for words in (reply.thought, reply.answer) for claim in claims_of(words)]
        all_claims += claims
        for claim in claims:
            reason = find_fault(claim, context)
            if reason:
                faults.append(Fault(turn, claim.text, reason))
        faults += _call_faults(turn, reply.arguments, claims, meter)
        faults += _kind_faults(turn, reply.answer, example)
        step = next((s for s in trajectory.steps if s.turn == turn and s.kind == "zoom"), None)
        if step is not None and step.is_look:
            shown += here
            printed |= _printed_numbers(step.text)
    return all_claims, faults


def _printed_numbers(text: str) -> frozenset[str]:
    """The single numbers that the tool printed beside a picture."""
    return frozenset(number.strip() for number in normalize_spelling(text).split(";"))


def _requested_windows(arguments: object) -> list[Window]:
    try:
        (low, high), _ = checked_arguments(arguments)
    except ToolError:
        return []
    return [(float(low), float(high))]


def _call_faults(
    turn: int, arguments: object, claims: list[Claim], meter: Meter
) -> Iterator[Fault]:
    """Faults of a call whose window differs from the announced one, or from its own label."""
    try:
        (low, high), label = checked_arguments(arguments)
    except ToolError:
        return
    requested = float(low), float(high)
    plans = [claim for claim in claims if claim.is_plan and claim.window is not None]
    if plans and not any(
        claim.window and is_same_window(claim.window, requested) for claim in plans
    ):
        yield Fault(turn, plans[0].text, f"the call asks for {low:g} to {high:g} Å instead")
    mentions = find_mentions(normalize_spelling(label or ""))
    named = [feature for mention in mentions for feature in mention.features]
    windows = [window for one in named if (window := meter.window_of(one)) is not None]
    if windows and not any(contains(requested, window, FEATURE_SLACK) for window in windows):
        yield Fault(turn, label or "", f"{low:g} to {high:g} Å does not show what its label names")


def _kind_faults(turn: int, answer: str, example: Example) -> Iterator[Fault]:
    """Faults of an answer that names another kind than the true one."""
    if not example.label or example.label not in KIND_NAMES:
        return
    for match in NAMED_KIND.finditer(answer):
        words = match["kind"].casefold()
        named = {label for label, name in KIND_NAMES.items() if words.startswith(name.casefold())}
        if named and example.label not in named:
            yield Fault(turn, match.group(), f"it is {KIND_NAMES[example.label]}")


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
