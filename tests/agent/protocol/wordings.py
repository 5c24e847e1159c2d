"""Rows of the published columns in invented words, and the wording they hold."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent.protocol.protocol import TOOL_BLOCK
from agent.protocol.tool import TOOL_NAME
from agent.protocol.wording import Wording
from agent.protocol.wording_rows import WordingRows

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": TOOL_NAME,
        "description": "Magnify a stretch of the “tracing” for the clerk.",
        "parameters": {
            "type": "object",
            "properties": {
                "wavelength_range": {"type": "array", "description": "Two ends, in Å."},
                "label": {"type": "string", "description": "A note to self."},
            },
            "required": [],
        },
    },
}
TOOL_LINE = json.dumps(TOOL, ensure_ascii=False)
SYSTEM = "You are a patient clerk of spectra."
REFUSED = "Sorry: [{low}, {high}] lies beyond what was taped, {start} up to {end}."
WHOLE, WHOLE_FOR = "The entire tape is unrolled.", "The entire tape is unrolled for {label}."
CALLED = {
    "cv": "a cataclysmic variable", "cc": "a carbon star", "gm": "an M giant",
    "ss": "an S-type star", "wd": "a white dwarf",
}  # fmt: skip
KEYS = {"cv": "CV", "cc": "CS", "gm": "MG", "ss": "SS", "wd": "WD"}


def text_of(source: str) -> str:
    """The words of a row after the mark of its picture."""
    return (
        f"\nLook at the tape above.  Would a clerk file it under {CALLED[source]}?\n\n"
        f"Hints for drawer {KEYS[source]}:\n* the {source} bump\n* the {source} dip\n\n"
        "Think aloud, tug the tape with the tool, then box your word: \\boxed{YES} or "
        "\\boxed{NO}. \n"
    )


def bench_row(source: str, text: str | None = None) -> dict[str, Any]:
    """A row as of the benchmark."""
    content = f"<image>{text_of(source) if text is None else text}"
    return {
        "images": [{"bytes": b"\x89PNG", "path": None}], "data_source": source,
        "prompt": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}],
        "reward_model": {"ground_truth": "YES", "style": "rule"}, "agent_name": "tool_agent",
        "extra_info": {"index": 0, "name": "tape-1.fits"},
    }  # fmt: skip


def cold_start_row(source: str, *more: tuple[str, str]) -> dict[str, Any]:
    """A row as of the cold start: its system turn describes the tool."""
    turns = [
        ("system", SYSTEM + TOOL_BLOCK.format(schemas=TOOL_LINE)),
        ("human", f"<image>{text_of(source)}"),
        *more,
        ("gpt", "<think>Plain.</think><answer>\\boxed{YES} the bump</answer>"),
    ]
    return {
        "conversations": [{"from": role, "value": text} for role, text in turns],
        "images": ["images/0.png"], "sample_index": 0, "source_name": "tape-1.fits",
        "ground_truth": "YES",
    }  # fmt: skip


def call(arguments: str) -> str:
    body = f'{{"name": "{TOOL_NAME}", "arguments": {arguments}}}'
    return f"<think>Hm.</think>\n<tool_call>\n{body}\n</tool_call>"


def replying_row(source: str = "cv") -> dict[str, Any]:
    """A cold-start row in which the tool says all that it can say."""
    asked = [
        ("{}", f"<image>{WHOLE}"),
        ('{"label": "the jump"}', f"<image>{WHOLE_FOR.replace('{label}', 'the jump')}"),
        (
            '{"wavelength_range": [10000, 12000.5]}',
            "Sorry: [10000, 12000.5] lies beyond what was taped, 3700.1 up to 9000.2.",
        ),
    ]
    turns: list[tuple[str, str]] = []
    for arguments, answer in asked:
        turns += [
            ("gpt", call(arguments)),
            ("human", f"<tool_response>\n{answer}\n</tool_response>"),
        ]
    return cold_start_row(source, *turns)


def cold_start_rows(sources: Sequence[str] = tuple(CALLED)) -> list[dict[str, Any]]:
    return [replying_row(), *map(cold_start_row, sources)]


def wording_of_rows(
    rows: Iterable[Mapping[str, Any]], name: str, **known: str
) -> tuple[Wording, tuple[str, ...]]:
    found = WordingRows()
    for row in rows:
        found.add(row)
    return found.wording(name, **known)


def wording(name: str = "clerk") -> Wording:
    """A whole wording: five classes, tool and replies."""
    return wording_of_rows(cold_start_rows(), name, source="clerk/tapes", licence="MIT")[0]
