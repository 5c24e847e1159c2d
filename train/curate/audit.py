"""The automatic auditor: every number and every state in a trajectory against the spectrum.

It measures for itself and trusts nothing in the record: the tool's answers are got again, each
claim is looked for in the windows that had been shown when it was made, and the verdict is held
against the truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from agent.errors import ToolError, TrajectoryError
from agent.evidence.words import KIND_NAMES
from agent.inspection.pictures import redraw
from agent.protocol.protocol import task_text
from agent.protocol.reply import parse_reply
from agent.protocol.tool import checked_arguments
from agent.rendering.render import Style
from agent.spectra.spectrum import Window
from agent.tasks.task import Task
from agent.trajectory.trajectory import Step, Trajectory
from train.curate.checks import SLACK, Scene, fault_of, near
from train.curate.claims import Claim, claims_of
from train.curate.lexicon import mentions, spelled
from train.draft.meter import Meter, holds
from train.draft.record import record
from train.examples import Example

CALLED = re.compile(
    r"(?:looks like|more like|is rather|is that of|that of|it is) (?P<kind>an? [A-Za-z][\w -]*)",
    re.IGNORECASE,
)
FOUND_NOTHING = "Nothing clear"
FEWEST_LOOKS = 2
SCORES = (0, 5)


@dataclass(frozen=True)
class Fault:
    """`turn` is -1 for what concerns the whole record."""

    turn: int
    text: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What the auditor found; scores as a person's, 0 (invented) to 5 (fully right)."""

    claims: int
    in_answer: int
    faults: tuple[Fault, ...]
    coherence: int
    consistency: int

    @property
    def approves(self) -> bool:
        return not self.faults

    @property
    def note(self) -> str:
        """The first faults in words."""
        shown = [
            f"turn {each.turn + 1}: {each.why}" if each.turn >= 0 else each.why
            for each in self.faults[:5]
        ]
        return "; ".join(shown) or f"{self.claims} claims borne out"


def audit(trajectory: Trajectory, example: Example, task: Task) -> Audit:
    """Check one trajectory on the spectrum it is about, with its true answer."""
    record_faults = tuple(_record_faults(trajectory, example, task))
    claims, faults = _claim_faults(trajectory, example, task)
    in_answer = _reasons(trajectory, example)
    everything = len(claims)
    if not in_answer:
        faults.append(Fault(len(trajectory.replies) - 1, "", "the answer gives no reason to check"))
    wrong = len(faults)
    consistency = 0 if record_faults else round(5 * max(0.0, 1 - 2 * wrong / max(everything, 1)))
    return Audit(
        claims=everything,
        in_answer=in_answer,
        faults=(*record_faults, *faults),
        coherence=_coherence(trajectory, in_answer),
        consistency=min(consistency, 4) if wrong else consistency,
    )


def _reasons(trajectory: Trajectory, example: Example) -> int:
    """How much in the answer can be checked: what was measured, and what it is said to be instead,
    where that is known. For a NO it is enough that nothing was found."""
    if not trajectory.replies:
        return 0
    answer = parse_reply(trajectory.replies[-1]).answer
    measured = sum(claim.quantity not in ("window", "colour") for claim in claims_of(answer))
    called = example.label in KIND_NAMES and CALLED.search(answer) is not None
    return measured or int(called or (trajectory.verdict == "NO" and FOUND_NOTHING in answer))


def _record_faults(trajectory: Trajectory, example: Example, task: Task) -> Iterator[Fault]:
    if trajectory.spectrum.sha256 != example.sha256 or trajectory.task != task.id:
        yield Fault(-1, "", "the record is of another spectrum or task")
        return
    if trajectory.verdict != example.answer:
        yield Fault(-1, "", f"the verdict is {trajectory.verdict}, the truth {example.answer}")
    if not trajectory.well_formed or trajectory.stopped_by != "answer":
        yield Fault(-1, "", "it is not well-formed, or ends without an answer")
    style = Style.from_table(trajectory.style)
    again = record(
        trajectory.replies, example.spectrum, task, trajectory.model, style, trajectory.sizing
    )
    if again.prompt_sha256 != trajectory.prompt_sha256:
        yield Fault(-1, "", "it was made under another guideline")
    said, wanted = [_bare(step) for step in trajectory.steps], [_bare(s) for s in again.steps]
    if again.replies != trajectory.replies or said != wanted:
        yield Fault(-1, "", "the record is not what the tool answers to these turns")
    if trajectory.overview_text and trajectory.overview_text != again.overview_text:
        yield Fault(-1, "", "the tool says something else of the whole spectrum")
    if trajectory.overview:
        try:
            redraw(trajectory, example.spectrum)
        except TrajectoryError as error:
            yield Fault(-1, "", str(error))


