"""Reads a list of spectra whose class is known."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.tasks.task import Task
from app.core.errors import ImportFailed, SessionError
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.entries import FIELDS, Entries
from app.core.importing.opening import errors_naming, file_identity, normalized_path
from app.core.session.known_answers import MAX_CLASS_NAME
from app.core.session.records import NOTHING

YES = ("1", "1.0", "true", "yes", "member", "accept")
MAX_LABELLED = 20_000
MAX_SHOWN = 8


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """One row of the list: a spectrum, its class, and whether that is the class of the task."""

    path: str
    row: int
    class_name: str
    is_member: bool
    object_id: str
    ra: float | None = None
    dec: float | None = None
    snr: float | None = None
    own: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


def read_labelled(
    path: Path | str,
    task: Task,
    *,
    members: Collection[str] = (),
    roles: Mapping[str, str] | None = None,
    spectra: Path | str | None = None,
    allow_absolute: bool = False,
) -> list[Labelled]:
    """The rows with a spectrum and a label. Raises ImportFailed.

    `members` are the labels of the class of the task; without any, its id and its name.
    """
    rows = _read(path, roles, spectra, allow_absolute=allow_absolute)
    wanted = member_labels(task, members)
    found = []
    for row in rows:
        same = {name: row[name] for name in ("path", "row", "object_id", "ra", "dec", "snr")}
        label, own = _label(row), json.loads(row["own"])
        is_member = label.casefold() in wanted
        found.append(Labelled(**same, class_name=label, is_member=is_member, own=own))
    if not any(each.is_member for each in found):
        named = ", ".join(sorted({each.class_name for each in found})[:MAX_SHOWN])
        raise SessionError(
            f"{path}: no label is {task.id}: name those of the class with --member; "
            f"labels are {named}"
        )
    return found


def count_labels(
    path: Path | str, *, spectra: Path | str | None = None, allow_absolute: bool = False
) -> Counter[str]:
    """How many spectra of the list have each label. Raises ImportFailed."""
    rows = _read(path, None, spectra, allow_absolute=allow_absolute)
    return Counter(_label(values) for values in rows)


def member_labels(task: Task, members: Collection[str]) -> frozenset[str]:
    """The labels, in lower case, that mean the class of the task."""
    own = (*(word.casefold() for word in (task.id, task.name)), *YES)
    return frozenset(" ".join(each.split()).casefold() for each in members) or frozenset(own)


def _read(
    path: Path | str,
    roles: Mapping[str, str] | None,
    spectra: Path | str | None,
    *,
    allow_absolute: bool,
) -> list[dict[str, Any]]:
    path = normalized_path(path)
    with errors_naming(path):
        file_identity(path)
        with ListReaderProcess(
            path,
            roles or {},
            spectra=None if spectra is None else normalized_path(spectra),
            allow_absolute=allow_absolute,
        ) as reader:
            reader.opened()
            rows = reader.read(lambda pages: list(_rows(pages)))
    if not rows:
        raise ImportFailed(f"{path}: no row has both a spectrum and a label")
    return rows


def _rows(pages: Iterable[Entries]) -> Iterator[dict[str, Any]]:
    count = 0
    for page in pages:
        for values in zip(*page.columns, strict=True):
            row = dict(zip(FIELDS, values, strict=True))
            if row["path"] and row["label"]:
                count += 1
                if count > MAX_LABELLED:
                    raise ImportFailed(f"a list of known answers has at most {MAX_LABELLED:,} rows")
                yield row


def _label(row: Mapping[str, Any]) -> str:
    return " ".join(str(row["label"]).split())[:MAX_CLASS_NAME]
