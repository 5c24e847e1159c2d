"""Computes the rewards and metrics of rollouts from their tokens."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from agent.protocol.reply import Verdict, is_well_formed, parse_reply
from train.grpo.generate import TurnTokens
from train.reward import Reading, RewardKind, published_reading


@dataclass(frozen=True)
class RolloutOutcome:
    """The replies of one rollout, and what was read in them.

    Read strictly, there is no verdict if it never answered or its last turn was cut off.
    """

    replies: tuple[str, ...]
    reading: Reading

    @property
    def verdict(self) -> Verdict | None:
        return self.reading.verdict

    @property
    def calls(self) -> int:
        return sum(parse_reply(reply).kind == "call" for reply in self.replies)


class TokenJudge:
    """Reads the model's replies from all tokens after the prompt, turn by turn.

    TRL's parsed messages are no substitute: they separate the thoughts and drop what they cannot
    parse.
    """

    def __init__(self, tokens: TurnTokens, kind: RewardKind = "strict") -> None:
        self._kind = kind
        self._bytes = tokens.token_bytes
        self._control = {*tokens.forbidden, tokens.end}
        self._end = tokens.end
        self._header = list(tokens.header)

    def __call__(self, completion: Sequence[int]) -> RolloutOutcome:
        turns = list(self._turns(completion))
        replies = tuple(self._text(turn) for turn in turns)
        if self._kind == "published":
            # That scorer gets the tool's replies, too, in one text without control tokens.
            whole = self._text(number for number in completion if number not in self._control)
            return RolloutOutcome(replies, published_reading(whole))
        is_cut = not completion or completion[-1] != self._end
        last = parse_reply(replies[-1]) if replies and not is_cut else None
        verdict = last.verdict if last and last.kind == "answer" else None
        return RolloutOutcome(replies, Reading(verdict, is_well_formed(replies)))

    def _turns(self, ids: Sequence[int]) -> Iterable[list[int]]:
        """The model's turns without their end tokens."""
        ids, size, start = list(ids), len(self._header), 0
        # Header tokens are forbidden, so a header always starts a turn of the model.
        while True:
            end = ids.index(self._end, start) if self._end in ids[start:] else len(ids)
            yield ids[start:end]
            candidates = range(end, len(ids) - size + 1)
            start = next((n + size for n in candidates if ids[n : n + size] == self._header), -1)
            if start < 0:
                return

    def _text(self, ids: Iterable[int]) -> str:
        return b"".join(self._bytes[number] for number in ids).decode("utf-8", "replace")


def make_reward(judge: TokenJudge, penalty: float) -> Callable[..., list[float]]:
    """The reward function that TRL calls; it also logs the metrics of the batch."""

    def reward(
        completion_ids: Sequence[Sequence[int]],
        answer: Sequence[Verdict],
        task: Sequence[str],
        log_metric: Callable[[str, float], None],
        **others: Any,
    ) -> list[float]:
        judged = [judge(ids) for ids in completion_ids]
        for name, value in metrics(judged, answer, task).items():
            log_metric(name, value)
        both = zip(judged, answer, strict=True)
        return [one.reading.reward(right, penalty) for one, right in both]

    return reward


def metrics(
    judged: Sequence[RolloutOutcome], answers: Sequence[Verdict], tasks: Sequence[str]
) -> Mapping[str, float]:
    """Fractions and means over the rollouts of a round, and the accuracy of each task."""
    right = [one.verdict == answer for one, answer in zip(judged, answers, strict=True)]
    found = {
        "accuracy": fmean(right),
        "well_formed": fmean(one.reading.is_well_formed for one in judged),
        "answered": fmean(one.verdict is not None for one in judged),
        "says_yes": fmean(one.verdict == "YES" for one in judged),
        "calls": fmean(one.calls for one in judged),
        "f1": f1_of([one.verdict == "YES" for one in judged], [one == "YES" for one in answers]),
    }
    for task in sorted(set(tasks)):
        found[f"accuracy/{task}"] = fmean(
            is_right for is_right, of in zip(right, tasks, strict=True) if of == task
        )
    return found


def f1_of(predicted: Sequence[bool], actual: Sequence[bool]) -> float:
    """F1 of YES; 0 if there is no YES at all."""
    hits = sum(one and other for one, other in zip(predicted, actual, strict=True))
    return 2.0 * hits / max(1, sum(predicted) + sum(actual))