def _bare(step: Step) -> Step:
    return replace(step, seconds=0.0, picture="")


def _claim_faults(
    trajectory: Trajectory, example: Example, task: Task
) -> tuple[list[Claim], list[Fault]]:
    meter, guideline = Meter.of(example.spectrum), task_text(task)
    shown: list[Window] = []
    asked: list[Window] = []
    told = _numbers_of(trajectory.overview_text)
    every: list[Claim] = []
    faults: list[Fault] = []
    for turn, text in enumerate(trajectory.replies):
        reply = parse_reply(text)
        here = _call_of(reply.arguments)
        asked += here
        scene = Scene(meter, tuple(shown), tuple(asked), guideline, told)
        claims = [claim for words in (reply.thought, reply.answer) for claim in claims_of(words)]
        every += claims
        for claim in claims:
            why = fault_of(claim, scene)
            if why:
                faults.append(Fault(turn, claim.text, why))
        faults += _misaimed(turn, reply.arguments, claims, meter)
        faults += _miscalled(turn, reply.answer, example)
        step = next((s for s in trajectory.steps if s.turn == turn and s.kind == "zoom"), None)
        if step is not None and step.is_look:
            shown += here
            told |= _numbers_of(step.text)
    return every, faults


def _numbers_of(line: str) -> frozenset[str]:
    """Those that stand beside a picture, one by one."""
    return frozenset(number.strip() for number in spelled(line).split(";"))


def _call_of(arguments: object) -> list[Window]:
    try:
        (low, high), _ = checked_arguments(arguments)
    except ToolError:
        return []
    return [(float(low), float(high))]


def _misaimed(turn: int, arguments: object, claims: list[Claim], meter: Meter) -> Iterator[Fault]:
    """The call asks for another window than the words before it, or than its own label."""
    try:
        (low, high), label = checked_arguments(arguments)
    except ToolError:
        return
    asked = float(low), float(high)
    plans = [claim for claim in claims if claim.is_plan and claim.window is not None]
    if plans and not any(claim.window and near(claim.window, asked) for claim in plans):
        yield Fault(turn, plans[0].text, f"the call asks for {low:g} to {high:g} Å instead")
    named = [each for mention in mentions(spelled(label or "")) for each in mention.features]
    places = [place for each in named if (place := meter.place(each)) is not None]
    if places and not any(holds(asked, place, SLACK) for place in places):
        yield Fault(turn, label or "", f"{low:g} to {high:g} Å does not hold what its label names")


def _miscalled(turn: int, answer: str, example: Example) -> Iterator[Fault]:
    """The answer says what the object is instead, and it is known to be something else."""
    if not example.label or example.label not in KIND_NAMES:
        return
    for match in CALLED.finditer(answer):
        words = match["kind"].casefold()
        named = {label for label, name in KIND_NAMES.items() if words.startswith(name.casefold())}
        if named and example.label not in named:
            yield Fault(turn, match.group(), f"it is {KIND_NAMES[example.label]}")


def _coherence(trajectory: Trajectory, in_answer: int) -> int:
    """Whether the turns lead anywhere: looks that differ, thoughts that say why, an answer."""
    score = SCORES[1]
    windows = [step.range for step in trajectory.looks]
    score -= len(windows) - len(set(windows))
    score -= 1 if len(set(windows)) < FEWEST_LOOKS else 0
    score -= 2 if not in_answer else 0
    score -= sum(not parse_reply(reply).thought for reply in trajectory.replies)
    return max(SCORES[0], score if trajectory.verdict is not None else 0)
