"""What every engine offers the inspector: conversations that grow turn by turn.

An engine is a loaded model or a server's address. A conversation keeps what it has read, so that a
new turn costs only the new turn. One thread at a time uses a conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from PIL import Image

from agent.errors import WorkbenchError
from agent.protocol.protocol import Turn
from agent.rendering.model_image import Sizing

Finish = Literal["stop", "length", "cancelled"]
ShouldStop = Callable[[], bool]
OnText = Callable[[str], None]


class Cancelled(Exception):
    """`should_stop` said so while a turn was being read."""


RESTARTED = "\r"
"""A piece of text of its own to an `OnText`: what was shown of this turn is void, it begins anew.
Comes where a server broke off and then said something else."""


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """How the next token is chosen; temperature 0 takes the likeliest."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_new_tokens: int = 1024
    """In one turn."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.temperature <= 10.0:
            raise WorkbenchError(f"a temperature of {self.temperature} is not usable (0 to 10)")
        if not 0.0 < self.top_p <= 1.0:
            raise WorkbenchError(f"a top_p of {self.top_p} is not usable (above 0, at most 1)")
        if not 1 <= self.max_new_tokens <= 1_000_000:
            raise WorkbenchError(f"{self.max_new_tokens} new tokens a turn are not usable")


@dataclass(frozen=True)
class Watch:
    """Where a choice is made in the text, and the words to choose from."""

    after: str = "\\boxed{"
    options: tuple[str, ...] = ("YES", "NO")


VERDICT = Watch()


@dataclass(frozen=True)
class Generated:
    """One turn as the model wrote it, without the end token.

    `choices` holds the log-probability of each option of the watch, at the last place in the turn
    where its `after` was written; None where that never happened or the engine cannot tell.
    """

    text: str
    tokens: int
    finish: Finish
    choices: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Usage:
    """Tokens since the conversation was opened. `evaluated` counts every one the model computed,
    again where it had to: without waste it is `prompt` + `generated`. -1: not known."""

    prompt: int = 0
    generated: int = 0
    evaluated: int = 0
    images: int = 0
    """Tokens of pictures among those of the prompt."""


class Conversation(Protocol):
    """What has been said, in the model's memory."""

    @property
    def usage(self) -> Usage: ...

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Read turns and open the model's next one.

        `pictures` are those the turns show, in order, RGB and sized by `model_image.prepare`.
        Assistant turns are read as if the model had said them. Raises ContextFullError, Cancelled.
        """
        ...

    def generate(
        self,
        sampling: SamplingSettings,
        seed: int = 0,
        *,
        stop: Sequence[str] = (),
        watch: Watch | None = VERDICT,
        on_text: OnText | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Generated:
        """Let the model speak until it ends its turn, a stop string (kept in the text), the limit
        or `should_stop`, which is asked between tokens. `on_text` gets the pieces as they come."""
        ...

    def mark(self) -> object:
        """A place to `rewind` to, taken when no turn is half said."""
        ...

    def rewind(self, mark: object) -> None:
        """Forget all that was said since the mark."""
        ...

    def close(self) -> None: ...


class Engine(Protocol):
    """A model that is ready to talk."""

    @property
    def sizing(self) -> Sizing:
        """How pictures must be sized for it."""
        ...

    def open(self) -> Conversation: ...

    def close(self) -> None: ...
