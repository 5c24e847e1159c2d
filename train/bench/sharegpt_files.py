"""Files of conversations (JSON, JSON lines or Parquet) and the pictures they name."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from agent.checked_toml import printable
from agent.errors import ImageError, WorkbenchError
from agent.rendering.model_image import MAX_INPUT_PIXELS, as_rgb, fitted_size

SUFFIXES = (".json", ".jsonl", ".parquet")
KINDS = ("PNG", "JPEG", "WEBP")
MAX_FILES = 1000
MAX_PICTURE_BYTES = 32 * 1024**2
MAX_JSON_BYTES = 1024**3
MAX_LINE = 64 * 1024**2
ROWS_AT_ONCE = 4


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
        rows: Iterator[Any] = _parquet_rows(path)
    elif path.suffix == ".jsonl":
        rows = _line_rows(path)
    else:
        rows = iter(_list_rows(path))
    for row in rows:
        yield row if isinstance(row, Mapping) else {}


def _parquet_rows(path: Path) -> Iterator[Any]:
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(path) as file:
            wanted = ("conversations", "messages", "images")
            names = [name for name in file.schema_arrow.names if name in wanted]
            for batch in file.iter_batches(ROWS_AT_ONCE, columns=names):
                yield from batch.to_pylist()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise WorkbenchError(f"{path} cannot be read: {printable(str(error), 160)}") from error


def _line_rows(path: Path) -> Iterator[Any]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            while line := file.readline(MAX_LINE):
                if line.strip():
                    yield parsed_json(line)
    except OSError as error:
        raise WorkbenchError(f"{path} cannot be read: {error.strerror or error}") from error


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
        except (OSError, pyarrow.ArrowException):
            return False
    with path.open("rb") as file:
        start = file.read(4096)
    is_list = start.lstrip().startswith(b"[") or path.suffix == ".jsonl"
    return is_list and (b'"conversations"' in start or b'"messages"' in start)


def parsed_json(value: object) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
