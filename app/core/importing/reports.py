"""What is shown about a list before and after it is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.importing.formats.contents import ListColumn, Refused, Value
from app.core.importing.outside_paths import OutsidePaths
from app.core.importing.roles import Roles

MAX_REFUSED_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class Preview:
    """The start of a list; each of `rows` has a value for each of `columns`."""

    format: str = ""
    columns: tuple[ListColumn, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    """Long texts are cut: they are only shown."""
    roles: Roles = field(default_factory=Roles)
    estimate: int | None = None
    """Number of rows, None if unknown."""
    is_exact: bool = False
    """Whether that is their number; otherwise it is about that."""
    sha256: str = ""
    """Of the names and sizes of the files in a folder; empty for a list."""
    refused: tuple[Refused, ...] = ()
    """Rows among the first ones that cannot be parsed."""
    warnings: tuple[str, ...] = ()
    outside: OutsidePaths = field(default_factory=OutsidePaths)
    """Folders that the user may allow, in which the list names spectra by absolute paths."""
    problem: str = ""
    """Why it cannot be imported as it is; columns may be given nevertheless."""
    needs_roles: bool = False
    """Whether the problem is that no column was recognized: the user can choose some."""


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """Result of an import: `rows_read` = `rows_used` + `duplicates` + `rows_refused`."""

    list_id: int
    name: str
    format: str
    sha256: str
    roles: Mapping[str, str]
    columns: tuple[ListColumn, ...]
    rows_read: int
    rows_used: int
    duplicates: int
    """Rows whose object, file and row were imported before, from this list or another."""
    rows_refused: int
    refused: tuple[Refused, ...]
    """The first MAX_REFUSED_SHOWN; the session table `refused_rows` holds more."""
    missing_files: int
    """Files that do not exist at the moment; their disk may not be mounted."""
    without_file: int
    """Candidates for which the list gives no file and none was found."""
    warnings: tuple[str, ...] = field(default=())
    outside: OutsidePaths = field(default_factory=OutsidePaths)
    """Folders outside the allowed ones; the rows that name spectra in them were refused."""
