"""What is known of a list before and after it is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.importing.formats.contents import ListColumn, Refused, Value
from app.core.importing.roles import Roles

MAX_REFUSED_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A look at a list. `rows` are its first ones, a value for each of `columns`."""

    format: str
    columns: tuple[ListColumn, ...]
    rows: tuple[tuple[Value, ...], ...]
    roles: Roles
    estimate: int | None
    """How many rows it has, about; None where nobody can tell."""
    refused: tuple[Refused, ...] = ()
    """Of the first rows, those that cannot even be read."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """What became of a list: `rows_read` is `rows_used` + `duplicates` + `rows_refused`."""

    list_id: int
    name: str
    format: str
    sha256: str
    roles: Mapping[str, str]
    columns: tuple[ListColumn, ...]
    rows_read: int
    rows_used: int
    duplicates: int
    """Named before, by this list or another one: they are kept once."""
    rows_refused: int
    refused: tuple[Refused, ...]
    """The first of them; the session keeps more, see `refused_rows`."""
    missing_files: int
    """That are not where the list says, now. Their disk may not be mounted."""
    without_file: int
    """For which the list names no spectrum and none was found."""
    warnings: tuple[str, ...] = field(default=())
