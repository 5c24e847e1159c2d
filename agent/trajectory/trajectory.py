"""The record of an inspection, shared by the window, the benchmark and training.

Pictures are not stored. They are redrawn from the spectrum, and their hashes prove that they are
the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from agent.engines.base import SamplingSettings
from agent.protocol.reply import Verdict
from agent.protocol.rules import RulesName
from agent.rendering.model_image import QWEN25, Sizing

_BOX = re.compile(r"\\?\\boxed\{\s*(?:YES|NO)\s*\}\s*")

TRAJECTORY_VERSION = 1

StepKind = Literal["think", "zoom", "answer", "text"]
Author = Literal["agent", "person"]
StoppedBy = Literal["answer", "turn_limit", "length", "cancelled", "error"]

STOPS: tuple[StoppedBy, ...] = get_args(StoppedBy)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One event of an inspection: a thought, a zoom, a remark or an answer.

    `text` is the thought, the remark, the reasons of an answer, or the tool's reply to a zoom.
    `error` is the message that the agent was shown about its mistake.
    """

    kind: StepKind
    turn: int = 0
    """The agent's turn it belongs to; a person's step follows that turn, -1 is before the first."""
    by: Author = "agent"
    text: str = ""
    range: tuple[float, float] | None = None
    """Requested wavelengths in angstrom, in the frame of the pictures."""
    label: str = ""
    """What a look is at; of an answer that several inspectors gave together, their name."""
    error: str = ""
    verdict: Verdict | None = None
    measured: Mapping[str, Any] = field(default_factory=dict)
    """Our measurements in the window: see `agent.spectra.measure.window_measure`."""
    picture: str = ""  # hash of the picture exactly as the engine received it
    seconds: float = 0.0
    whole: bool = False  # Whether a look shows the whole spectrum again; `range` is then all of it.

    @property
    def plain_text(self) -> str:
        """The text without the box in which an answer's verdict is written."""
        return _BOX.sub("", self.text).strip().lstrip(" .:") if self.kind == "answer" else self.text

    @property
    def is_look(self) -> bool:
        """Whether this is a zoom that drew a picture."""
        return self.kind == "zoom" and self.range is not None and not self.error


@dataclass(frozen=True, kw_only=True)
class SpectrumRef:
    """The inspected spectrum; `z` is the redshift removed in the pictures, None for none."""

    object_id: str = ""
    path: str = ""
    row: int = 0
    sha256: str = ""
    simulated: bool = False
    z: float | None = None


@dataclass(frozen=True, kw_only=True)
class ModelRef:
    """The model that inspected; `sha256` hashes its card, or the measured inspector's weights.

    A model on a server is what the server says it is, at whatever `address` it was.
    """

    name: str
    engine: str = ""
    sha256: str = ""
    address: str = field(default="", compare=False)  # of its servers, with commas between them
    also: tuple[str, ...] = field(default=(), compare=False)
    """Other hashes by which older records name the same model."""


@dataclass(frozen=True, kw_only=True)
class WordingRef:
    """The wording that a model was prompted in; without a name it was ours."""

    name: str = ""
    sha256: str = ""


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Token counts, -1 if unknown; `evaluated` exceeds `prompt` + `generated` on a cache miss."""

    prompt: int = 0
    generated: int = 0
    evaluated: int = 0
    images: int = 0


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """A complete inspection."""

    task: str
    spectrum: SpectrumRef
    model: ModelRef
    prompt_sha256: str = ""  # hash of the prompt, which includes the task's guideline
    wording: WordingRef = field(default_factory=WordingRef)
    rules: RulesName = "ours"  # How the conversation went: see `agent.protocol.rules`.
    style: Mapping[str, Any] = field(default_factory=dict)
    """Style of the pictures, as in a model card; see `Style.to_table`."""
    sizing: Sizing = QWEN25
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    seed: int = 0
    overview: str = ""  # hash of the picture of the whole spectrum
    overview_text: str = ""  # measurements given with that picture, if the style includes numbers
    steps: tuple[Step, ...] = ()
    replies: tuple[str, ...] = ()  # the agent's turns, verbatim
    stopped_by: StoppedBy
    stop_reason: str = ""
    verdict: Verdict | None = None
    p_yes: float | None = None
    p_yes_runs: tuple[float, ...] = ()
    """p(YES) of the single runs, if several were averaged into `p_yes`."""
    well_formed: bool = False
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float = 0.0
    engine_seconds: float = 0.0  # the part of `seconds` spent waiting for the engine
    members: tuple[Trajectory, ...] = field(default=(), compare=False)
    """The members' own inspections, if a panel judged. A session keeps them as further records, so
    a record without them is still the same one."""
    version: int = TRAJECTORY_VERSION

    @property
    def looks(self) -> tuple[Step, ...]:
        """The steps that drew a picture; `looks[n]` shows picture n + 1 (0 is the overview)."""
        return tuple(step for step in self.steps if step.is_look)

    @property
    def reasons(self) -> str:
        """The text of the last answer."""
        answers = [step.text for step in self.steps if step.kind == "answer"]
        return answers[-1] if answers else ""

    @property
    def plain_reasons(self) -> str:
        """The reasons without the box in which the verdict is written."""
        answers = [step.plain_text for step in self.steps if step.kind == "answer"]
        return answers[-1] if answers else ""

    def until(self, turn: int) -> Trajectory:
        """The part before the agent's turn of this number, to resume from there."""
        return replace(
            self, steps=tuple(step for step in self.steps if step.turn < turn),
            replies=self.replies[:turn], verdict=None, p_yes=None, p_yes_runs=(), well_formed=False,
            members=(),
        )  # fmt: skip


def tables_of_thoughts(steps: Sequence[Step]) -> dict[int, Mapping[str, Any]]:
    """The index of the agent's first thought after each of its looks, with that look's table."""
    found: dict[int, Mapping[str, Any]] = {}
    table: Mapping[str, Any] = {}
    for index, step in enumerate(steps):
        if step.is_look:
            table = step.measured if step.by == "agent" else {}
        elif step.kind in ("think", "text") and step.by == "agent":
            if table:
                found[index] = table
            table = {}
    return found
