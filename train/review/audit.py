"""The automatic auditor: checks every number and state in a trajectory against the spectrum.

It trusts nothing in the record. It repeats the tool calls, checks each claim against the windows
shown before it, and compares the verdict with the truth.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from agent.claims.claims import NOT_ASSERTED, Claim, claims_of, sentences_of
from agent.claims.features import Feature
from agent.claims.lexicon import find_mentions, normalize_spelling
from agent.errors import ToolError, TrajectoryError
from agent.evidence.places import contains
from agent.evidence.words import KIND_NAMES
from agent.examples.examples import Example
from agent.inspection.pictures import redraw
from agent.protocol.protocol import task_text
from agent.protocol.reply import parse_reply
from agent.protocol.tool import checked_arguments
from agent.ratings.rubric import HIGHEST, LOWEST
from agent.rendering.render import Style
from agent.spectra.measure.measurement import Measurement
from agent.spectra.spectrum import Window
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from train.meter import Meter
from train.record import record_trajectory

NAMED_KIND = re.compile(
    r"(?:looks like|more like|is rather|is that of|that of|it is) (?P<kind>an? [A-Za-z][\w -]*)",
    re.IGNORECASE,
)
FOUND_NOTHING = "Nothing clear"
MIN_LOOKS = 2
MOST_CHECKED = 0.6  # share of the sentences that must be checkable for full consistency
FEW_REASONS = 2
KINDS = {
    "state": "states", "window": "windows", "colour": "colours", "snr": "S/N",
    "quote": "quoted numbers",
}  # fmt: skip
# A number agrees within its rounding, this fraction of the measured value, or this many errors. The
# errors count up to 0.4 of the value: two ways of measuring one line differ by that much.
RELATIVE_TOLERANCE = 0.15
SIGMA_TOLERANCE = 1.5
MAX_RELATIVE_ERROR = 0.4
FEATURE_SLACK = 6.0  # angstrom that a feature may reach past the edge of its picture
WINDOW_SLACK = 25.0
SEEN_SIGMA, CLEAR_SIGMA = 2.0, 4.0
LEAST_STEP, CLEAR_STEP = 0.02, 0.06
COLOURS = {1.0: (1.2, math.inf), 0.0: (0.6, 1.9), -1.0: (-math.inf, 1.0)}
"""Flux at 4240 Å over that at 6630 Å of a blue, flat or red continuum; the ranges overlap."""


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
    faults: tuple[Fault, ...]
    checked: Checked
    flow: int  # How the turns hang together; `coherence` is stricter.
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
    last_turn = len(trajectory.replies) - 1
    if not answer_reasons:
        faults.append(Fault(last_turn, "", "the answer gives no reason to check"))
    checked = what_was_checked(trajectory, claims, answer_reasons)
    flow = flow_of(trajectory, answer_reasons)
    wrong = {(fault.turn, fault.text) for fault in faults}
    is_contrary = trajectory.verdict != example.answer and not faults
    are_slips = all(": measured " in fault.reason for fault in faults)
    consistency = consistency_of(wrong, len(claims), checked, last_turn, are_slips=are_slips)
    return Audit(
        claims=len(claims),
        faults=(*record_faults, *faults),
        checked=checked,
        flow=flow,
        coherence=coherence_of(flow, checked, contradicts_itself=is_contrary),
        consistency=0 if record_faults else consistency,
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
    how = trajectory.model, style, trajectory.sizing
    repeated = record_trajectory(trajectory.replies, example.spectrum, task, *how)
    if repeated.prompt_sha256 != trajectory.prompt_sha256:
        yield Fault(-1, "", "it was made under another guideline")
    both = (trajectory, repeated)
    steps, again = ([replace(s, seconds=0.0, picture="") for s in one.steps] for one in both)
    if repeated.replies != trajectory.replies or steps != again:
        yield Fault(-1, "", "the tool answers these turns differently")
    if trajectory.overview_text and trajectory.overview_text != repeated.overview_text:
        yield Fault(-1, "", "the tool describes the whole spectrum differently")
    if trajectory.overview:
        try:
            redraw(trajectory, example.spectrum)
        except TrajectoryError as error:
            yield Fault(-1, "", str(error))


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
        window, label = _asked(reply.arguments)
        here = [] if window is None else [window]
        requested += here
        context = TurnContext(meter, tuple(shown), tuple(requested), guideline, printed)
        claims = [*claims_of(reply.thought), *claims_of(reply.answer)]
        all_claims += claims
        reasons = ((claim.text, find_fault(claim, context)) for claim in claims)
        faults += [Fault(turn, said, reason) for said, reason in reasons if reason]
        if window is not None:
            faults += _call_faults(turn, window, label, claims, meter)
        faults += _kind_faults(turn, reply.answer, example)
        step = next((s for s in trajectory.steps if s.turn == turn and s.kind == "zoom"), None)
        if step is not None and step.is_look:
            shown += here
            printed |= _printed_numbers(step.text)
    return all_claims, faults


def _printed_numbers(text: str) -> frozenset[str]:
    """The single numbers that the tool printed beside a picture."""
    return frozenset(number.strip() for number in normalize_spelling(text).split(";"))


def _asked(arguments: object) -> tuple[Window | None, str]:
    """The window and the label of a call; no window if the tool refuses it."""
    try:
        (low, high), label = checked_arguments(arguments)
    except ToolError:
        return None, ""
    return (float(low), float(high)), label or ""


def _call_faults(
    turn: int, asked: Window, label: str, claims: list[Claim], meter: Meter
) -> Iterator[Fault]:
    """Faults of a call whose window differs from the announced one, or from its own label."""
    low, high = asked
    plans = [(one.text, one.window) for one in claims if one.is_plan and one.window is not None]
    if plans and not any(is_same_window(window, asked) for _, window in plans):
        yield Fault(turn, plans[0][0], f"the call asks for {low:g} to {high:g} Å instead")
    mentions = find_mentions(normalize_spelling(label))
    windows = [meter.window_of(feature) for each in mentions for feature in each.features]
    known = [window for window in windows if window is not None]
    if known and not any(contains(asked, window, FEATURE_SLACK) for window in known):
        yield Fault(turn, label, f"{low:g} to {high:g} Å does not show what its label names")


def _kind_faults(turn: int, answer: str, example: Example) -> Iterator[Fault]:
    """Faults of an answer that names another kind than the true one."""
    if example.label not in KIND_NAMES:
        return
    for match in NAMED_KIND.finditer(answer):
        words = match["kind"].casefold()
        named = {label for label, name in KIND_NAMES.items() if words.startswith(name.casefold())}
        if named and example.label not in named:
            yield Fault(turn, match.group(), f"it is {KIND_NAMES[example.label]}")


@dataclass(frozen=True)
class Checked:
    """What an audit compared with the spectrum."""

    kinds: tuple[tuple[str, int], ...]  # claims of each kind
    looks: int
    used_looks: int  # looks after which the agent says something about the spectrum
    sentences: int  # those that assert something
    checked_sentences: int
    reasons: int  # checkable reasons in the answer

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
    used = 0
    for look in trajectory.looks:
        after = replies[look.turn + 1 : look.turn + 2]
        told = [claim for reply in after for claim in claims_of(f"{reply.thought} {reply.answer}")]
        used += any(claim.quantity != "window" for claim in told)
    return Checked(
        kinds=tuple(sorted(kinds.items())),
        looks=len(trajectory.looks),
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
    share = checked.checked_sentences / max(checked.sentences, 1)
    return HIGHEST if share >= MOST_CHECKED else HIGHEST - 1


@dataclass(frozen=True)
class TurnContext:
    """Everything the author could know in one turn: windows shown so far, and those requested."""

    meter: Meter
    shown: tuple[Window, ...]
    requested: tuple[Window, ...]
    guideline: str = ""
    printed: frozenset[str] = frozenset()
    """Single numbers that the tool printed beside its pictures."""


def find_fault(claim: Claim, context: TurnContext) -> str:
    """The reason why a claim is wrong; empty where it is confirmed."""
    match claim.quantity:
        case "window":
            return _window_fault(claim, context)
        case "coverage":
            ends = context.meter.range
            close = any(abs(claim.value - end) <= WINDOW_SLACK for end in ends)
            return "" if close else f"the data end at {ends[0]:.0f} and {ends[1]:.0f} Å"
        case "snr":
            seen = (context.meter.snr(window) for window in context.shown)
            measured = [context.meter.numbers.overall_snr, *seen]
            right = any(_agrees(claim, value, 0.0) for value in measured)
            return "" if right else f"the S/N is {measured[0]:.0f}"
        case "colour":
            (low, high), colour = COLOURS[claim.value], context.meter.numbers.colour
            right = colour is None or low <= colour <= high
            return "" if right else f"the flux at 4240 Å is {colour:.2f} of that at 6630 Å"
        case "velocity":
            known = context.meter.numbers.velocity
            close = abs(claim.value - known.kms) <= max(50.0, 3 * known.error_kms)
            return "" if close else f"the velocity is {known.kms:.0f} km/s"
        case "quote":
            return "" if claim.quote in context.printed else "the tool did not print this"
        case "unknown":
            return "the number belongs to no feature"
    if not claim.features:
        return "the number belongs to no feature"
    # A claim may repeat a limit of the guideline, which is not a measurement.
    is_limit = claim.compare != "is" and f"{claim.value:g}" in context.guideline
    if not is_limit and not any(_is_shown(feature, context) for feature in claim.features):
        return f"{claim.features[0].name} was in no window that was shown"
    if claim.quantity == "state":
        return _state_fault(claim, context.meter)
    return _value_fault(claim, context)


def is_same_window(first: Window, second: Window) -> bool:
    """Whether two windows are the same apart from rounding."""
    return all(abs(a - b) <= WINDOW_SLACK for a, b in zip(first, second, strict=True))


def _is_shown(feature: Feature, context: TurnContext) -> bool:
    needed = context.meter.window_of(feature)
    if needed is None:
        return True
    return any(contains(window, needed, FEATURE_SLACK) for window in context.shown)


def _window_fault(claim: Claim, context: TurnContext) -> str:
    assert claim.window is not None
    low, high = claim.window
    if is_same_window(claim.window, context.meter.range):
        return ""
    known = (*context.requested, *context.shown)
    is_shown = any(contains(window, claim.window, WINDOW_SLACK) for window in known)
    if is_shown or f"{low:g} to {high:g}" in context.guideline:
        return ""
    return f"{low:g} to {high:g} Å was not shown"


def _value_fault(claim: Claim, context: TurnContext) -> str:
    found = [one for one in _measurements(claim, context.meter) if one.value is not None]
    if any(_agrees(claim, one.number, one.error or 0.0) for one in found):
        return ""
    name = claim.features[0].name
    if not found:
        return f"{name} cannot be measured"
    values = " or ".join(f"{one.number:.3g}" for one in found[:2])
    return f"{name}: measured {values}, not {claim.value:g}"


def _measurements(claim: Claim, meter: Meter) -> Iterator[Measurement]:
    """All measurements that the number may refer to."""
    if claim.quantity == "ratio":
        # Of all pairs of features, because the sentence does not say which pair it means.
        values = [meter.strength(feature).value for feature in claim.features]
        for top, bottom in product(values, repeat=2):
            if top is not None and bottom:
                yield Measurement("ratio", top / bottom, None)
        return
    for feature in claim.features:
        match claim.quantity:
            case "strength":
                found = meter.strength(feature)
                yield _unsigned(found) if feature.is_line else found
                if feature.is_line:
                    yield _unsigned(meter.numbers.index(f"EW_{feature.id}"))
            case "step":
                if feature.is_edge or not feature.is_line:
                    yield meter.strength(feature)
            case "width_kms" if feature.is_line:
                yield meter.width_kms(feature)
            case "width" if feature.is_line:
                line = meter.numbers.line(feature.id)
                yield Measurement(feature.id, line.fwhm, line.fwhm_error)
            case "separation" if feature.is_line:
                line = meter.numbers.line(feature.id)
                yield Measurement(feature.id, line.separation_kms, None)
            case "sigma":
                found = meter.strength(feature)
                yield Measurement(feature.id, found.significance, 0.3 * found.significance)
            case _:
                continue


def _unsigned(measured: Measurement) -> Measurement:
    return replace(measured, value=None if measured.value is None else abs(measured.value))


def _agrees(claim: Claim, measured: float, error: float) -> bool:
    errors = min(SIGMA_TOLERANCE * error, MAX_RELATIVE_ERROR * abs(measured))
    tolerance = max(RELATIVE_TOLERANCE * abs(measured), errors, 1.01 * claim.rounding)
    if claim.compare == "above":
        return measured > claim.value - tolerance
    if claim.compare == "below":
        return measured < claim.value + tolerance
    return abs(claim.value - measured) <= tolerance


def _state_fault(claim: Claim, meter: Meter) -> str:
    """Check a state of lines and band heads; an index has no state."""
    features = [feature for feature in claim.features if feature.is_line or feature.is_edge]
    reasons = [_feature_fault(feature, claim, meter) for feature in features]
    return "" if not reasons or "" in reasons else reasons[0]


def _feature_fault(feature: Feature, claim: Claim, meter: Meter) -> str:
    found = meter.strength(feature)
    if found.value is None:
        return "" if claim.state == "absent" else f"{feature.name} cannot be measured"
    seen = _edge_states(found) if feature.is_edge else _line_states(found)
    return "" if claim.state in seen else f"{feature.name}: {found.value:.2g} is not {claim.state}"


def _line_states(found: Measurement) -> set[str]:
    """The states that a line may be said to have; a doubtful line has several."""
    value, sigma = found.number, found.significance
    may: set[str] = set()
    if sigma >= SEEN_SIGMA:
        may |= {"present", "emission" if value < 0 else "absorption"}
    if sigma < CLEAR_SIGMA:
        may |= {"absent", "no emission", "no absorption"}
    return may | {"no emission" if value > 0 else "no absorption"}


def _edge_states(found: Measurement) -> set[str]:
    value, sigma = found.number, found.significance
    may = {"emission", "absorption", "no emission", "no absorption"}
    if value >= LEAST_STEP and sigma >= SEEN_SIGMA:
        may.add("present")
    if value < CLEAR_STEP or sigma < CLEAR_SIGMA:
        may.add("absent")
    return may
