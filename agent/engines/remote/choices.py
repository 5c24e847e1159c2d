"""Read the log-probabilities of the options at a choice point from a server's `logprobs`.

Servers split text into tokens differently: `YES`, ` YES`, `{YES`, `Y` + `ES`, `YES}`. The token
with the first character after the choice point decides.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.engines.base import ChoicePoint

MAX_ALTERNATIVES = 128
# The log-probability used for a probability of zero
LEAST = -100.0
# Servers round: a log-probability may lie slightly above 0, and a sum of probabilities above 1
MOST = 0.01
MAX_SUM = 1.05
# How byte-level and SentencePiece vocabularies write a leading space
_SPACES = ("\u0120", "\u2581")


@dataclass(frozen=True)
class Token:
    """One token of the reply; `entry` is what the server listed about it, or None.

    The entry is read only if this token decides: one of hundreds, each with 20 alternatives.
    """

    text: bytes
    entry: Mapping[str, Any] | None = None


def read_tokens(logprobs: object, *, with_others: bool = True) -> Iterator[Token]:
    """Read the tokens in a choice's `logprobs`, skipping malformed entries.

    A token that is read without its alternatives decides nothing.
    """
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    for entry in content if isinstance(content, list) else ():
        text = _bytes(entry)
        if text is not None:
            yield Token(text, entry if with_others else None)


def choices(
    tokens: Sequence[Token], choice_point: ChoicePoint, text: str | None = None
) -> Mapping[str, float] | None:
    """Return the log-probability of each option after the last choice point; None if unknown.

    An option that is not listed gets the largest probability it can have. If that exceeds every
    listed option, the result is unknown. It is unknown, too, if the token is not the word in the
    `text` of the reply, or its numbers are no probabilities.
    """
    found = _deciding_token(tokens, choice_point.after.encode())
    if found is None:
        return None
    token, head = found
    if text is not None and not _is_in(text, choice_point.after, token.text[len(head) :]):
        return None
    about = _listed(token)
    if about is None:
        return None
    own, others = about
    listed = dict(others)
    listed.setdefault(token.text, own)
    if not sum(math.exp(logprob) for logprob in listed.values()) <= MAX_SUM:
        return None
    shares: dict[str, list[float]] = {option: [] for option in choice_point.options}
    for written, logprob in listed.items():
        if written.startswith(head):
            option = _option(written[len(head) :], choice_point.options)
            if option is not None:
                shares[option].append(logprob)
    known = {option: _log_sum(logprobs) for option, logprobs in shares.items() if logprobs}
    rest = _most_left(listed, [logprob for text, logprob in others if text != token.text])
    if not known or (len(known) < len(shares) and max(known.values()) < rest):
        return None
    return {option: known.get(option, rest) for option in choice_point.options}


def _deciding_token(tokens: Sequence[Token], after: bytes) -> tuple[Token, bytes] | None:
    """Return the token with the first character after the last `after`, and its bytes up to it."""
    start = b"".join(token.text for token in tokens).rfind(after)
    if start < 0:
        return None
    end = start + len(after)
    start = 0
    for token in tokens:
        inside = token.text[max(0, end - start) :]
        if start + len(token.text) > end and inside.strip():
            return token, token.text[: max(0, end - start)]
        start += len(token.text)
    return None


def _is_in(text: str, after: str, word: bytes) -> bool:
    """Whether a text goes on with the token's characters after its last choice point."""
    _, found, rest = text.rpartition(after)
    plain = word.decode("utf-8", "replace").strip()
    # a stop string or the end of the turn may cut the text inside the token
    return bool(found) and (rest.lstrip().startswith(plain) or plain.startswith(rest.strip()))


def _option(text: bytes, options: Sequence[str]) -> str | None:
    """Return the only option that starts with the text, or starts the text as a whole word."""
    word = text.decode("utf-8", "replace").strip()
    matching = [option for option in options if word and _matches(word, option)]
    return matching[0] if len(matching) == 1 else None


def _matches(word: str, option: str) -> bool:
    if len(word) <= len(option):
        return option.startswith(word)
    return word.startswith(option) and not word[len(option)].isalnum()


def _most_left(listed: Mapping[bytes, float], others: Sequence[float]) -> float:
    """Return the largest log-probability that an unlisted token can have."""
    left = 1.0 - sum(math.exp(logprob) for logprob in listed.values())
    unlisted = math.log(left) if left > math.exp(LEAST) else LEAST
    return min(unlisted, *others) if others else unlisted


def _log_sum(logprobs: Sequence[float]) -> float:
    top = max(logprobs)
    return min(0.0, top + math.log(sum(math.exp(logprob - top) for logprob in logprobs)))


def _listed(token: Token) -> tuple[float, list[tuple[bytes, float]]] | None:
    """A token's log-probability and those of its alternatives; None if a number is none."""
    if token.entry is None:
        return None
    own, top = _log_probability(token.entry.get("logprob")), token.entry.get("top_logprobs")
    others = []
    for entry in top[:MAX_ALTERNATIVES] if isinstance(top, list) else ():
        text = _bytes(entry)
        if text is not None:
            others.append((text, _log_probability(entry.get("logprob"))))
    numbers = (own, *(number for _, number in others))
    return None if any(map(math.isnan, numbers)) else (own, others)


def _log_probability(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    if not -math.inf < value <= MOST:  # also if it is NaN
        return math.nan
    return float(max(LEAST, min(0.0, value)))


def _bytes(entry: object) -> bytes | None:
    if not isinstance(entry, dict):
        return None
    listed, token = entry.get("bytes"), entry.get("token")
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
