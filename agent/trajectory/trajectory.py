"""The one record of an inspection, shared by window, benchmark and training.

One JSON object a line. Pictures are not stored: they are drawn again from the spectrum, and their
hashes prove that they are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from agent.engines.base import SamplingSettings
from agent.protocol.reply import Verdict
from agent.rendering.model_image import QWEN25, Sizing

TRAJECTORY_VERSION = 1

StepKind = Literal["think", "zoom", "answer", "text"]
Author = Literal["agent", "person"]
StoppedBy = Literal["answer", "turn_limit", "length", "cancelled", "error"]

STEP_KINDS: tuple[StepKind, ...] = get_args(StepKind)
AUTHORS: tuple[Author, ...] = get_args(Author)
STOPS: tuple[StoppedBy, ...] = get_args(StoppedBy)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing that happened: a thought, a look, a remark, the answer.

    `text` is the thought, the reasons, the remark, or for a look the line that came with the
    picture. A step with an `error` is what the agent got wrong, in the words it was shown.
    """

    kind: StepKind
    turn: int = 0
    """Which of the agent's turns it belongs to. The person's steps follow that turn; -1 where they
    came before the first."""
    by: Author = "agent"
    text: str = ""
    range: tuple[float, float] | None = None
    """Angstrom in the frame of the pictures, as asked for."""
    label: str = ""
    error: str = ""
    verdict: Verdict | None = None
    measured: Mapping[str, Any] = field(default_factory=dict)
    """What we measure in the window of a look: see `agent.spectra.measure.zoom_measurements`."""
    picture: str = ""
    """Hash of the picture of a look, as the engine got it."""
    seconds: float = 0.0

    @property
    def is_look(self) -> bool:
        """A zoom that drew a picture."""
        return self.kind == "zoom" and self.range is not None and not self.error


@dataclass(frozen=True, kw_only=True)
class SpectrumRef:
    """Which spectrum was inspected. `z` moved it to the frame of the pictures, where not None."""

    object_id: str = ""
    path: str = ""
    row: int = 0
    sha256: str = ""
    simulated: bool = False
    z: float | None = None


@dataclass(frozen=True, kw_only=True)
class ModelRef:
    """Who inspected. `sha256` is that of the model's card, or of the weights in a task file."""

    name: str
    engine: str = ""
    sha256: str = ""


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """-1 where an engine cannot tell. Without waste `evaluated` is `prompt` + `generated`."""

    prompt: int = 0
    generated: int = 0
    evaluated: int = 0
    images: int = 0


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """An inspection from its first look to its end."""

    task: str
    spectrum: SpectrumRef
    model: ModelRef
    prompt_sha256: str = ""
    """Of the words the agent was given: another guideline makes another inspection."""
    style: Mapping[str, Any] = field(default_factory=dict)
    """The look of the pictures, as a table of a model's card."""
    sizing: Sizing = QWEN25
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    seed: int = 0
    overview: str = ""
    """Hash of the picture of the whole spectrum."""
    overview_text: str = ""
    """What was told beside that picture, to a model that is told numbers."""
    steps: tuple[Step, ...] = ()
    replies: tuple[str, ...] = ()
    """The agent's turns word for word."""
    stopped_by: StoppedBy
    stop_reason: str = ""
    verdict: Verdict | None = None
    p_yes: float | None = None
    p_yes_runs: tuple[float, ...] = ()
    """p(YES) of each run that told one, where several were averaged into `p_yes`."""
    well_formed: bool = False
    tokens: Tokens = field(default_factory=Tokens)
    seconds: float = 0.0
    engine_seconds: float = 0.0
    """The part of `seconds` spent waiting for the engine."""
    version: int = TRAJECTORY_VERSION

    @property
    def looks(self) -> tuple[Step, ...]:
        """The steps that drew a picture, in order; the n-th shows picture n + 1."""
        return tuple(step for step in self.steps if step.is_look)

    @property
    def reasons(self) -> str:
        """The words of the last answer."""
        answers = [step.text for step in self.steps if step.kind == "answer"]
        return answers[-1] if answers else ""

    def until(self, turn: int) -> Trajectory:
        """What had been said before the agent's turn of that number: a place to go on from."""
        return replace(
            self,
            steps=tuple(step for step in self.steps if step.turn < turn),
            replies=self.replies[:turn],
            verdict=None,
            p_yes=None,
            p_yes_runs=(),
            well_formed=False,
        )
