"""Fields of a session's own, which people fill in beside the verdict: their definitions.

They are a fact of the session; the values are in the opinions, by name.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from sqlalchemy import Connection

from agent.checked_toml import TomlTable, read_toml
from agent.errors import ResourceError
from app.core.errors import SessionError
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.subclass_and_fields import MAX_FIELD_TEXT, MAX_FIELDS, FieldValue

FieldKind = Literal["choice", "number", "tick", "text"]
KINDS: tuple[FieldKind, ...] = get_args(FieldKind)

FACT = "fields"
MAX_CHOICES, MAX_CHOICE, MAX_TITLE = 9, 40, 60
MAX_FACT = 64 * 1024
RESERVED = frozenset({"subclass", "velocity", "verdict", "confidence", "flags", "comment"})

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
FIELD_KEY = re.compile(r"(?:Shift\+)?[A-Z]|[5-9]")


@dataclass(frozen=True, kw_only=True)
class OwnField:
    name: str  # As in filters, orders and exports: small letters, digits and _.
    kind: FieldKind
    title: str = ""  # As the window shows it; empty: as the name.
    choices: tuple[str, ...] = ()
    key: str = ""  # Such as 'K' or 'Shift+K'; it acts only where no action has it.
    unit: str = ""

    @property
    def shown(self) -> str:
        return self.title or self.name.replace("_", " ")


def own_fields(session: Session) -> tuple[OwnField, ...]:
    """The fields of a session; none if they are damaged."""
    return fields_from(session.fact(FACT) or "")


def set_own_fields(session: Session, fields: Sequence[OwnField]) -> None:
    """Define the fields; values of fields that are gone stay in the opinions."""
    text = fields_fact(checked_fields(fields))
    if text != (session.fact(FACT) or ""):
        session.set_fact(FACT, text)
        session.changed.emit(Change(aspect="verdict"))


def merge_own_fields(target: Connection, into: Session, other: Session) -> None:
    """Add the fields that only the other session has; of one name, the definition here stays."""
    mine = own_fields(into)
    known, keys = {each.name for each in mine}, {each.key for each in mine}
    more = [
        replace(each, key="" if each.key in keys else each.key)
        for each in own_fields(other)
        if each.name not in known
    ]
    if more:
        into.write_fact(target, FACT, fields_fact([*mine, *more][:MAX_FIELDS]))


def fields_fact(fields: Iterable[OwnField]) -> str:
    return json.dumps([asdict(each) for each in fields], ensure_ascii=False)


def checked_fields(fields: Sequence[OwnField]) -> tuple[OwnField, ...]:
    """Return them, or raise a SessionError that says what is wrong with one."""
    if len(fields) > MAX_FIELDS:
        raise SessionError(f"a session has at most {MAX_FIELDS} fields of its own")
    names: set[str] = set()
    keys: set[str] = set()
    for each in fields:
        if not NAME.fullmatch(each.name) or each.name in RESERVED:
            raise SessionError(
                f"{each.name[:40]!r} is not the name of a field: it has small letters, digits and "
                f"_, begins with a letter, and is none of {', '.join(sorted(RESERVED))}"
            )
        if each.name in names:
            raise SessionError(f"two fields have the name {each.name}")
        _check(each)
        if each.key and each.key in keys:
            raise SessionError(f"two fields have the key {each.key}")
        names.add(each.name)
        keys.add(each.key)
    return tuple(fields)


def _check(field: OwnField) -> None:
    if field.kind not in KINDS:
        raise SessionError(f"{field.name}: a field is one of {', '.join(KINDS)}")
    if field.key and not FIELD_KEY.fullmatch(field.key):
        raise SessionError(f"{field.name}: a key is a letter, Shift and a letter, or 5 to 9")
    words = (field.title, field.unit, *field.choices)
    if not all(len(each) <= MAX_TITLE and each.isprintable() for each in words):
        raise SessionError(f"{field.name}: texts have at most {MAX_TITLE} printable characters")
    if (field.kind == "choice") != bool(field.choices):
        raise SessionError(f"{field.name}: a choice needs choices, and no other field has any")
    is_sound = all(0 < len(each) <= MAX_CHOICE for each in field.choices)
    if len(set(field.choices)) != len(field.choices) or not is_sound:
        raise SessionError(f"{field.name}: choices differ and have up to {MAX_CHOICE} letters")
    if len(field.choices) > MAX_CHOICES:
        raise SessionError(f"{field.name}: there are at most {MAX_CHOICES} choices")


def field_from(text: str) -> OwnField:
    """Read 'quality:choice:good,fair,poor:K', the last part being the key."""
    parts = [part.strip() for part in text.split(":")]
    name, kind, *rest = parts if len(parts) > 1 else (text, "")
    if kind not in KINDS:
        raise SessionError(f"{text[:60]!r}: a field is NAME:KIND, the kind {', '.join(KINDS)}")
    choices = rest.pop(0).split(",") if kind == "choice" and rest else []
    if len(rest) > 1:
        raise SessionError(f"{text[:60]!r} has too many parts")
    key = as_key(rest[0]) if rest else ""
    known: FieldKind = next(each for each in KINDS if each == kind)
    return OwnField(name=name, kind=known, choices=tuple(each.strip() for each in choices), key=key)


def read_fields(path: Path) -> tuple[OwnField, ...]:
    """Read the [[fields]] of a TOML file. Raises ResourceError."""
    file = read_toml(path)
    fields = [_field(each) for each in file.tables("fields", at_most=MAX_FIELDS, at_least=1)]
    file.close()
    try:
        return checked_fields(fields)
    except SessionError as error:
        raise ResourceError(f"{path}: {error}") from error


def _field(table: TomlTable) -> OwnField:
    kind = table.choice("kind", KINDS)
    field = OwnField(
        name=table.identifier("name", NAME, "small letters, digits and _"),
        kind=next(each for each in KINDS if each == kind),
        title=table.text("title", "", longest=MAX_TITLE, shortest=0),
        choices=table.texts("choices", longest=MAX_CHOICE, at_most=MAX_CHOICES, at_least=0),
        key=as_key(table.text("key", "", longest=7, shortest=0)),
        unit=table.text("unit", "", longest=20, shortest=0),
    )
    table.close()
    return field


def as_key(text: str) -> str:
    """'K' of 'k', and 'Shift+K' of 'shift+k'."""
    shift, plus, letter = text.strip().rpartition("+")
    return f"{shift.capitalize()}{plus}{letter.upper()}"


def value_of(field: OwnField, text: str) -> FieldValue | None:
    """The value that a typed text stands for; None if empty. Raises SessionError."""
    text = " ".join(text.split())
    if not text:
        return None
    if field.kind == "number":
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if number - number != 0.0:
            raise SessionError(f"{field.shown} is a number, not {text[:40]!r}")
        return number
    if field.kind == "tick":
        if text.lower() not in ("yes", "no", "true", "false"):
            raise SessionError(f"{field.shown} is yes or no, not {text[:40]!r}")
        return text.lower() in ("yes", "true") or None
    if field.kind == "choice" and text not in field.choices:
        raise SessionError(f"{field.shown} is one of {', '.join(field.choices)}")
    return text[:MAX_FIELD_TEXT]


def value_text(value: FieldValue) -> str:
    """A value as people read it."""
    if value is True:
        return "yes"
    return f"{value:g}" if isinstance(value, float) else str(value)


@lru_cache(maxsize=8)
def fields_from(text: str) -> tuple[OwnField, ...]:
    """The definitions in a fact, which in a stranger's session may hold anything."""
    if len(text) > MAX_FACT:
        return ()
    try:
        entries = json.loads(text or "[]")
        if not all(
            isinstance(value, str if name != "choices" else list)
            for each in entries
            for name, value in each.items()
        ):
            return ()
        fields = [OwnField(**{**each, "choices": tuple(each["choices"])}) for each in entries]
        return checked_fields(fields)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError, SessionError):
        return ()
