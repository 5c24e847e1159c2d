"""Conversations in the ShareGPT layout: the published cold-start set, and copies of it as JSONL.

Its spectra are only published as pictures, so these inspections cannot be drawn again and are not
trajectories: they are read as turns and their pictures.

A row has `conversations` (or `messages`) of `from`/`value` (or `role`/`content`) and `images`:
paths relative to the file, or bytes. `<image>` marks the position of the next picture.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from agent.atomic_file import atomic_file
from agent.checked_toml import printable
from agent.errors import WorkbenchError
from agent.hashing import picture_hash
from agent.protocol.protocol import Role, Turn, system_text
from agent.protocol.reply import MAX_TEXT
from train.bench.sharegpt_files import load_picture, parsed_json, rows_of

COPY_FILE, COPY_IMAGES = "conversations.jsonl", "images"
MARK = "<image>"
ROLES: Mapping[str, Role] = {
    "system": "system", "human": "user", "user": "user", "gpt": "assistant",
    "assistant": "assistant", "function_call": "assistant", "observation": "tool", "tool": "tool",
    "function_response": "tool",
}  # fmt: skip
MAX_TURNS = 64
_RESPONSE = re.compile(r"\s*<tool_response>\n?(.*?)\n?</tool_response>\s*", re.DOTALL)

Conversation = tuple[list[Turn], list[Image.Image]]
OnFault = Callable[[str], None]
OnRow = Callable[[Mapping[str, Any]], None]


def sharegpt_conversations(
    path: Path,
    on_fault: OnFault | None = None,
    *,
    as_written: bool = False,
    on_row: OnRow = lambda row: None,
) -> Iterator[Conversation]:
    """Turns as an engine reads and writes them, and their pictures in RGB.

    The system turn is replaced by ours, which the model gets in use, and blanks around texts are
    left out; `as_written` keeps every character. A faulty row raises a WorkbenchError, or is passed
    to `on_fault` as a message and skipped; others are passed to `on_row`, too.
    """
    for number, row in enumerate(rows_of(path)):
        try:
            made = _conversation(row, path.parent, as_written=as_written)
            on_row(row)
            yield made
        except WorkbenchError as error:
            message = f"{path.name} row {number}: {error}"
            if on_fault is None:
                raise WorkbenchError(message) from error
            on_fault(message)


def copy_conversations(
    files: Sequence[Path], out: Path, on_row: OnRow = lambda row: None
) -> tuple[int, Counter[str]]:
    """Write them to `conversations.jsonl` word for word, and each picture once beside it.

    Returns the number of conversations and why rows were left out.
    """
    faults: Counter[str] = Counter()

    def on_fault(message: str) -> None:
        faults[message.partition(": ")[2]] += 1

    pictures = out / COPY_IMAGES
    pictures.mkdir(parents=True, exist_ok=True)
    count = 0
    try:
        with atomic_file(out / COPY_FILE) as file:
            for path in files:
                for turns, images in sharegpt_conversations(
                    path, on_fault, as_written=True, on_row=on_row
                ):
                    row = json.dumps(_as_row(turns, _stored(images, pictures)))
                    file.write(row.encode() + b"\n")
                    count += 1
    except OSError as error:
        raise WorkbenchError(f"{out}: cannot be written: {error.strerror or error}") from error
    return count, faults


def _as_row(turns: Sequence[Turn], names: Sequence[str]) -> dict[str, Any]:
    messages = [
        {"role": turn.role, "content": (MARK if turn.picture is not None else "") + turn.text}
        for turn in turns
    ]
    return {"messages": messages, "images": list(names)}


def _stored(images: Sequence[Image.Image], folder: Path) -> list[str]:
    names = []
    for image in images:
        name = f"{picture_hash(image)[:32]}.png"
        if not (folder / name).exists():
            image.save(folder / name)
        names.append(f"{folder.name}/{name}")
    return names


def _conversation(row: Mapping[str, Any], folder: Path, *, as_written: bool) -> Conversation:
    messages = parsed_json(row.get("conversations") or row.get("messages"))
    if not isinstance(messages, list) or not 2 <= len(messages) <= MAX_TURNS:
        raise WorkbenchError(f"no conversation of 2 to {MAX_TURNS} turns")
    turns = [Turn("system", system_text())]
    shown = 0
    for message in messages:
        role, text = _role_and_text(message)
        if role == "system":
            if as_written and len(turns) == 1:
                turns = [Turn("system", text)]
            continue
        turn = _turn(role, text, shown, as_written=as_written)
        shown += turn.picture is not None
        turns.append(turn)
    if turns[1].role != "user" or turns[-1].role != "assistant":
        raise WorkbenchError("a conversation must start with the user and end with the assistant")
    stored = parsed_json(row.get("images"))
    stored = stored if isinstance(stored, list) else []
    if len(stored) != shown:
        raise WorkbenchError(f"{shown} {MARK} marks for {len(stored)} pictures")
    return turns, [load_picture(each, folder) for each in stored]


def _role_and_text(message: object) -> tuple[Role, str]:
    if not isinstance(message, Mapping):
        raise WorkbenchError("a turn is not a table")
    name = message.get("from") or message.get("role")
    role = ROLES.get(str(name).casefold())
    if role is None:
        raise WorkbenchError(f"unknown role {printable(str(name), 40)!r}")
    text = _joined(message.get("value", message.get("content")))
    if name == "function_call" and "<tool_call>" not in text:
        text = f"<tool_call>\n{text.strip()}\n</tool_call>"
    if len(text) > MAX_TEXT:
        raise WorkbenchError(f"a turn has more than {MAX_TEXT} characters")
    return role, text


def _joined(content: object) -> str:
    """Text of a turn, with a mark for each picture."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise WorkbenchError("a turn has no text")
    parts = []
    for part in content:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind not in ("text", "image", "image_url"):
            raise WorkbenchError("a part of a turn is neither text nor a picture")
        parts.append(str(part.get("text") or "") if kind == "text" else MARK)
    return "".join(parts)


def _turn(role: Role, text: str, shown: int, *, as_written: bool) -> Turn:
    """The turn; it may have one picture, which is shown before its text."""
    if not as_written:
        turn = _turn(role, text, shown, as_written=True)
        return replace(turn, text=turn.text.strip())
    if role == "user" and (response := _RESPONSE.fullmatch(text)) is not None:
        role, text = "tool", response[1]
    if role == "assistant":
        if MARK in text:
            raise WorkbenchError("an assistant's turn has a picture")
        return Turn(role, text)
    marks = text.count(MARK)
    if marks > 1:
        raise WorkbenchError(f"a turn has {marks} pictures")
    return Turn(role, text.replace(MARK, ""), shown if marks else None)
