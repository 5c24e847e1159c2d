"""What other programs ask of us, checked: their messages are a stranger's."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.checked_toml import printable
from app.services.samp.library import RefusedMessage

HIGHLIGHT, SELECT, POINT = "table.highlight.row", "table.select.rowList", "coord.pointAt.sky"
LOAD_VOTABLE, LOAD_FITS = "table.load.votable", "table.load.fits"
LOAD_SPECTRUM = "spectrum.load.ssa-generic"
PICKS = (HIGHLIGHT, SELECT, POINT)
TABLES = (LOAD_VOTABLE, LOAD_FITS)
MTYPES = (*PICKS, *TABLES, LOAD_SPECTRUM)

MAX_ROW = 10**9
MAX_ROWS = 100_000
MAX_TEXT = 2000
MAX_NAME = 80


@dataclass(frozen=True, kw_only=True)
class RowPicked:
    """One row of a table that was sent around; rows are counted from 0."""

    sender: str
    table_id: str
    url: str
    row: int


@dataclass(frozen=True, kw_only=True)
class RowsPicked:
    sender: str
    table_id: str
    url: str
    rows: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class PointedAt:
    """A position in degrees, ICRS."""

    sender: str
    ra: float
    dec: float


@dataclass(frozen=True, kw_only=True)
class FileOffered:
    """A table or a spectrum; `path` is our copy once it was fetched, `call` what is to answer."""

    sender: str
    mtype: str
    url: str
    name: str
    table_id: str = ""
    call: str = ""
    path: Path | None = None

    @property
    def is_table(self) -> bool:
        return self.mtype in TABLES


@dataclass(frozen=True, kw_only=True)
class NotFollowed:
    """Something was not followed; `reason` is a sentence without its subject."""

    sender: str
    reason: str


Received = RowPicked | RowsPicked | PointedAt | FileOffered


def checked(mtype: str, params: object, sender: str) -> Received:
    """The message as we understand it. Raises RefusedMessage."""
    if not isinstance(params, dict):
        raise RefusedMessage(f"{mtype} without parameters")
    if mtype == POINT:
        return PointedAt(
            sender=sender, ra=_angle(params, "ra", 0.0, 360.0), dec=_angle(params, "dec", -90, 90)
        )
    if mtype in (HIGHLIGHT, SELECT):
        table_id, url = _text(params, "table-id"), _text(params, "url")
        if not (table_id or url):
            raise RefusedMessage(f"{mtype} that names no table")
        if mtype == HIGHLIGHT:
            row = _row(params.get("row"))
            return RowPicked(sender=sender, table_id=table_id, url=url, row=row)
        rows = _rows(params.get("row-list"))
        return RowsPicked(sender=sender, table_id=table_id, url=url, rows=rows)
    if mtype not in MTYPES:
        raise RefusedMessage("a kind of message that is not asked for")
    url = _text(params, "url")
    if not url:
        raise RefusedMessage(f"{mtype} without an address of the file")
    name = shown_name(_text(params, "name") or _text(params, "table-id"))
    return FileOffered(
        sender=sender, mtype=mtype, url=url, name=name, table_id=_text(params, "table-id")
    )


def shown_name(text: object) -> str:
    """A stranger's name for the window: short, on one line, printable."""
    return printable(" ".join(text.split()), MAX_NAME) if isinstance(text, str) else ""


def _text(params: Mapping[str, Any], key: str) -> str:
    value = params.get(key, "")
    if not isinstance(value, str):
        raise RefusedMessage(f"{key} is no text")
    if len(value) > MAX_TEXT:
        raise RefusedMessage(f"{key} has {len(value):,} characters")
    return value


def _row(value: object) -> int:
    number = -1
    # An integer is against the standard, which knows texts only; some programs send one.
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) and len(value) <= 20:
        text = value.strip()
        number = int(text) if text.isascii() and text.isdecimal() else -1
    if not 0 <= number <= MAX_ROW:
        raise RefusedMessage("a row that is no number")
    return number


def _rows(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise RefusedMessage("rows that are no list")
    if len(value) > MAX_ROWS:
        raise RefusedMessage(f"{len(value):,} rows at once: the most is {MAX_ROWS:,}")
    return tuple(map(_row, value))


def _angle(params: Mapping[str, Any], key: str, low: float, high: float) -> float:
    value = params.get(key)
    is_number = isinstance(value, str | float | int) and not isinstance(value, bool)
    try:
        angle = float(value) if is_number and len(str(value)) <= 40 else math.nan  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        angle = math.nan
    if not low <= angle <= high:
        raise RefusedMessage(f"{key} is no angle in degrees")
    return angle
