"""From the tokens of rollouts to their rewards and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from agent.protocol.reply import Verdict, is_well_formed, parse_reply
from train.grpo.tokens import TurnTokens
from train.reward import outcome_reward


@dataclass(frozen=True)
class Judged:
    """What a rollout came to."""

    replies: tuple[str, ...]
    verdict: Verdict | None
    """None where it never answered, or its last turn was cut off."""

    @property
    def calls(self) -> int:
        return sum(parse_reply(reply).kind == "call" for reply in self.replies)


class TokenJudge:
    """Reads what the model said out of all tokens after the prompt, turn by turn.

    TRL's parsed messages do not do: they keep thoughts apart and drop what they cannot parse.
    """

    def __init__(self, tongue: TurnTokens) -> None:
        self._bytes = tongue.token_bytes
        self._end = tongue.end
        self._header = list(tongue.header)

    def __call__(self, completion: Sequence[int]) -> Judged:
        turns = list(self._turns(completion))
        replies = tuple(self._text(turn) for turn in turns)
        cut = not completion or completion[-1] != self._end
        last = parse_reply(replies[-1]) if replies and not cut else None
        return Judged(replies, last.verdict if last and last.kind == "answer" else None)

    def _turns(self, ids: Sequence[int]) -> Iterable[list[int]]:
        """The model's turns without their end tokens; it cannot say the tokens of a header."""
        ids, size, at = list(ids), len(self._header), 0
        while True:
            end = ids.index(self._end, at) if self._end in ids[at:] else len(ids)
            yield ids[at:end]
            opened = range(end, len(ids) - size + 1)
            at = next((n + size for n in opened if ids[n : n + size] == self._header), -1)
            if at < 0:
                return

    def _text(self, ids: Iterable[int]) -> str:
        return b"".join(self._bytes[number] for number in ids).decode("utf-8", "replace")


def make_reward(judge: TokenJudge, penalty: float) -> Callable[..., list[float]]:
    """The reward function TRL calls; it logs the figures of the batch on the way."""

    def reward(
        completion_ids: Sequence[Sequence[int]],
        answer: Sequence[Verdict],
        task: Sequence[str],
        log_metric: Callable[[str, float], None],
        **others: Any,
    ) -> list[float]:
        judged = [judge(ids) for ids in completion_ids]
        for name, value in figures(judged, answer, task).items():
            log_metric(name, value)
        return [
            outcome_reward(one.replies, one.verdict, right, penalty)
            for one, right in zip(judged, answer, strict=True)
        ]

    return reward


def figures(
    judged: Sequence[Judged], answers: Sequence[Verdict], tasks: Sequence[str]
) -> Mapping[str, float]:
    """Shares and means over the rollouts of a round; accuracy of each class as well."""
    right = [one.verdict == answer for one, answer in zip(judged, answers, strict=True)]
    found = {
        "accuracy": fmean(right),
        "well_formed": fmean(is_well_formed(one.replies) for one in judged),
        "answered": fmean(one.verdict is not None for one in judged),
        "says_yes": fmean(one.verdict == "YES" for one in judged),
        "calls": fmean(one.calls for one in judged),
        "f1": _f1([one.verdict == "YES" for one in judged], [one == "YES" for one in answers]),
    }
    for task in sorted(set(tasks)):
        found[f"accuracy/{task}"] = fmean(
            is_right for is_right, of in zip(right, tasks, strict=True) if of == task
        )
    return found


def _f1(said: Sequence[bool], real: Sequence[bool]) -> float:
    """Of the members; 0 where there are none and none is named."""
    hits = sum(one and other for one, other in zip(said, real, strict=True))
    return 2.0 * hits / max(1, sum(said) + sum(real))
