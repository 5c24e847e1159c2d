"""Finds the wording of a model in the rows that it was trained or tested on.

A row has `prompt` (turns of `role` and `content`) and `data_source`, as the published benchmark, or
`conversations` of `from` and `value`, as the published cold start. Rows are hostile until checked.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from agent.errors import ResourceError
from agent.protocol.protocol import SYSTEM, TOOL_BLOCK
from agent.protocol.reply import first_call
from agent.protocol.tool import TOOL_SCHEMA
from agent.protocol.wording import CALLED, MAX_WORDS, Wording, names_of

MARK = "<image>"
CLASS_OF_SOURCE = {"cc": "CS", "carbon": "CS", "cv": "CV", "gm": "MG", "ss": "SS", "wd": "WD"}
MOST_TEXTS = 500  # different texts of one kind that are kept while rows are read
MAX_TURNS = 100
ROLES = {"system": "system", "user": "user", "human": "user", "assistant": "assistant"}

MAX_REPLY = 2000
_RESPONSE = re.compile(r"\s*(?:<tool_response>)?\n?(.*?)\n?(?:</tool_response>)?\s*", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]\d)")
ROLES |= {"gpt": "assistant", "function_call": "assistant"}
ROLES |= {"tool": "tool", "observation": "tool", "function_response": "tool"}
_BEFORE, _AFTER = TOOL_BLOCK.format(schemas="\0").split("\0")

Turns = list[tuple[str, str]]


@dataclass
class WordingRows:
    """Collects the texts of rows, one by one; `wording` is made of the most frequent ones."""

    systems: Counter[str] = field(default_factory=Counter)
    texts: dict[str, Counter[str]] = field(default_factory=dict)
    replies: dict[str, Counter[str]] = field(default_factory=dict)
    unread: Counter[str] = field(default_factory=Counter)  # why rows told nothing

    def add(self, row: Mapping[str, Any]) -> None:
        try:
            # The turns of a row as (role, text); raises ResourceError if it has none.
            listed = _parsed(row.get("prompt") or row.get("conversations") or row.get("messages"))
            if not isinstance(listed, list) or not 1 <= len(listed) <= MAX_TURNS:
                raise ResourceError("it has no turns")
            turns = [_turn(message) for message in listed]
            # The system turn, which may be empty, and the first user turn without its picture.
            system = turns[0][1] if turns[0][0] == "system" else ""
            rest = turns[1:] if turns[0][0] == "system" else turns
            if not rest or rest[0][0] != "user":
                raise ResourceError("it does not open with a user's turn")
            text = rest[0][1]
            if text.count(MARK) != 1 or not text.startswith(MARK):
                raise ResourceError("it does not open with one picture before its text")
            text = text.removeprefix(MARK)
            if not text.strip() or max(len(text), len(system)) > MAX_WORDS:
                raise ResourceError(f"its text is empty or longer than {MAX_WORDS} characters")
            name = class_of(row.get("data_source"), text)
        except ResourceError as error:
            self.unread[str(error)] += 1
            return
        _count(self.texts.setdefault(name, Counter()), text)
        if system:
            _count(self.systems, system)
        for kind, reply in learned_replies(turns):
            _count(self.replies.setdefault(kind, Counter()), reply)

    @property
    def has_tool(self) -> bool:
        """Whether the rows describe the tool."""
        return any("<tools>" in system for system in self.systems)

    def wording(
        self, name: str, *, tool: str = "", source: str = "", licence: str = ""
    ) -> tuple[Wording, tuple[str, ...]]:
        """The wording, and what to tell the user about it; `tool` is used if no row has one.

        Raises ResourceError if no row has an opening text of a known class.
        """
        if not self.texts:
            why = "".join(f"; {reason}" for reason, _ in self.unread.most_common(1))
            raise ResourceError(f"no row opens with a question about a known class{why}")
        notes = list(self._notes())
        described = [system for system in self.systems if "<tools>" in system]
        best = max(described or self.systems, key=self.systems.__getitem__, default=SYSTEM)
        system, found = split_system(best)
        if not (found or tool):
            notes.append(
                "the tool is described in our words: no row describes it "
                "(add the published tool's yaml, or cold-start conversations)"
            )
        wording = Wording(
            name=name,
            system=system,
            tool=found or tool or json.dumps(TOOL_SCHEMA, ensure_ascii=False),
            tasks={each: self.texts[each].most_common(1)[0][0] for each in sorted(self.texts)},
            replies={kind: said.most_common(1)[0][0] for kind, said in self.replies.items()},
            source=source,
            licence=licence,
        )
        return wording, tuple(notes)

    def _notes(self) -> Iterator[str]:
        for name, texts in sorted(self.texts.items()):
            if len(texts) > 1:
                kept, rows = texts.most_common(1)[0][1], texts.total()
                yield (
                    f"{name}: the rows differ, {len(texts)} texts in {rows} rows; the one of "
                    f"{kept} rows is kept"
                )
        if len(self.systems) > 1:
            yield f"the rows differ in {len(self.systems)} system turns; the most frequent is kept"
        for reason, count in self.unread.most_common(3):
            yield f"{count} rows left out: {reason}"


def class_of(source: object, text: str) -> str:
    """The class by `data_source`, else by the name that stands first in the text."""
    if isinstance(source, str) and source.casefold() in CLASS_OF_SOURCE:
        return CLASS_OF_SOURCE[source.casefold()]
    low = text.casefold()
    found = [
        (named.start(), -len(name), task)
        for task in CALLED
        for name in names_of(task)
        if (named := re.search(rf"\b{re.escape(name)}(?=s?\b)", low)) is not None
    ]
    if not found:
        raise ResourceError("its text names none of the published classes")
    return min(found)[2]


def split_system(text: str) -> tuple[str, str]:
    """The system line and the tool's schema; the whole turn and "" if its block is not Qwen's."""
    line, before, rest = text.partition(_BEFORE)
    tool, after, more = rest.partition(_AFTER)
    if before and after and not more and "\n" not in tool:
        return line, tool
    described = re.search(r"<tools>\n?(\{[^\n]*\})\n?</tools>", text)
    return text, described[1] if described else ""


def _count(seen: Counter[str], text: str) -> None:
    if text in seen or len(seen) < MOST_TEXTS:
        seen[text] += 1


def _turn(message: object) -> tuple[str, str]:
    if not isinstance(message, Mapping):
        raise ResourceError("a turn is not a table")
    role = ROLES.get(str(message.get("role") or message.get("from")).casefold(), "")
    text = message.get("content", message.get("value"))
    if not role or not isinstance(text, str):
        raise ResourceError("a turn has no known role, or no text")
    return role, text


def _parsed(value: object) -> Any:
    """The value of JSON text; any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


