"""The values of an answer as rows of text: what is shown, what is copied, what a filter says."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from app.services.catalogues.answer import Match, Value
from app.services.catalogues.service import Service
from app.services.photometry.bands import is_limit

NONE = "–"
MAX_TEXT = 200
SIGNIFICANT = 6


@dataclass(frozen=True, kw_only=True)
class ValueRow:
    name: str  # ours, as in filters
    text: str  # with error and unit
    description: str = ""  # English
    plain: str = ""  # to copy: the value alone; empty where the catalogue has none
    ucd: str = ""
    key: str = ""  # as in filters, such as `gaia.bp_rp`; empty where it cannot be filtered by
    is_text: bool = False


def value_rows(service: Service, match: Match) -> list[ValueRow]:
    rows = []
    for column in service.columns:
        value = match.values.get(column.name)
        text = value_text(value, match.values.get(f"{column.name}_error"), column.unit)
        if value is not None and is_limit(service.id, column.name, match.values):
            text = f"{match.values.get(f'{column.name}_limit') or '>'} {text}"
        if value is not None and (band := match.values.get(f"{column.name}_band")):
            text = f"{text} ({value_text(band)})"
        rows.append(
            ValueRow(
                name=column.name,
                description=column.description,
                text=text,
                plain=plain_text(value),
                ucd=column.ucd,
                key=f"{service.id}.{column.name}",
                is_text=column.is_text,
            )
        )
    return rows


def value_text(value: Value, error: Value = None, unit: str = "") -> str:
    """A value with its error, to the digits that the error leaves, and its unit."""
    if value is None:
        return NONE
    if isinstance(value, str):
        return " ".join(value.split())[:MAX_TEXT] or NONE
    shown = _number(value)
    if isinstance(error, float | int) and math.isfinite(error) and error > 0.0:
        digits = max(0, min(6, 1 - math.floor(math.log10(error))))  # two of the error's
        shown = f"{value:.{digits}f} ± {error:.{digits}f}"
    shown = shown.replace("-", "\N{MINUS SIGN}")
    return f"{shown} {unit}" if unit else shown


def plain_text(value: Value) -> str:
    """A value as programs read it."""
    if isinstance(value, float):
        return f"{value:.10g}"
    return "" if value is None else " ".join(str(value).split())[:MAX_TEXT]


def filter_text(row: ValueRow, operator: str) -> str:
    """A filter that this row's candidate passes, in the language of the queue."""
    if row.is_text:
        escaped = row.plain.replace("\\", "\\\\").replace('"', '\\"')
        return f'{row.key}="{escaped}"'
    return f"{row.key}{operator}{row.plain}"


def page_address(service: Service, ra: float, dec: float, values: Mapping[str, Value]) -> str:
    """The archive's page about an object; empty where there is none."""
    address = service.page.replace("{ra}", f"{ra:.6f}").replace("{dec}", f"{dec:.6f}")
    for name, value in values.items():
        if f"{{{name}}}" in address:
            address = address.replace(f"{{{name}}}", quote(plain_text(value), safe=""))
    return address


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return NONE
    return f"{value:.{SIGNIFICANT}g}"
