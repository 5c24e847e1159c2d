"""Prompt, turns and chat markup of an inspection, shared by inference, training and evaluation.

The texts and Qwen's chat markup (Hermes tool calls) are what the models were trained on: they must
not change by a single byte.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.protocol.tool import TOOL_SCHEMA
from agent.tasks.task import Task, guideline_text

PROTOCOL_VERSION = 1
MAX_TOOL_TURNS = 8

Role = Literal["system", "user", "assistant", "tool"]

SYSTEM = "You are a helpful assistant."
TOOL_BLOCK = """

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{schemas}
</tools>

For each function call, return a json object with function name and arguments within \
<tool_call></tool_call> XML tags:
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>"""

FORMAT_RULES = r"""How to work:
1. Think inside <think> </think> before anything else, in every turn.
2. To look closer, end the turn with one tool call. It redraws the window you name from the data.
3. Zoom into the windows where the evidence for and against should be. At most {turns} calls.
4. When you are sure, answer once: <answer>\boxed{{YES}} reasons</answer> or
   <answer>\boxed{{NO}} reasons</answer>. Name in the reasons the features you saw and where."""

GO_ON = "Go on: think, then call the tool once or give your answer."
CUT_SHORT = "Your turn was cut off at its length limit. Say it again, shorter."
PERSON_SHOWS = "The astronomer shows you the wavelength range ({low}, {high}) Å{purpose}."


@dataclass(frozen=True)
class Turn:
    """One turn; `picture` is the number of a picture that precedes the text."""

    role: Role
    text: str
    picture: int | None = None


@dataclass(frozen=True)
class Part:
    """A piece of chat text, or the number of a picture without text.

    Only parts with `markup` may become control tokens; anything else is plain text.
    """

    text: str = ""
    markup: bool = False
    picture: int | None = None


def system_text() -> str:
    """The system prompt with the tool's schema."""
    schema = json.dumps(TOOL_SCHEMA, ensure_ascii=False)
    return SYSTEM + TOOL_BLOCK.format(schemas=schema)


def task_text(task: Task, calls: int = MAX_TOOL_TURNS) -> str:
    """The first user turn, which follows the picture of the whole spectrum."""
    rules = FORMAT_RULES.format(turns=calls)
    return (
        f"The picture shows the whole spectrum of one object. {task.question}\n\n"
        f"{guideline_text(task)}\n\n{rules}"
    )


def opening(
    task: Task, *, brief: bool = False, overview_text: str = "", calls: int = MAX_TOOL_TURNS
) -> tuple[Turn, Turn]:
    """System and first user turn; picture 0 is the whole spectrum.

    `brief` gives the question alone, for models trained to know the tool and the guideline.
    `overview_text` holds measurements of the whole spectrum; `calls` may be made at most.
    """
    system, text = (SYSTEM, task.question) if brief else (system_text(), task_text(task, calls))
    if overview_text:
        text = f"{text}\n{overview_text}"
    return Turn("system", system), Turn("user", text, picture=0)


def person_text(wavelength_range: tuple[float, float] | None, label: str, remark: str) -> str:
    """The user turn for a person's window, remark or both."""
    if wavelength_range is None:
        return remark
    low, high = wavelength_range
    shown = PERSON_SHOWS.format(low=low, high=high, purpose=f" for {label}" if label else "")
    return f"{shown} {remark}" if remark else shown


IMAGE_TOKEN = "<|image_pad|>"
END_OF_TURN = "<|im_end|>"
END_OF_TEXT = "<|endoftext|>"
MARKUP_TOKENS = ("<|im_start|>", END_OF_TURN, "<|vision_start|>", "<|vision_end|>")
END_OF_REPLY = "<|im_end|>\n"

_MARKUP = re.compile("(" + "|".join(map(re.escape, MARKUP_TOKENS)) + ")")


def chat_parts(
    turns: Sequence[Turn], *, model_speaks_next: bool = True, reply_end: str = END_OF_REPLY
) -> Iterator[Part]:
    """Split a conversation into markup, plain text and pictures; `reply_end` ends the model's."""
    for turn in turns:
        role = "user" if turn.role == "tool" else turn.role
        yield Part(f"<|im_start|>{role}\n", markup=True)
        if turn.role == "tool":
            yield Part("<tool_response>\n", markup=True)
        if turn.picture is not None:
            yield Part("<|vision_start|>", markup=True)
            yield Part(picture=turn.picture)
            yield Part("<|vision_end|>", markup=True)
        yield Part(turn.text)
        if turn.role == "tool":
            yield Part("\n</tool_response>", markup=True)
        yield Part(reply_end if role == "assistant" else "<|im_end|>\n", markup=True)
    if model_speaks_next:
        yield Part("<|im_start|>assistant\n", markup=True)


def token_runs(parts: Iterable[Part]) -> Iterator[Part]:
    """Split parts into control tokens, which alone are `markup` then, pictures and text between.

    That text is one run, whatever parts it came in.
    """
    pending = ""
    for part in parts:
        if part.picture is not None:
            yield from (Part(pending), part)
            pending = ""
        for text in _MARKUP.split(part.text) if part.markup else [part.text]:
            if part.markup and text in MARKUP_TOKENS:
                yield from (Part(pending), Part(text, markup=True))
                pending = ""
            else:
                pending += text
    yield Part(pending)
