"""Parses one turn of a model into thought, tool call and answer.

Nothing a model writes raises: a mistake becomes an `error` text, which the model is shown next.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, get_args

from agent.protocol.tool import TOOL_NAME, call_text

Verdict = Literal["YES", "NO"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
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

_WORD = {word: re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("YES", "NO")}
_PUBLISHED_BOX = "\\boxed{"


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
    tool: str = TOOL_NAME  # the tool that is called


def call_reply(thought: str, arguments: object) -> str:
    return f"<think>{thought}</think>\n<tool_call>\n{call_text(arguments)}\n</tool_call>"


def answer_reply(thought: str, verdict: str, reasons: str) -> str:
    return f"<think>{thought}</think>\n<answer>\\boxed{{{verdict}}} {reasons}</answer>"


def parse_reply(text: str) -> Reply:
    text = text[:MAX_TEXT]
    thought, spoken = split_thought(text)
    # A call wins over an answer in the same turn: the model wants to look again.
    calls = between(spoken, "tool_call")[0]
    if len(calls) > 1:
        return Reply(text, "error", thought, error=TWO_CALLS.format(count=len(calls)))
    if calls:
        try:
            if len(calls[0]) > MAX_CALL:
                raise ValueError(f"it is longer than {MAX_CALL} characters")
            call = json.loads(calls[0])
        except (ValueError, RecursionError) as error:
            reason = str(error)[:100] or type(error).__name__
            return Reply(text, "error", thought, error=NOT_JSON.format(reason=reason))
        if not isinstance(call, dict) or "name" not in call:
            return Reply(text, "error", thought, error=NOT_JSON.format(reason="it names no tool"))
        if call["name"] != TOOL_NAME:
            name = str(call["name"])[:60]
            return Reply(text, "error", thought, error=NO_SUCH_TOOL.format(name=repr(name)))
        return Reply(text, "call", thought, arguments=call.get("arguments"))
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


def boxed_verdict(answer: str) -> Verdict | None:
    r"""YES or NO if every \boxed{} contains exactly that, else None."""
    boxed = set(_BOX.findall(answer))
    if boxed == {"YES"}:
        return "YES"
    return "NO" if boxed == {"NO"} else None


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


# Reads turns and answers as the code of the published models does. A call counts wherever it
# stands in a turn, the first that can be read is run, and what cannot be read is passed over. The
# verdict is read once, from all that was said.
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
    said = ""
    for reply, answer in zip_longest(replies, answers):
        said += reply or ""
        if answer is not None:
            said += f"user\n<tool_response>\n{answer}\n</tool_response>\nassistant\n"
    return said


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
    start = text.find(_PUBLISHED_BOX)
    end = text.find("}", start)
    if start < 0 or end < 0:
        return None
    inside = text[start + len(_PUBLISHED_BOX) : end].strip()
    return inside.upper() if inside.upper() in ("YES", "NO") else inside


def _bare_word(text: str) -> str:
    """YES if the word stands anywhere, else NO if that does, whatever is meant by it."""
    return next((word for word, pattern in _WORD.items() if pattern.search(text)), "")
