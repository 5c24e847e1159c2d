"""Inspections that are sampled, many side by side, each by the rules of use.

`agent.inspection.episode` reads every turn and says what comes next, so that a model meets in
training what it meets in use; here it is asked turn by turn, for many inspections at once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from agent.engines.base import Finish, Generated, OnText, SamplingSettings, ShouldStop, Usage, ChoicePoint
from agent.engines.chat_tokens import END_OF_TURN, token_ids
from agent.engines.patches import picture_tokens
from agent.inspection.control import Control
from agent.inspection.episode import Episode
from agent.protocol.protocol import Part, Turn, chat_parts
from agent.protocol.reply import parse_reply
from agent.tasks.task import Task
from train.grpo.generate import BatchLine, GeneratedTurn, Generator
from train.grpo.pictures import CachedPictureMaker, Pictures, Window, window_of
from train.grpo.tokens import TurnTokens


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Tokens: of one turn of the model, and of all that follows the prompt, pictures included."""

    turn: int
    rollout: int


class Rollout:
    """One inspection on its way: its tokens, which of them the model said, what it was shown."""

    def __init__(
        self, viewer: CachedPictureMaker, task: Task, tongue: TurnTokens, limits: Limits
    ) -> None:
        self.line = BatchLine([])
        self.said: list[int] = []
        """1 for each token after the prompt that the model said, 0 for the others."""
        self.log_odds: list[float] = []
        """Of those tokens when they were drawn, 0 for the others."""
        self.is_over = False
        self.viewer = viewer
        self._tongue = tongue
        self._limits = limits
        self._mouth = _RecordedConversation()
        sampling = SamplingSettings(max_new_tokens=limits.turn)
        self.episode = Episode(self._mouth, viewer, sampling, 0, Control())
        for _ in self.episode.begin(viewer.opening(task), [viewer.overview()]):
            pass
        self._show([])
        self.prompt_length = len(self.line.ids)

    @property
    def prompt(self) -> list[int]:
        return self.line.ids[: self.prompt_length]

    @property
    def completion(self) -> list[int]:
        return self.line.ids[self.prompt_length :]

    @property
    def limit(self) -> int:
        """Tokens its next turn may have."""
        return min(self._limits.turn, self._room)

    def hear(self, said: GeneratedTurn) -> Window:
        """Take in what the model said; the range it wants to see, None where it asked for none."""
        self.line.ids += said.ids
        self.said += [1] * len(said.ids)
        self.log_odds += said.log_odds
        if said.end == "invented":
            self.is_over = True
            return None
        finish: Finish = "length" if said.end == "length" else "stop"
        self._mouth.next = Generated(said.text, len(said.ids), finish)
        reply = parse_reply(said.text)
        return window_of(reply.arguments) if reply.kind == "call" else None

    def go_on(self) -> None:
        """Do what it asked for and show it; over where it answered or may not go on."""
        try:
            for _ in self.episode.run():
                pass
        except _Waiting:
            # the end token is among what the model said, unless it was cut off
            ended = self.line.ids[-1] == self._tongue.end
            self._show([Part("\n" if ended else f"{END_OF_TURN}\n", markup=True)])
        else:
            self.is_over = True

    def forget(self) -> None:
        """Give the memory back."""
        self.line = BatchLine(self.line.ids, self.line.pictures)

    def _show(self, closing: list[Part]) -> None:
        turns, pictures = self._mouth.heard()
        vision = self.viewer.pictures.vision
        counts = [picture_tokens(picture, vision) for picture in pictures]
        new = token_ids(self._tongue.tokenizer, [*closing, *chat_parts(turns)], counts)
        if closing and len(new) >= self._room:
            self.is_over = True
            return
        self.line.ids += new
        self.line.pictures += pictures
        if closing:
            self.said += [0] * len(new)
            self.log_odds += [0.0] * len(new)

    @property
    def _room(self) -> int:
        return self._limits.rollout - len(self.said)


@dataclass
class Spent:
    """Seconds that rollouts took, by part."""

    speaking: float = 0.0
    drawing: float = 0.0


def roll_out(
    rollouts: Sequence[Rollout], speaker: Generator, pictures: Pictures, at_once: int
) -> Spent:
    """All of them to their ends, `at_once` side by side."""
    spent = Spent()
    for start in range(0, len(rollouts), at_once):
        live = [one for one in rollouts[start : start + at_once] if one.limit > 0]
        while live:
            started = time.perf_counter()
            said = speaker([one.line for one in live], [one.limit for one in live])
            spoken = time.perf_counter()
            wanted = [one.hear(turn) for one, turn in zip(live, said, strict=True)]
            pictures.draw_ahead(
                (one.viewer, window)
                for one, window in zip(live, wanted, strict=True)
                if window is not None
            )
            live = [one for one in live if not one.is_over]
            for one in live:
                one.go_on()
            live = [one for one in live if not one.is_over]
            spent.speaking += spoken - started
            spent.drawing += time.perf_counter() - spoken
        for one in rollouts[start : start + at_once]:
            one.forget()
    return spent


class _Waiting(Exception):
    """The loop wants the model's next turn, and it has not been said yet."""


class _RecordedConversation:
    """Stands where the loop expects a conversation with an engine: keeps what the loop appends,
    and hands out the turn that was said elsewhere."""

    def __init__(self) -> None:
        self.next: Generated | None = None
        self._turns: list[Turn] = []
        self._pictures: list[Image.Image] = []

    usage = Usage()

    def heard(self) -> tuple[list[Turn], list[Image.Image]]:
        """What was appended since this was last asked."""
        heard = self._turns, self._pictures
        self._turns, self._pictures = [], []
        return heard

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        self._turns += turns
        self._pictures += pictures

    def generate(
        self,
        sampling: SamplingSettings,
        seed: int = 0,
        *,
        stop: Sequence[str] = (),
        choice_point: ChoicePoint | None = None,
        on_text: OnText | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Generated:
        said, self.next = self.next, None
        if said is None:
            raise _Waiting
        return said

    def mark(self) -> object:
        return None

    def rewind(self, mark: object) -> None:
        """Nothing to forget: one inspection, said once."""

    def close(self) -> None:
        """Nothing to free."""
