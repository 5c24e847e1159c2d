"""The columns of a table of candidates, and what the person has chosen about them.

The columns are those of this session's lists, so the choice belongs to it and not to the settings;
it is kept by reviewer, as people who share a session look at different things. The names that the
person gave columns are the same in all tables.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, QTimer, Signal

from agent.errors import WorkbenchError
from app.core.database.tables import json_object
from app.core.queue.own_columns import OwnColumn, own_columns
from app.core.session.records import Change
from app.core.session.session import Session
from app.ui.base.background.runner import Runner

OBJECT, VERDICT, SNR, SCORE, AGENT, P_YES, P_COMBINED, MEMBERS, FLAGS, SPECTRUM = range(10)
FIRST_OWN = 10  # the first of the list's own columns
TITLES = {
    "object": QT_TRANSLATE_NOOP("columns", "object"),
    "verdict": QT_TRANSLATE_NOOP("columns", "verdict"),
    "snr": QT_TRANSLATE_NOOP("columns", "S/N"),
    "score": QT_TRANSLATE_NOOP("columns", "score"),
    "agent": QT_TRANSLATE_NOOP("columns", "agent"),
    "p_yes": QT_TRANSLATE_NOOP("columns", "p(YES)"),
    "p_combined": QT_TRANSLATE_NOOP("columns", "combined"),
    "members": QT_TRANSLATE_NOOP("columns", "members"),
    "flags": QT_TRANSLATE_NOOP("columns", "flags"),
    "spectrum": QT_TRANSLATE_NOOP("columns", "spectrum"),
}
"""Titles of the fixed columns by their names in sessions."""
KEYS = tuple(TITLES)
NUMBERS = frozenset({SNR, SCORE, P_YES, P_COMBINED})
OF_AGENT = frozenset({AGENT, P_YES, P_COMBINED, MEMBERS})  # hidden in blind mode
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
    return QCoreApplication.translate("columns", str(TITLES[KEYS[column]]))


def own_key(name: str) -> str:
    return OWN + name


def choice_text(choice: ColumnChoice) -> str:
    """The choice as text that `parse_choice` reads."""
    shown, widths = dict(choice.shown), dict(choice.widths)
    return json.dumps({"shown": shown, "order": choice.order, "widths": widths})


def parse_choice(text: str) -> ColumnChoice:
    """Read a choice; whatever is not as we write it, in a stranger's session, is left out."""
    content, (least, most) = json_object(text), WIDTHS_PX
    order = content.get("order")
    keys = order[:MAX_ENTRIES] if isinstance(order, list) else ()
    widths = [pair for pair in _pairs(content.get("widths")) if type(pair[1]) is int]
    return ColumnChoice(
        shown={key: on for key, on in _pairs(content.get("shown")) if type(on) is bool},
        order=tuple(dict.fromkeys(key for key in keys if isinstance(key, str))),
        widths={key: min(max(width, least), most) for key, width in widths},
    )


def parse_names(text: str) -> dict[str, str]:
    """Names that the person gave columns, by key."""
    named = [(key, name) for key, name in _pairs(json_object(text)) if isinstance(name, str)]
    return {key: checked_name(name) for key, name in named if checked_name(name)}


def checked_name(name: str) -> str:
    """A name of one line that is not too long."""
    return "".join(each for each in " ".join(name.split()) if each.isprintable())[:MAX_NAME]


def _pairs(value: object) -> list[tuple[str, Any]]:
    return list(value.items())[:MAX_ENTRIES] if isinstance(value, dict) else []


NAMES_FACT, CHOICE_FACT = "column_names", "queue_columns"
PAUSE_MS = 1000  # services answer one after another; their columns are looked for once in a while


class ColumnStore(QObject):
    """Names of columns, the list's own columns, and the choice for the queue."""

    changed = Signal()
    own_changed = Signal()  # other columns of the list are known

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._answer = session, runner.latest(self)
        self.own: tuple[OwnColumn, ...] = ()
        self.names: dict[str, str] = self._read(NAMES_FACT, parse_names)
        self.choice: ColumnChoice = self._read(CHOICE_FACT, parse_choice)
        self._later = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._later.timeout.connect(self.load)

    def load(self) -> None:
        """Look for the list's own columns in the background."""
        self._answer.ask(partial(own_columns, self._session), self._set_own, self._ignore)

    def session_changed(self, change: Change) -> None:
        is_whole = change.aspect == "verdict" and not change.candidate_ids  # fields, perhaps
        if change.aspect == "list" or is_whole:
            self.load()
        elif change.aspect == "evidence" and not self._later.isActive():
            self._later.start()

    def show(self, key: str, on: bool) -> None:
        self._set(replace(self.choice, shown={**self.choice.shown, key: on}))

    def arrange(self, order: tuple[str, ...], widths: dict[str, int]) -> None:
        """Keep the order of the columns, and the widths of those that the person has changed."""
        self._set(replace(self.choice, order=order, widths={**self.choice.widths, **widths}))

    def rename(self, key: str, name: str) -> None:
        """Give a column another name; an empty one brings its own back."""
        names = {**self.names, key: checked_name(name)}
        self.names = {key: name for key, name in names.items() if name}
        self._write(NAMES_FACT, json.dumps(self.names))
        self.changed.emit()

    def reset(self) -> None:
        """Forget the choice, and all names."""
        self.names = {}
        self._write(NAMES_FACT, json.dumps(self.names))
        self._set(ColumnChoice())

    def _set(self, choice: ColumnChoice) -> None:
        self.choice = choice
        self._write(CHOICE_FACT, choice_text(choice))
        self.changed.emit()

    def _set_own(self, columns: tuple[OwnColumn, ...]) -> None:
        if columns != self.own:
            self.own = columns
            self.own_changed.emit()

    def _read(self, fact: str, parse: Callable[[str], Any]) -> Any:
        return parse(self._session.fact(f"{fact}:{self._session.reviewer}") or "{}")

    def _write(self, fact: str, text: str) -> None:
        if not self._session.is_read_only:
            with suppress(WorkbenchError):  # on a full disk the next verdict reports the error
                self._session.set_fact(f"{fact}:{self._session.reviewer}", text)

    def _ignore(self, _: WorkbenchError) -> None:
        """Damaged rows are reported where they are shown."""
