"""Detection of the format of a list."""

from __future__ import annotations

import pytest

from app.core.errors import ImportFailed
from app.core.importing.importer import import_list
from tests.app.core.importing.lists import fits_bytes


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"SQLite format 3\0" + b"\0" * 100, "x.speco3", "a SQLite database; merge sessions"),
        (b"\x89HDF\r\n\x1a\n", "x.h5", "HDF5"),
        (b"PK\x03\x04abc", "x.xlsx", "a spreadsheet: save it as CSV"),
        (b"PK\x03\x04abc", "x.csv", "packed with zip"),
        (bytes(range(256)) * 20, "x.csv", "format is unknown"),
        (b"", "x.csv", "it is empty"),
        (b"\n\n\n", "x.csv", "no rows"),
        (b"# only a comment\n", "x.csv", "no rows"),
        (b"name,path\n", "x.csv", "no rows"),
    ],
)
def test_what_is_no_list(session, folder, content, name, said):
    path = folder / name
    path.write_bytes(content)
    with pytest.raises(ImportFailed, match=said):
        import_list(session, path)


def test_the_format_goes_by_what_a_file_holds(session, folder):
    path = folder / "list.csv"
    path.write_bytes(fits_bytes({"NAME": ("3A", ["abc"])}))
    assert import_list(session, path).format == "FITS"
