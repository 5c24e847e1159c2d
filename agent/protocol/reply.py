"""Parses one turn of a model into thought, tool call and answer.

Nothing a model writes raises: a mistake becomes an `error` text, which the model is shown next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.protocol.tool import TOOL_NAME

Verdict = Literal["YES", "NO"]
Kind = Literal["call", "answer", "text", "error"]

MAX_TEXT = 200_000  # characters of a turn that are parsed; a runaway model writes more
MAX_CALL = 20_000

_BOX = re.compile(r"\\boxed\{([^{}]*)\}")
_THINK_TAG = re.compile(r"</?think>")

CUT_OFF = "The tool call ends before </tool_call>. Send it again, complete."
TWO_CALLS = "One tool call a turn: you sent {count}. Send one of them."
NOT_JSON = "The tool call is not valid JSON: {reason}. Send it again."
NO_SUCH_TOOL = "There is no tool named {name}. The only one is " + TOOL_NAME + "."
NO_VERDICT = r"The answer holds no \boxed{YES} or \boxed{NO}. Give it again with one of them."


@dataclass(frozen=True)
class Reply:
    """One assistant turn; `error` is set if `kind` is "error", `arguments` if it is "call"."""

    text: str
    kind: Kind
    thought: str = ""
    arguments: object = None
    answer: str = ""
    verdict: Verdict | None = None
    error: str = ""
    tool: str = TOOL_NAME
    """The tool that is called."""


def parse_reply(text: str) -> Reply:
    """Parse one turn."""
    text = text[:MAX_TEXT]
    thought, spoken = split_thought(text)
    # A call wins over an answer in the same turn: the model wants to look again.
    calls = between(spoken, "tool_call")[0]
    if len(calls) > 1:
        return Reply(text, "error", thought, error=TWO_CALLS.format(count=len(calls)))
    if calls:
        return _read_call(text, thought, calls[0])
    if "<tool_call>" in spoken:
        return Reply(text, "error", thought, error=CUT_OFF)
    answers = between(spoken, "answer")[0]
    if not answers:
        return Reply(text, "text", thought)
    answer = answers[-1].strip()
    verdict = boxed_verdict(answer)
    if verdict is None:
        return Reply(text, "error", thought, answer=answer, error=NO_VERDICT)
    return Reply(text, "answer", thought, answer=answer, verdict=verdict)


def between(text: str, tag: str) -> tuple[list[str], str]:
    """The contents of each pair of tags, and the text without the pairs."""
    # No regular expression: it would search for the end again from every unclosed tag, which takes
    # minutes if a model repeats the opening tag forever.
    opened, closed = f"<{tag}>", f"</{tag}>"
    inside, outside, at = [], [], 0
    while (start := text.find(opened, at)) >= 0:
        end = text.find(closed, start)
        if end < 0:
            break
        inside.append(text[start + len(opened) : end])
        outside.append(text[at:start])
        at = end + len(closed)
    return inside, "".join((*outside, text[at:]))


def split_thought(text: str) -> tuple[str, str]:
    """The thought and the text outside it; an unclosed thought includes everything after it."""
    thoughts, spoken = between(text, "think")
    before, opened, after = spoken.partition("<think>")
    if opened and not thoughts:
        # Either cut off while thinking, or the closing tag is missing before a call or an answer.
        start = min(
            (at for tag in ("<tool_call>", "<answer>") if (at := after.find(tag)) >= 0), default=-1
        )
        if start < 0:
            return after.strip(), before
        return after[:start].strip(), before + after[start:]
    return "\n".join(part.strip() for part in thoughts), spoken


def _read_call(text: str, thought: str, body: str) -> Reply:
    try:
        if len(body) > MAX_CALL:
            raise ValueError(f"it is longer than {MAX_CALL} characters")
        call = json.loads(body)
    except (ValueError, RecursionError) as error:
        reason = str(error)[:100] or type(error).__name__
        return Reply(text, "error", thought, error=NOT_JSON.format(reason=reason))
    if not isinstance(call, dict) or "name" not in call:
        return Reply(text, "error", thought, error=NOT_JSON.format(reason="it names no tool"))
    if call["name"] != TOOL_NAME:
        name = str(call["name"])[:60]
        return Reply(text, "error", thought, error=NO_SUCH_TOOL.format(name=repr(name)))
    return Reply(text, "call", thought, arguments=call.get("arguments"))


def boxed_verdict(answer: str) -> Verdict | None:
    r"""YES or NO if every \boxed{} contains exactly that, else None."""
    boxed = set(_BOX.findall(answer))
    if boxed == {"YES"}:
        return "YES"
    if boxed == {"NO"}:
        return "NO"
    return None


def is_well_formed(turns: Sequence[str]) -> bool:
    """Whether all turns of an inspection together follow the required format.

    There are think tags, balanced in every turn, and exactly one answer with a boxed verdict.
    """
    whole = "\n".join(turns)
    if "<think>" not in whole or not all(_think_tags_balance(turn) for turn in turns):
        return False
    if whole.count("<answer>") != 1 or whole.count("</answer>") != 1:
        return False
    answers = between(whole, "answer")[0]
    return len(answers) == 1 and boxed_verdict(answers[0]) is not None


def _think_tags_balance(turn: str) -> bool:
    tags = _THINK_TAG.findall(turn)
    return len(tags) % 2 == 0 and all(
        tag == ("<think>" if number % 2 == 0 else "</think>") for number, tag in enumerate(tags)
    )
