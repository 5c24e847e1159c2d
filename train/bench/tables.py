"""Known columns of lists and catalogues of any format, as rows of text.

CSV and TSV are read here, all else in a child process, which a damaged file may end.
"""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agent.checked_toml import printable
from agent.child_process.rows_in_child import rows_in_child
from agent.errors import WorkbenchError, read_errors
from agent.spectra.readers.coordinates import parse_sexagesimal
from app.core.importing.opening import errors_naming, open_list

Row = dict[str, str]  # text by role, without the roles that the table does not have
ROLES = {
    "file": """file path filename file_name filepath file_path spectrum_file spec_file fits_file
        fitsname fits_name spectrum_path spec_path local_path spectrum spec""",
    "row": "row spec_row spectrum_row row_index targetid target_id",
    "object_id": """object_id obsid obs_id designation desig targetid target_id specobjid source_id
        main_id name object id""",
    "ra": "ra ra_deg radeg raj2000 ra_j2000 ra_icrs target_ra plug_ra ra_obs",
    "dec": "dec dec_deg decdeg dej2000 decj2000 dec_j2000 de_icrs dec_icrs target_dec plug_dec "
    "dec_obs",
    "snr": "snr snr_r snrr sn_r sn_median_all snr_median snr_g snrg snr_i snri",
    "survey": "survey",
    "z": "z redshift",
    "class_name": "class class_name spectype",
    "subclass": "subclass sub_class",
    "label": "label true_label",
    "subtype": "subtype",
}
MAX_BYTES = 2 * 1024**3
MAX_WHOLE_BYTES = 512 * 1024**2  # size limit of formats that cannot be read in pieces
MAX_ROWS = 20_000_000
MAX_TEXT = 4096
MAX_LINE = 1024 * 1024
TEXT_SUFFIXES = {".csv": ",", ".tsv": "\t"}
LIST_SUFFIXES = (
    ".parquet",
    ".pq",
    ".fits",
    ".fit",
    ".vot",
    ".votable",
    ".xml",
    ".ecsv",
    *TEXT_SUFFIXES,
)


def read_rows(path: Path, wanted: Sequence[str] = tuple(ROLES)) -> Iterator[Row]:
    """The rows of a table; raises a WorkbenchError if it has none of the wanted columns."""
    name = path.name.lower().removesuffix(".gz")
    suffix = Path(name).suffix
    with read_errors(path):
        if path.stat().st_size > (MAX_BYTES if suffix in TEXT_SUFFIXES else MAX_WHOLE_BYTES):
            raise WorkbenchError(f"{path} is too large for a {suffix} list: give it as CSV")
        if suffix in TEXT_SUFFIXES and path.suffix != ".gz":
            yield from _text_rows(path, TEXT_SUFFIXES[suffix], wanted)
        elif suffix in LIST_SUFFIXES:
            yield from rows_in_child(listed_rows, path, list(wanted), kind=WorkbenchError)
        else:
            known = ", ".join((*TEXT_SUFFIXES, *LIST_SUFFIXES))
            raise WorkbenchError(f"{path}: a list or catalogue must be one of {known}")


def number(text: str | None) -> float:
    """The number, or NaN where the text is not a finite number."""
    try:
        value = float(text or "nan")
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def position_of(row: Row) -> tuple[float, float]:
    """ra and dec in degrees, from degrees or sexagesimal text; both NaN where one is missing."""
    ra, dec = number(row.get("ra")), number(row.get("dec"))
    if math.isnan(ra) and (hours := parse_sexagesimal(row.get("ra", ""))) is not None:
        ra = 15.0 * hours
    if math.isnan(dec) and (degrees := parse_sexagesimal(row.get("dec", ""))) is not None:
        dec = degrees
    usable = 0.0 <= ra <= 360.0 and -90.0 <= dec <= 90.0
    return (ra, dec) if usable else (math.nan, math.nan)


def columns(names: Sequence[str], wanted: Sequence[str], path: Path) -> dict[str, int]:
    """Column of each role: the first of its names that the table has."""
    plain = [re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") for name in names]
    found = {}
    for role in wanted:
        index = next((plain.index(name) for name in ROLES[role].split() if name in plain), None)
        if index is not None:
            found[role] = index
    if not found:
        seen = printable(", ".join(names[:20]), 200)
        raise WorkbenchError(f"{path} has none of the columns {', '.join(wanted)}; it has {seen}")
    return found


def _text_rows(path: Path, delimiter: str, wanted: Sequence[str]) -> Iterator[Row]:
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
        pieces = iter(lambda: file.readline(MAX_LINE), "")
        lines = csv.reader((line for line in pieces if line[0] != "#"), delimiter=delimiter)
        try:
            roles = columns(next(lines, []), wanted, path)
            for count, cells in enumerate(lines):
                _refuse_endless(path, count)
                if cells:
                    yield {
                        role: cells[at][:MAX_TEXT].strip()
                        for role, at in roles.items()
                        if at < len(cells)
                    }
        except csv.Error as error:
            raise WorkbenchError(f"{path} is not a readable table: {error}") from error


def listed_rows(path: Path, wanted: Sequence[str]) -> Iterator[Row]:
    """Rows as the program reads lists, which believes nothing that a file says of itself."""
    with errors_naming(path):
        file = open_list(path)
        roles = columns([each.name for each in file.columns], wanted, path)
        for block in file.blocks():
            _refuse_endless(path, max(block.lines, default=0))
            texts = [block.cells[at].texts() for at in roles.values()]
            for row in zip(*texts, strict=True):
                yield {role: text[:MAX_TEXT] for role, text in zip(roles, row, strict=True)}


def _refuse_endless(path: Path, rows: int) -> None:
    if rows > MAX_ROWS:
        raise WorkbenchError(f"{path} has more than {MAX_ROWS:,} rows: split it")


def parquet_rows(
    path: Path, at_once: int, wanted: Sequence[str] | None, left_out: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file with these columns, or all but those; for a child process."""
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(path) as file:
            names = [name for name in file.schema_arrow.names if name not in left_out]
            names = [name for name in names if wanted is None or name in wanted]
            for batch in file.iter_batches(at_once, columns=names):
                yield from batch.to_pylist()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise WorkbenchError(f"{path} cannot be read: {printable(str(error), 160)}") from error