# What the tool says in recorded conversations, with the numbers and labels of one call left open.
# Only sentences that differ from ours are learned: of the whole spectrum, and of a faulty range.
def learned_replies(turns: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Kinds and sentences, as in `agent.protocol.wording.REPLIES`."""
    for (role, said), (answerer, text) in pairwise(turns):
        if role != "assistant" or answerer == "assistant" or len(text) > MAX_REPLY:
            continue
        call = first_call(said)
        if call is None or not isinstance(call.arguments, Mapping):
            continue
        # The sentence inside the tags and after the picture.
        inside = _RESPONSE.fullmatch(text.replace(MARK, ""))
        found = _learned(
            call.arguments, inside[1].strip() if inside else text.strip(), MARK in text
        )
        if found is not None:
            yield found


def _learned(
    arguments: Mapping[str, object], text: str, has_picture: bool
) -> tuple[str, str] | None:
    label, wavelengths = arguments.get("label"), arguments.get("wavelength_range")
    label = label if isinstance(label, str) else ""
    if has_picture:
        if wavelengths is not None:
            return None
        open_text = text.replace(label, "{label}") if label else text
        is_open = bool(label) == ("{label}" in open_text)
        return ("whole_for" if label else "whole", open_text) if is_open else None
    if not isinstance(wavelengths, list) or len(wavelengths) != 2:
        return None
    refusal = _without_numbers(text, wavelengths)
    return None if refusal is None else ("refused", refusal)


def _without_numbers(text: str, wavelengths: Sequence[object]) -> str | None:
    """The text with the range asked for and the range of the data left open; None if in doubt."""
    names = {repr(wavelengths[0]): "{low}", repr(wavelengths[1]): "{high}"}
    ends = iter(("{start}", "{end}"))
    parts, at = [], 0
    for number in _NUMBER.finditer(text):
        name: str | None = names.get(number.group())
        if name is None and re.fullmatch(r"-?\d+\.\d", number.group()):
            name = next(ends, None)  # the ends of the data are written with one decimal
        if name is None:
            return None
        parts += [text[at : number.start()], name]
        at = number.end()
    result = "".join((*parts, text[at:]))
    return result if "{low}" in result and "{high}" in result else None
