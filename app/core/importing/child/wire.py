"""Message format between the list reader process and its parent: a JSON line, then the columns."""

import json
import math
from array import array
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, BinaryIO

from app.core.importing.entries import FIELDS, Entries
from app.core.importing.formats.contents import ListColumn, ListFile, Refused, Value
from app.core.importing.opening import Preview
from app.core.importing.outside_paths import OutsidePaths
from app.core.importing.roles import Role, Roles
from app.core.importing.survey_names import find_scheme

Message = dict[str, Any]
"""Has a `type`: 'started', 'opened', 'entries', 'busy', 'again', 'end' or 'failed'."""
Frame = tuple[Message, bytes]

MAX_HEADER = 64 * 1024 * 1024
MAX_BODY = 256 * 1024 * 1024
INTEGER_FIELDS = ("line", "row")
FLOAT_FIELDS = ("ra", "dec", "score", "snr")

SHOWN_ROWS = 20
MAX_SHOWN_TEXT = 300  # Characters of a cell: a preview of many long cells would take much memory.


def write_message(stream: BinaryIO, message: Message, body: bytes = b"") -> None:
    line = json.dumps({**message, "size": len(body)}).encode("ascii")
    stream.write(line + b"\n")
    stream.write(body)
    stream.flush()


def read_frame(stream: BinaryIO) -> Frame | None:
    """The next message; None at the end of the stream, even within a message, or if unreadable."""
    line = stream.readline(MAX_HEADER)
    if not line.endswith(b"\n"):
        return None
    try:
        message: Message = json.loads(line)
    except ValueError:
        return None
    size = message["size"]
    if size > MAX_BODY:
        return None
    body = stream.read(size)
    return (message, body) if len(body) == size else None


def write_entries(stream: BinaryIO, entries: Entries) -> None:
    pieces = [_packed(*each) for each in zip(FIELDS, entries.columns, strict=True)]
    message = {
        "type": "entries",
        "count": len(entries),
        "sizes": [len(piece) for piece in pieces],
        "refused": [[row.line, row.reason] for row in entries.refused],
    }
    write_message(stream, message, b"".join(pieces))


def entries_of(frame: Frame) -> Entries:
    message, body = frame
    columns: list[Sequence[Any]] = []
    offset = 0
    for name, size in zip(FIELDS, message["sizes"], strict=True):
        piece = body[offset : offset + size]
        columns.append(_unpacked(name, piece) if message["count"] else [])
        offset += size
    return Entries(columns, [Refused(line, reason) for line, reason in message["refused"]])


def _packed(name: str, column: Sequence[Any]) -> bytes:
    if name in INTEGER_FIELDS:
        return array("q", column).tobytes()
    if name in FLOAT_FIELDS:
        known = [math.nan if number is None else number for number in column]
        return array("d", known).tobytes()
    return "\0".join(column).encode()


def _unpacked(name: str, piece: bytes) -> Sequence[Any]:
    if name in INTEGER_FIELDS:
        return array("q", piece).tolist()
    if name not in FLOAT_FIELDS:
        return piece.decode().split("\0")
    numbers = array("d", piece).tolist()
    if math.isnan(sum(numbers)):
        return [None if math.isnan(number) else number for number in numbers]
    return numbers


def preview_message(
    file: ListFile, rows: list[tuple[Value, ...]], roles: Roles | None = None, **more: Any
) -> dict[str, Any]:
    """The start of the list `file`; `more` are other fields of a Preview."""
    known = {} if roles is None else roles.by_role
    return {
        "type": "opened",
        "roles": [[role, each.number, each.reason] for role, each in known.items()],
        "is_named": roles is not None and roles.naming is not None,
        "columns": [asdict(column) for column in file.columns],
        "rows": [[_shown(value) for value in row] for row in rows[:SHOWN_ROWS]],
        "fields": {"format": file.format, "estimate": file.estimate, **more},
    }


def preview_of(message: dict[str, Any]) -> Preview:
    columns = tuple(ListColumn(**each) for each in message["columns"])
    names = [column.name for column in columns]
    fields = message["fields"]
    fields["refused"] = tuple(Refused(*each) for each in fields.get("refused", ()))
    fields["warnings"] = tuple(fields.get("warnings", ()))
    fields["outside"] = outside_of(fields.get("outside", {}))
    return Preview(
        columns=columns,
        rows=tuple(map(tuple, message["rows"])),
        roles=Roles(
            {
                role: Role(number, names[number], reason)
                for role, number, reason in message["roles"]
            },
            find_scheme(names) if message["is_named"] else None,
        ),
        **fields,
    )


def outside_of(fields: dict[str, Any]) -> OutsidePaths:
    return OutsidePaths(**{**fields, "folders": tuple(fields.get("folders", ()))})


def _shown(value: Value) -> Value:
    return value[:MAX_SHOWN_TEXT] if isinstance(value, str) else value
