"""Small lists in every format, and what a session holds after one was imported."""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import select

from app.core.database.tables import lists, refused_rows
from app.core.importing.entries import Entries, InProcessSource
from app.core.importing.formats.contents import ListFile
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.importer import import_list
from app.core.importing.opening import errors_naming, open_for_import, open_list
from app.core.importing.spectrum_locator import SpectrumLocator
from app.core.session.records import Candidate
from app.core.session.session import Session

Made = TypeVar("Made")

NAMES = ("obsid", "ra", "dec", "snrg", "subclass", "p_cv", "visits", "is_new", "path")
ROWS: tuple[tuple[Any, ...], ...] = (
    (100000001, 10.5, -5.25, 12.5, "CV", 0.9, 3, True, "a.fits"),
    (100000002, 200.125, 45.0, 3.0, "K5", 0.25, 1, False, "b.fits"),
    (100000003, 359.0, 89.5, None, "", None, None, None, "deep/c.fits"),
)
"""None is no value."""


def text_of(
    rows: Sequence[Sequence[Any]] = ROWS, names: Sequence[str] = NAMES, glue: str = ","
) -> str:
    lines = [names, *([_text(value) for value in row] for row in rows)]
    return "".join(glue.join(line) + "\n" for line in lines)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def astropy_table() -> Any:
    from astropy.table import MaskedColumn, Table

    table = Table()
    for number, name in enumerate(NAMES):
        values = [row[number] for row in ROWS]
        mask = [value is None for value in values]
        filler = next(value for value in values if value is not None)
        filled = [filler if value is None else value for value in values]
        table[name] = MaskedColumn(filled, mask=mask) if any(mask) else filled
    table["ra"].unit = "deg"
    table["ra"].description = "where it was"
    return table


def write(path: Path, format_: str) -> Path:
    """The list of ROWS in a format that astropy writes, or text."""
    if format_ == "parquet":
        return write_parquet(path)
    if format_ in ("csv", "tsv"):
        path.write_text(text_of(glue="," if format_ == "csv" else "\t"))
        return path
    table = astropy_table()
    if format_ == "ecsv":
        table.write(path, format="ascii.ecsv")
    elif format_ == "fits":
        # Masked whole numbers and logicals need a null that FITS has no room for in both.
        table["visits"].fill_value = -99
        table.write(path, format="fits")
    else:
        if format_ == "votable-binary":
            for name in ("visits", "is_new"):  # for which it has no null
                table[name] = table[name].filled(0)
        table.write(path, format="votable", tabledata_format=format_.removeprefix("votable-"))
    return path


def write_parquet(path: Path) -> Path:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({n: [row[k] for row in ROWS] for k, n in enumerate(NAMES)})
    pyarrow.parquet.write_table(table, path)
    return path


def fits_bytes(columns: dict[str, tuple[str, Any]], **cards: Any) -> bytes:
    from astropy.io import fits

    made = [fits.Column(name=key, format=form, array=v) for key, (form, v) in columns.items()]
    hdu = fits.BinTableHDU.from_columns(made)
    for keyword, value in cards.items():
        hdu.header[keyword] = value
    out = BytesIO()
    fits.HDUList([fits.PrimaryHDU(), hdu]).writeto(out)
    return out.getvalue()


def every(session: Session) -> list[Candidate]:
    return session.candidates(range(1, session.count() + 1))


def owns(session: Session) -> list[dict[str, Any]]:
    return [dict(candidate.own) for candidate in every(session)]


def lists_of(session: Session) -> list[dict[str, Any]]:
    with session.database.reading() as connection:
        rows = [dict(row._mapping) for row in connection.execute(select(lists))]
    for row in rows:
        row["roles"], row["columns"] = json.loads(row["roles"]), json.loads(row["columns"])
    return rows


def refusals(session: Session) -> list[tuple[int, str]]:
    with session.database.reading() as connection:
        query = select(refused_rows.c.line, refused_rows.c.reason).order_by(refused_rows.c.id)
        return [tuple(row) for row in connection.execute(query)]


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")


def listed(folder: Path, content: str | bytes, name: str = "list.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def opened(folder: Path, content: str | bytes, name: str = "list.csv") -> ListFile:
    return open_list(listed(folder, content, name))


def import_text(session, folder, text, name="list.csv", **more):
    return import_list(session, listed(folder, text, name), **more)


def of_all_entries(path: Path, make: Callable[[Iterator[Entries]], Made]) -> Made:
    """What `make` makes of a list read in this process; anew where a cell is of another type."""
    with errors_naming(path):
        source = InProcessSource(open_for_import(path, {}), SpectrumLocator(path))
        try:
            return make(source.entries())
        except CellMismatch:
            source.recheck_types()
            return make(source.entries())


def values(file):
    blocks = [zip(*(c.values() for c in block.cells), strict=True) for block in file.blocks()]
    return [row for block in blocks for row in block]


def texts_of(file: ListFile) -> dict[int, tuple[str, ...]]:
    """Every row as text, by its number."""
    found: dict[int, tuple[str, ...]] = {}
    for block in file.blocks():
        columns = [cells.texts() for cells in block.cells]
        found |= dict(zip(block.lines, zip(*columns, strict=True), strict=True))
    return found


# Gzip files of several joined members, as bgzip and `cat a.gz b.gz` write them.
def member(content: bytes, length: int) -> bytes:
    """One member of exactly `length` bytes: a comment in its header fills the rest."""
    packed = gzip.compress(content, mtime=0)
    comment = b"x" * (length - len(packed) - 1) + b"\0"
    return packed[:3] + b"\x10" + packed[4:10] + comment + packed[10:]


def joined(content: bytes, size: int) -> bytes:
    """The content in members that hold `size` bytes each; bgzip ends with an empty one."""
    pieces = (content[at : at + size] for at in range(0, len(content), size))
    return b"".join(gzip.compress(piece, mtime=0) for piece in (*pieces, b""))
