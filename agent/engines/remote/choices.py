"""How sure a remote model was: the log-probabilities of the words it could have put in the box.

Servers cut text into tokens differently: `YES`, ` YES`, `{YES`, `Y` + `ES`, `YES}`. What counts is
the token in which the first letter after the watched text was chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.engines.base import ChoicePoint

MAX_ALTERNATIVES = 128
LEAST = -100.0
"""Stands for a probability of nothing."""
_SPACES = ("\u0120", "\u2581")
"""How raw vocabularies write the space before a word."""


@dataclass(frozen=True)
class Token:
    """One token of the reply and what else could have stood there, with log-probabilities."""

    text: bytes
    logprob: float
    others: tuple[tuple[bytes, float], ...] = ()


def read_tokens(logprobs: object) -> Iterator[Token]:
    """From a choice's `logprobs`; what is not as it should be is left out."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    for entry in content if isinstance(content, list) else ():
        chosen = _entry(entry)
        if chosen is None:
            continue
        listed = entry.get("top_logprobs")
        others = listed[:MAX_ALTERNATIVES] if isinstance(listed, list) else []
        found = (_entry(other) for other in others)
        yield Token(*chosen, tuple(other for other in found if other is not None))


def choices(tokens: Sequence[Token], choice_point: ChoicePoint) -> Mapping[str, float] | None:
    """The log-probability of each option after the last watched text; None where it is not known.

    An option that is not listed gets the most that is left for it, unless that is more than a
    listed one has: then nobody can tell.
    """
    at = _last_place(tokens, choice_point.after.encode())
    if at is None:
        return None
    number, head = at
    token = tokens[number]
    listed = dict(token.others)
    listed.setdefault(token.text, token.logprob)
    shares: dict[str, list[float]] = {option: [] for option in choice_point.options}
    for text, logprob in listed.items():
        if text.startswith(head):
            option = _option(text[len(head) :], choice_point.options)
            if option is not None:
                shares[option].append(logprob)
    found = {option: _sum(logprobs) for option, logprobs in shares.items() if logprobs}
    rest = _most_left(token, listed)
    if not found or (len(found) < len(shares) and max(found.values()) < rest):
        return None
    return {option: found.get(option, rest) for option in choice_point.options}


def _last_place(tokens: Sequence[Token], after: bytes) -> tuple[int, bytes] | None:
    """The token with the first letter after `after`, and what it holds before that letter."""
    whole = b"".join(token.text for token in tokens)
    found = whole.rfind(after)
    if found < 0:
        return None
    end = found + len(after)
    start = 0
    for number, token in enumerate(tokens):
        inside = token.text[max(0, end - start) :]
        if start + len(token.text) > end and inside.strip():
            return number, token.text[: max(0, end - start)]
        start += len(token.text)
    return None


def _option(text: bytes, options: Sequence[str]) -> str | None:
    """The one option that the text begins, or that begins the text as a whole word."""
    word = text.decode("utf-8", "replace").strip()
    fitting = [option for option in options if word and _fits(word, option)]
    return fitting[0] if len(fitting) == 1 else None


def _fits(word: str, option: str) -> bool:
    if len(word) <= len(option):
        return option.startswith(word)
    return word.startswith(option) and not word[len(option)].isalnum()


def _most_left(token: Token, listed: Mapping[bytes, float]) -> float:
    """For what is not listed: as much as the least of the likeliest, and no more than is left."""
    left = 1.0 - sum(math.exp(logprob) for logprob in listed.values())
    unlisted = math.log(left) if left > math.exp(LEAST) else LEAST
    others = [logprob for text, logprob in token.others if text != token.text]
    return min(unlisted, *others) if others else unlisted


def _sum(logprobs: Sequence[float]) -> float:
    top = max(logprobs)
    return min(0.0, top + math.log(sum(math.exp(logprob - top) for logprob in logprobs)))


def _entry(entry: object) -> tuple[bytes, float] | None:
    """Bytes and log-probability of a listed token."""
    if not isinstance(entry, dict):
        return None
    logprob = entry.get("logprob")
    if isinstance(logprob, bool) or not isinstance(logprob, int | float):
        return None
    if not -math.inf <= logprob <= math.inf:
        return None
    text = _bytes(entry.get("bytes"), entry.get("token"))
    return None if text is None else (text, float(max(LEAST, min(0.0, logprob))))


def _bytes(listed: Any, token: object) -> bytes | None:
    if isinstance(listed, list) and listed:
        try:
            return bytes(listed)
        except (ValueError, TypeError):
            return None
    if not isinstance(token, str):
        return None
    if token.startswith(_SPACES):
        token = " " + token[1:]
    return token.encode("utf-8", "replace")
