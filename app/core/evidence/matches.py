"""Matches of a catalogue as JSON, as the session keeps them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from app.core.session.stored_opinions import damaged
from app.services.catalogues.answer import Match, Value

MAX_MATCHES = 1000
MAX_TEXT = 2**20
MAX_VALUES = 200
MAX_NUMBER = 2**64
"""Of whole numbers, as catalogues have them; a longer one is no float."""


def matches_text(matches: Sequence[Match]) -> str:
    """Nearest first; filters read the values of the first one by name.

    The farthest are left out where a server sends more than can be read back.
    """
    records = [
        {"separation_arcsec": each.separation_arcsec, "values": dict(each.values)}
        for each in matches[:MAX_MATCHES]
    ]
    while True:
        text = json.dumps(records, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if len(text) <= MAX_TEXT or len(records) <= 1:
            return text
        records = records[: len(records) // 2]


def matches_from(text: object) -> tuple[Match, ...]:
    """Raises SessionError: a stranger's session may hold anything."""
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise damaged("the evidence about a candidate")
    try:
        records = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged("the evidence about a candidate") from error
    if not isinstance(records, list) or len(records) > MAX_MATCHES:
        raise damaged("the evidence about a candidate")
    return tuple(map(_match, records))


def _match(record: object) -> Match:
    if not isinstance(record, dict):
        raise damaged("the evidence about a candidate")
    values, apart = record.get("values"), record.get("separation_arcsec")
    if not isinstance(values, dict) or len(values) > MAX_VALUES:
        raise damaged("the evidence about a candidate")
    if not isinstance(apart, float | int) or not _is_value(apart):
        raise damaged("the evidence about a candidate")
    if not all(map(_is_value, values.values())):
        raise damaged("the evidence about a candidate")
    return Match(values=values, separation_arcsec=float(apart))


def _is_value(value: Value | object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= MAX_NUMBER
    return value is None or isinstance(value, str)
