"""The interface of an inference engine: conversations that grow turn by turn.

An engine is a loaded model or a server. A conversation caches what it has read, so a new turn
costs only its own tokens. A conversation is used by one thread at a time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from PIL import Image

from agent.errors import EngineError, WorkbenchError
from agent.protocol.protocol import Turn
from agent.protocol.rules import OURS, Rules
from agent.protocol.turn_form import TurnForm
from agent.rendering.model_image import Sizing

Finish = Literal["stop", "length", "cancelled"]
ShouldStop = Callable[[], bool]
OnText = Callable[[str], None]


# Passed to an `OnText` on its own: discard the text shown for this turn, it starts over. Sent
# when a connection broke and the retry produced other text.
RESTARTED = "\r"


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """How the next token is chosen; temperature 0 is greedy decoding."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_new_tokens: int = 1024  # per turn

    def __post_init__(self) -> None:
        if not 0.0 <= self.temperature <= 10.0:
            raise WorkbenchError(f"temperature must be from 0 to 10, not {self.temperature}")
        if not 0.0 < self.top_p <= 1.0:
            raise WorkbenchError(f"top_p must be above 0 and at most 1, not {self.top_p}")
        if not 1 <= self.max_new_tokens <= 1_000_000:
            raise WorkbenchError(
                f"max_new_tokens must be from 1 to 1,000,000, not {self.max_new_tokens}"
            )


@dataclass(frozen=True)
class ChoicePoint:
    """A point in the reply where the model picks an option: right after the text `after`."""

    after: str = "\\boxed{"
    options: tuple[str, ...] = ("YES", "NO")


VERDICT = ChoicePoint()


@dataclass(frozen=True)
class Generated:
    """One turn written by the model, without the end token.

    `choices` maps each option of the choice point to its log-probability after the last occurrence
    of `after`; None if `after` never occurs or the engine cannot tell.
    """

    text: str
    tokens: int
    finish: Finish
    choices: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Usage:
    """Token counts since the conversation was opened; -1 means unknown.

    `evaluated` counts every token computed, repeats included: without waste it is `prompt` +
    `generated`.
    """

    prompt: int = 0
    generated: int = 0
    evaluated: int = 0
    images: int = 0  # prompt tokens that are pictures


def check_pictures(turns: Sequence[Turn], pictures: Sequence[Image.Image]) -> None:
    """Raise EngineError unless each turn with a picture has one."""
    shown = sum(turn.picture is not None for turn in turns)
    if shown != len(pictures):
        raise EngineError(f"the turns have {shown} pictures, but {len(pictures)} were given")


class Conversation(Protocol):
    """A chat with a model, which keeps the turns read so far in its cache."""

    @property
    def usage(self) -> Usage: ...

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Read turns and open the model's next one.

        `pictures` are the pictures of these turns in order, RGB and sized by `model_image.prepare`.
        Assistant turns are read as if the model had written them. Raises ContextFullError,
        Cancelled.
        """

    def generate(
        self,
        sampling: SamplingSettings,
        seed: int = 0,
        *,
        stop: Sequence[str] = (),
        form: TurnForm | None = None,
        choice_point: ChoicePoint | None = VERDICT,
        on_text: OnText | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Generated:
        """Generate a turn: up to its end token, a stop string (kept), the limit or `should_stop`.

        With a `form` nothing else can be said; other servers than llama.cpp's know none.
        `should_stop` is called between tokens; `on_text` receives each new piece of text.
        """

    def mark(self) -> object:
        """Return a mark to `rewind` to; call it between turns."""

    def rewind(self, mark: object) -> None:
        """Forget everything after the mark."""

    def close(self) -> None: ...


class Engine(Protocol):
    """A model that is ready to use."""

    @property
    def sizing(self) -> Sizing:
        """How pictures must be sized for this model."""

    def open(self, rules: Rules = OURS) -> Conversation:
        """Open a conversation that goes by `rules`."""

    def close(self) -> None: ...
