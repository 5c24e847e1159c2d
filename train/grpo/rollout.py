"""Samples many inspections at once, turn by turn, by the rules of an inspection in use.

`agent.inspection.episode` reads every turn and decides what comes next, so that a model sees in
training exactly what it sees in use.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from agent.engines.base import Finish, Generated, SamplingSettings, ShouldStop, Usage
from agent.engines.chat_tokens import token_ids
from agent.engines.patches import picture_tokens
from agent.inspection.control import Control
from agent.inspection.episode import Episode
from agent.protocol.protocol import END_OF_TURN, Part, Turn, chat_parts
from agent.protocol.reply import first_call, parse_reply
from agent.spectra.spectrum import Window
from agent.tasks.task import Task
from train.grpo.generate import ConversationTokens, GeneratedTurn, Generator, TurnTokens
from train.grpo.pictures import CachedPictureMaker, PictureCache, window_of


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Most tokens of one turn, and of everything after the prompt, pictures included."""

    turn: int
    rollout: int


class Rollout:
    """One inspection in progress: its tokens and pictures, and which tokens were sampled."""

    def __init__(
        self, picture_maker: CachedPictureMaker, task: Task, tokens: TurnTokens, limits: Limits
    ) -> None:
        self.conversation = ConversationTokens([])
        self.sampled: list[int] = []
        """For each token after the prompt: 1 if the model sampled it, else 0."""
        self.log_probs: list[float] = []
        """Log-probability of each of these tokens when it was sampled, 0 for the others."""
        self.is_over = False
        self.picture_maker = picture_maker
        self._tokens = tokens
        self._limits = limits
        self._recorded = _RecordedConversation()
        sampling = SamplingSettings(max_new_tokens=limits.turn)
        self.episode = Episode(self._recorded, picture_maker, sampling, 0, Control())
        for _ in self.episode.begin(picture_maker.opening(task), [picture_maker.overview()]):
            pass
        self._append_new_turns([])
        self.prompt_length = len(self.conversation.ids)

    @property
    def prompt(self) -> list[int]:
        return self.conversation.ids[: self.prompt_length]

    @property
    def completion(self) -> list[int]:
        return self.conversation.ids[self.prompt_length :]

    @property
    def limit(self) -> int:
        """Most tokens of the next turn."""
        return min(self._limits.turn, self._room)

    def add_turn(self, turn: GeneratedTurn) -> Window | None:
        """Append a turn of the model; returns the range that it calls the tool with."""
        self.conversation.ids += turn.ids
        self.sampled += [1] * len(turn.ids)
        self.log_probs += turn.log_probs
        if turn.end == "invented":
            self.is_over = True
            return None
        finish: Finish = "length" if turn.end == "length" else "stop"
        self._recorded.next = Generated(turn.text, len(turn.ids), finish)
        if self.picture_maker.rules.is_published:
            call = first_call(turn.text)
            return None if call is None else window_of(call.arguments)
        reply = parse_reply(turn.text)
        return window_of(reply.arguments) if reply.kind == "call" else None

    def answer_turn(self) -> None:
        """Append the tool's result to the turn; an answer or a limit ends the rollout instead."""
        try:
            for _ in self.episode.run():
                pass
        except _TurnNeeded:
            # The sampled tokens include the end token, unless the turn was cut off.
            closing = self.picture_maker.rules.reply_end
            if self.conversation.ids[-1] == self._tokens.end:
                closing = closing.removeprefix(END_OF_TURN)
            self._append_new_turns([Part(closing, markup=True)])
        else:
            self.is_over = True

    def free_cache(self) -> None:
        old = self.conversation
        self.conversation = ConversationTokens(old.ids, old.pictures)

    def _append_new_turns(self, closing: list[Part]) -> None:
        turns, pictures = self._recorded.take_appended()
        vision = self.picture_maker.pictures.vision
        counts = [picture_tokens(picture, vision) for picture in pictures]
        new = token_ids(self._tokens.tokenizer, [*closing, *chat_parts(turns)], counts)
        if closing and len(new) >= self._room:
            self.is_over = True
            return
        self.conversation.ids += new
        self.conversation.pictures += pictures
        if closing:
            self.sampled += [0] * len(new)
            self.log_probs += [0.0] * len(new)

    @property
    def _room(self) -> int:
        return self._limits.rollout - len(self.sampled)


@dataclass
class RolloutTimes:
    """Seconds spent on the parts of rollouts."""

    generating: float = 0.0
    drawing: float = 0.0


def roll_out(
    rollouts: Sequence[Rollout], generator: Generator, pictures: PictureCache, at_once: int
) -> RolloutTimes:
    """Run all rollouts to their ends, `at_once` in a batch."""
    times = RolloutTimes()
    for start in range(0, len(rollouts), at_once):
        live = [one for one in rollouts[start : start + at_once] if one.limit > 0]
        while live:
            started = time.perf_counter()
            turns = generator([one.conversation for one in live], [one.limit for one in live])
            generated = time.perf_counter()
            wanted = [one.add_turn(turn) for one, turn in zip(live, turns, strict=True)]
            looks = zip((one.picture_maker for one in live), wanted, strict=True)
            pictures.draw_ahead((maker, window) for maker, window in looks if window is not None)
            live = [one for one in live if not one.is_over]
            for one in live:
                one.answer_turn()
            live = [one for one in live if not one.is_over]
            times.generating += generated - started
            times.drawing += time.perf_counter() - generated
        for one in rollouts[start : start + at_once]:
            one.free_cache()
    return times


class _TurnNeeded(Exception):
    """The episode needs the model's next turn, which is not generated yet."""


class _RecordedConversation:
    """Takes the place of an engine: records the appended turns and returns a given reply."""

    usage = Usage()

    def __init__(self) -> None:
        self.next: Generated | None = None
        self._turns: list[Turn] = []
        self._pictures: list[Image.Image] = []

    def take_appended(self) -> tuple[list[Turn], list[Image.Image]]:
        """The turns and pictures appended since the last call."""
        appended = self._turns, self._pictures
        self._turns, self._pictures = [], []
        return appended

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        self._turns += turns
        self._pictures += pictures

    def generate(self, sampling: SamplingSettings, seed: int = 0, **how: Any) -> Generated:
        reply, self.next = self.next, None
        if reply is None:
            raise _TurnNeeded
        return reply

    def mark(self) -> object:
        return None

    def rewind(self, mark: object) -> None:
        """Never needed: a rollout generates each turn once."""

    def close(self) -> None:
        """Nothing to release."""
