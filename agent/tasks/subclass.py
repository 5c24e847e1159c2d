"""Sub-classes of a task: finer names for what was accepted, given by further keys."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.checked_toml import TomlTable, shown

MAX_SUBCLASSES, MAX_LEVELS = 64, 4
MAX_SUBCLASS_NAME = 24
SUBCLASS_SEPARATOR = "/"

_NAME = re.compile(rf"[^\W_][^/;,=\"\x00-\x1f]{{0,{MAX_SUBCLASS_NAME - 1}}}")
# A, X and U judge the next object, N and B go on: they never mean a sub-class. Digits up to 4 are
# the confidence in the next object, unless the key before them was a sub-class already.
_FIRST_KEY = re.compile(r"[c-mo-tvwyz5-9]")
_LATER_KEY = re.compile(r"[c-mo-tvwyz0-9]")


@dataclass(frozen=True, kw_only=True)
class Subclass:
    """A finer class within the task's class, or within its `parent`."""

    key: str  # a small letter or a digit
    name: str
    description: str
    parent: str = ""


def read_subclasses(file: TomlTable) -> tuple[Subclass, ...]:
    """The [[subclasses]] of a task file; the parent of one comes before it."""
    found: list[Subclass] = []
    tables = file.tables("subclasses", at_most=MAX_SUBCLASSES, named_by="name")
    for table in tables:
        one = _subclass(table)
        names = {each.name.casefold() for each in found}
        if one.name.casefold() in names:
            raise table.fault("name", f"{shown(one.name)} is used twice; each name must be unique")
        if one.parent and one.parent not in {each.name for each in found}:
            raise table.fault(
                "parent", f"{shown(one.parent)} is not the name of an earlier sub-class"
            )
        if len(path_of(one.parent, found).split(SUBCLASS_SEPARATOR)) >= MAX_LEVELS:
            raise table.fault("parent", f"there are more than {MAX_LEVELS} levels")
        for other in found:
            if (other.parent, other.key) == (one.parent, one.key):
                problem = f"{shown(one.key)} is the key of {other.name} already"
                raise table.fault("key", problem)
        found.append(one)
    return tuple(found)


def _subclass(table: TomlTable) -> Subclass:
    parent = table.text("parent", "", longest=MAX_SUBCLASS_NAME, shortest=0)
    pattern = _LATER_KEY if parent else _FIRST_KEY
    digits = "0 to 9" if parent else "5 to 9"
    allowed = f"1 to {MAX_SUBCLASS_NAME} characters without / ; , = and quotes"
    one = Subclass(
        key=table.identifier("key", pattern, f"a small letter but a, b, n, u, x, or {digits}"),
        name=table.identifier("name", _NAME, f"{allowed}, the first a letter or digit"),
        description=table.text("description", longest=80),
        parent=parent,
    )
    table.close()
    return one


def path_of(name: str, subclasses: Sequence[Subclass]) -> str:
    """'DA/DAH' of 'DAH': the name behind those of the classes around it."""
    parents = {each.name: each.parent for each in subclasses}
    names = [name]
    while parent := parents.get(names[0], ""):
        names.insert(0, parent)
    return SUBCLASS_SEPARATOR.join(names)


def subclasses_below(path: str, subclasses: Sequence[Subclass]) -> tuple[Subclass, ...]:
    """The next finer classes of 'DA'; those of the first level for an empty path."""
    name = path.rpartition(SUBCLASS_SEPARATOR)[2]
    return tuple(each for each in subclasses if each.parent == name)
