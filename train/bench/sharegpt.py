"""Conversations in the ShareGPT layout: the published cold-start set, and copies of it as JSONL.

Its spectra are only published as pictures, so these inspections cannot be drawn again and are not
trajectories: they are read as turns and their pictures.

A row has `conversations` (or `messages`) of `from`/`value` (or `role`/`content`) and `images`:
paths relative to the file, or bytes. `<image>` marks the position of the next picture.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from agent.atomic_file import atomic_file, write_file
from agent.checked_toml import printable
from agent.child_process.rows_in_child import rows_in_child
from agent.errors import ImageError, WorkbenchError, read_errors, write_errors
from agent.hashing import picture_hash
from agent.protocol.protocol import Role, Turn, system_text
from agent.protocol.reply import MAX_TEXT
from agent.rendering.model_image import MAX_INPUT_PIXELS, as_rgb, fitted_size
from agent.rendering.render import png_bytes
from train.bench.published_rows import parsed_json
from train.bench.tables import parquet_rows

COPY_FILE, COPY_IMAGES = "conversations.jsonl", "images"
MARK = "<image>"
ROLES: Mapping[str, Role] = {
    "system": "system", "human": "user", "user": "user", "gpt": "assistant",
    "assistant": "assistant", "function_call": "assistant", "observation": "tool", "tool": "tool",
    "function_response": "tool",
}  # fmt: skip
MAX_TURNS = 64
SUFFIXES = (".json", ".jsonl", ".parquet")
KINDS = ("PNG", "JPEG", "WEBP")
MAX_FILES = 1000
MAX_PICTURE_BYTES = 32 * 1024**2
MAX_JSON_BYTES = 1024**3
MAX_LINE = 64 * 1024**2
ROWS_AT_ONCE = 4
WANTED = ("conversations", "messages", "images")
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
    with write_errors(out), atomic_file(out / COPY_FILE) as file:
        for path in files:
            for turns, images in sharegpt_conversations(
                path, on_fault, as_written=True, on_row=on_row
            ):
                messages = []
                for turn in turns:
                    mark = "" if turn.picture is None else MARK
                    messages.append({"role": turn.role, "content": mark + turn.text})
                row = {"messages": messages, "images": _stored(images, pictures)}
                file.write(json.dumps(row).encode() + b"\n")
                count += 1
    return count, faults


def _stored(images: Sequence[Image.Image], folder: Path) -> list[str]:
    names = []
    for image in images:
        name = f"{picture_hash(image)[:32]}.png"
        if not (folder / name).exists():
            write_file(folder / name, png_bytes(image))
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


# Files of conversations (JSON, JSON lines or Parquet) and the pictures they name.
def conversation_files(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    inside = [path for path in found if path.resolve().is_relative_to(folder.resolve())]
    return [path for path in inside[:MAX_FILES] if path.is_file() and _has_conversations(path)]


def load_picture(stored: object, folder: Path) -> Image.Image:
    if isinstance(stored, Mapping):
        stored = stored.get("bytes") or stored.get("path")
    if isinstance(stored, str):
        stored = _file_bytes(stored, folder)
    if not isinstance(stored, bytes) or len(stored) > MAX_PICTURE_BYTES:
        raise WorkbenchError("a picture is neither a file nor bytes, or too large")
    try:
        image = Image.open(io.BytesIO(stored), formats=KINDS)
        if image.width * image.height > MAX_INPUT_PIXELS:
            raise WorkbenchError(f"a picture has {image.width} x {image.height} pixels: too many")
        fitted_size(*image.size)
        image.load()  # Pillow is lazy: this finds truncated files here
        return as_rgb(image)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, ImageError) as error:
        raise WorkbenchError(f"a picture cannot be opened: {error}"[:200]) from error


def _file_bytes(name: str, folder: Path) -> bytes:
    """Bytes of a picture in the folder of the row; paths outside it are refused."""
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()) or not path.is_file():
            raise WorkbenchError(f"no picture {printable(name, 80)!r} beside the file")
        with path.open("rb") as file:
            return file.read(MAX_PICTURE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise WorkbenchError(f"the picture {printable(name, 80)!r} cannot be read") from error


def rows_of(path: Path) -> Iterator[Mapping[str, Any]]:
    if path.suffix == ".parquet":
        work = parquet_rows, path, ROWS_AT_ONCE, WANTED
        rows: Iterator[Any] = rows_in_child(*work, kind=WorkbenchError)
    elif path.suffix == ".jsonl":
        rows = _line_rows(path)
    else:
        rows = iter(_list_rows(path))
    for row in rows:
        yield row if isinstance(row, Mapping) else {}


def _line_rows(path: Path) -> Iterator[Any]:
    with read_errors(path), path.open(encoding="utf-8", errors="replace") as file:
        while line := file.readline(MAX_LINE):
            if line.strip():
                yield parsed_json(line)


def _list_rows(path: Path) -> list[Any]:
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise WorkbenchError(f"{path} is larger than 1 GiB: give it as JSON lines")
        content = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise WorkbenchError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise WorkbenchError(f"{path} is not JSON: {printable(str(error), 100)}") from error
    if not isinstance(content, list):
        raise WorkbenchError(f"{path} is not a list of conversations")
    return content


def _has_conversations(path: Path) -> bool:
    """Whether a file has conversations, by its columns or its first bytes."""
    if path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet as parquet

        try:
            return "conversations" in parquet.read_schema(path).names
        except (OSError, ValueError, pyarrow.ArrowException):
            return False
    with path.open("rb") as file:
        start = file.read(4096)
    is_list = start.lstrip().startswith(b"[") or path.suffix == ".jsonl"
    return is_list and (b'"conversations"' in start or b'"messages"' in start)
