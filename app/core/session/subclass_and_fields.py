"""Sub-classes and values of own fields, as an opinion has them and as the tables keep them."""

import json
import math
from collections.abc import Iterable, Mapping
from itertools import takewhile

from agent.checked_toml import is_unicode
from agent.tasks.subclass import MAX_LEVELS, MAX_SUBCLASS_NAME, SUBCLASS_SEPARATOR
from app.core.errors import SessionError

FieldValue = str | float | bool
FieldValues = tuple[tuple[str, FieldValue], ...]
"""Name and value of each field that has one, by name; a tick is True or absent."""

MAX_FIELDS, MAX_FIELD_NAME, MAX_FIELD_TEXT = 32, 32, 1000


def subclass_levels(path: str) -> tuple[str, ...]:
    """The names of 'DA/DAH' from the widest to the narrowest; none if there is no sub-class."""
    return tuple(path.split(SUBCLASS_SEPARATOR)) if path else ()


def most_specific(path: str) -> str:
    """The narrowest class of a sub-class, 'DAH' of 'DA/DAH'."""
    return path.rpartition(SUBCLASS_SEPARATOR)[2]


def common_subclass(paths: Iterable[str]) -> str:
    """What several sub-classes have in common, 'DA' of 'DA/DAH' and 'DA/DAZ'; blank ones aside."""
    given = [subclass_levels(path) for path in paths if path]
    common = takewhile(lambda names: len(set(names)) == 1, zip(*given, strict=False))
    return SUBCLASS_SEPARATOR.join(names[0] for names in common)


def checked_subclass(path: str) -> str:
    """Return it, or raise a SessionError that says what cannot be kept."""
    levels = subclass_levels(path)
    if len(levels) > MAX_LEVELS or not all(0 < len(each) <= MAX_SUBCLASS_NAME for each in levels):
        raise SessionError(
            f"a sub-class has at most {MAX_LEVELS} levels, each a name of up to "
            f"{MAX_SUBCLASS_NAME} characters"
        )
    if not is_unicode(path) or not path.isprintable():
        raise SessionError("a sub-class contains an unprintable character")
    return path


def checked_values(values: FieldValues) -> FieldValues:
    """Return them, or raise a SessionError that says what cannot be kept."""
    if len(values) > MAX_FIELDS:
        raise SessionError(f"an opinion has at most {MAX_FIELDS} fields")
    for name, value in values:
        if not 0 < len(name) <= MAX_FIELD_NAME or not is_unicode(name) or not name.isprintable():
            raise SessionError(
                f"the name of a field has 1 to {MAX_FIELD_NAME} printable characters"
            )
        if isinstance(value, str):
            if not 0 < len(value) <= MAX_FIELD_TEXT or not is_unicode(value) or "\0" in value:
                raise SessionError(f"{name} has 1 to {MAX_FIELD_TEXT} characters, without NUL")
        elif value is not True and not math.isfinite(value):
            raise SessionError(f"{name} is a finite number")
    names = [name for name, _ in values]
    if names != sorted(set(names)):
        raise SessionError("the fields of an opinion are in the order of their names")
    return values


def field_values(values: Mapping[str, FieldValue | None]) -> FieldValues:
    """Values by name in their order; without those that are empty, None or False."""
    return tuple(
        (name, float(value) if type(value) is int else value)
        for name, value in sorted(values.items())
        if value is not None and value != "" and value is not False
    )


def with_value(values: FieldValues, name: str, value: FieldValue | None) -> FieldValues:
    """The values with another one of this field; None removes it."""
    return field_values({**dict(values), name: value})


def values_text(values: FieldValues) -> str:
    """As the tables keep them: JSON, or nothing."""
    return json.dumps(dict(values), ensure_ascii=False) if values else ""


def values_from(text: str) -> FieldValues:
    """What `values_text` has written. Raises ValueError for anything else, or SessionError."""
    if not text:
        return ()
    found = json.loads(text)
    if not isinstance(found, dict) or not found:
        raise ValueError("unexpected content")
    if not all(type(value) in (str, float, int) or value is True for value in found.values()):
        raise ValueError("unexpected content")
    return checked_values(field_values(found))
