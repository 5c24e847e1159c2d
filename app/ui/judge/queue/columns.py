"""The columns of a table of candidates, and what the person has chosen about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

OBJECT, VERDICT, SNR, SCORE, AGENT, P_YES, P_COMBINED, FLAGS, SPECTRUM = range(9)
FIRST_OWN = 9  # the first of the list's own columns
KEYS = ("object", "verdict", "snr", "score", "agent", "p_yes", "p_combined", "flags", "spectrum")
"""Names of the fixed columns in sessions."""
TITLES = (
    QT_TRANSLATE_NOOP("columns", "object"),
    QT_TRANSLATE_NOOP("columns", "verdict"),
    QT_TRANSLATE_NOOP("columns", "S/N"),
    QT_TRANSLATE_NOOP("columns", "score"),
    QT_TRANSLATE_NOOP("columns", "agent"),
    QT_TRANSLATE_NOOP("columns", "p(YES)"),
    QT_TRANSLATE_NOOP("columns", "combined"),
    QT_TRANSLATE_NOOP("columns", "flags"),
    QT_TRANSLATE_NOOP("columns", "spectrum"),
)
NUMBERS = frozenset({SNR, SCORE, P_YES, P_COMBINED})
OF_AGENT = frozenset({AGENT, P_YES, P_COMBINED})  # hidden in blind mode
OWN = "own."
MAX_NAME = 60  # characters of a name that the person gives a column
MAX_ENTRIES = 400
WIDTHS_PX = (16, 2000)


@dataclass(frozen=True, kw_only=True)
class ColumnChoice:
    """Columns by key; those that are not named are shown and placed by themselves."""

    shown: Mapping[str, bool] = field(default_factory=dict)
    order: tuple[str, ...] = ()  # from the left; columns that are not named follow
    widths: Mapping[str, int] = field(default_factory=dict)


def fixed_title(column: int) -> str:
    return QCoreApplication.translate("columns", str(TITLES[column]))


def own_key(name: str) -> str:
    return OWN + name


def choice_text(choice: ColumnChoice) -> str:
    """The choice as text that `parse_choice` reads."""
    return json.dumps(
        {"shown": dict(choice.shown), "order": choice.order, "widths": dict(choice.widths)}
    )


def parse_choice(text: str) -> ColumnChoice:
    """Read a choice; whatever is not as we write it, in a stranger's session, is left out."""
    content = _parsed(text)
    shown, order, widths = (content.get(name) for name in ("shown", "order", "widths"))
    least, most = WIDTHS_PX
    return ColumnChoice(
        shown={key: on for key, on in _pairs(shown) if type(on) is bool},
        order=tuple(dict.fromkeys(key for key in _sequence(order) if isinstance(key, str))),
        widths={
            key: min(max(width, least), most) for key, width in _pairs(widths) if type(width) is int
        },
    )


def names_text(names: Mapping[str, str]) -> str:
    return json.dumps(dict(names))


def parse_names(text: str) -> dict[str, str]:
    """Names that the person gave columns, by key."""
    named = [(key, name) for key, name in _pairs(_parsed(text)) if isinstance(name, str)]
    return {key: checked_name(name) for key, name in named if checked_name(name)}


def checked_name(name: str) -> str:
    """A name of one line that is not too long."""
    return "".join(each for each in " ".join(name.split()) if each.isprintable())[:MAX_NAME]


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _pairs(value: object) -> list[tuple[str, Any]]:
    return list(value.items())[:MAX_ENTRIES] if isinstance(value, dict) else []


def _sequence(value: object) -> Sequence[Any]:
    return value[:MAX_ENTRIES] if isinstance(value, list) else ()
