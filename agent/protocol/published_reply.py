"""Reads turns and answers as the code of the published models does.

A call counts wherever it stands in a turn, the first that can be read is run, and what cannot be
read is passed over. The verdict is read once, from all that was said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from agent.protocol.reply import MAX_CALL, MAX_TEXT, Reply, Verdict, between, split_thought

_WORD = {word: re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("YES", "NO")}
_BOX = "\\boxed{"


@dataclass(frozen=True)
class Call:
    """A call as the model wrote it."""

    name: str
    arguments: object


def parse_published(text: str, said_before: str = "", *, may_call: bool = True) -> Reply:
    """One turn: a call, an answer, or text; each but the call ends the conversation.

    The verdict is that of the whole conversation. The last turn allowed may not call.
    """
    text = text[:MAX_TEXT]
    thought, spoken = split_thought(text)
    call = first_call(text) if may_call else None
    if call is not None:
        return Reply(text, "call", thought, arguments=call.arguments, tool=call.name)
    answers = between(spoken, "answer")[0]
    answer = answers[-1].strip() if answers else spoken.strip()
    verdict = published_verdict(said_before + text)
    if verdict is None:
        return Reply(text, "text", thought, answer=answer)
    return Reply(text, "answer", thought, answer=answer, verdict=verdict)


def first_call(text: str) -> Call | None:
    """The first call of a turn that is JSON with a name and arguments."""
    for body in between(text, "tool_call")[0]:
        try:
            call = json.loads(body) if len(body) <= MAX_CALL else None
            return Call(str(call["name"]), call["arguments"])  # type: ignore[index]
        except (ValueError, RecursionError, TypeError, KeyError):
            continue
    return None


def solution(replies: Sequence[str], answers: Sequence[str | None]) -> str:
    """All that was said after the opening, as the published scorer is given it.

    `answers` are the tool's texts, the first after the first reply and so on; None for none.
    """
    return "".join(_solution(replies, answers))


def _solution(replies: Sequence[str], answers: Sequence[str | None]) -> Iterator[str]:
    for reply, answer in zip_longest(replies, answers):
        yield reply or ""
        if answer is not None:
            yield f"user\n<tool_response>\n{answer}\n</tool_response>\nassistant\n"


def published_verdict(said: str) -> Verdict | None:
    """The verdict that the published scorer reads, whether well-formed or not."""
    word = _read(said)[0]
    if word == "YES":
        return "YES"
    return "NO" if word == "NO" else None


def is_published_form(said: str) -> bool:
    """Whether the published scorer finds no fault in the form.

    Think tags are there and as many open as close; there is one answer, and the first box in it
    holds YES or NO, in any case.
    """
    return _read(said)[1]


def _read(said: str) -> tuple[str, bool]:
    """What is taken for the answer, and whether the form is right."""
    opened = said.count("<think>")
    well = opened > 0 and opened == said.count("</think>")
    well &= said.count("<answer>") == 1 == said.count("</answer>")
    answers = between(said, "answer")[0]
    well &= len(answers) == 1
    word = ""
    if answers:
        box = _first_box(answers[-1])
        well &= box in ("YES", "NO")
        word = _bare_word(answers[-1]) if box is None else box
    if not word and not well:
        word = _first_box(said) or _bare_word(said)
    return word, well


def _first_box(text: str) -> str | None:
    """What the first box holds, in capitals if it is a verdict; None without a box."""
    start = text.find(_BOX)
    end = text.find("}", start)
    if start < 0 or end < 0:
        return None
    inside = text[start + len(_BOX) : end].strip()
    return inside.upper() if inside.upper() in ("YES", "NO") else inside


def _bare_word(text: str) -> str:
    """YES if the word stands anywhere, else NO if that does, whatever is meant by it."""
    return next((word for word, pattern in _WORD.items() if pattern.search(text)), "")
