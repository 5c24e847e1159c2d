"""Detection of the format of a list."""

import pytest

from app.core.database.tables import MIN_TARGETID as IN_TABLES
from app.core.errors import ImportFailed
from app.core.importing.formats.cell_numbers import whole_of
from app.core.importing.formats.contents import MIN_TARGETID, column_names
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


# What all list formats share.
def test_from_where_on_a_row_is_a_target():
    assert MIN_TARGETID == IN_TABLES


def test_names_of_columns_are_unique():
    given = ["a", "a", "a_2", "a", "", " b\x1b ", "a_2"]
    assert column_names(given) == ["a", "a_2", "a_2_2", "a_3", "col5", "b?", "a_2_3"]
    assert len(set(column_names(["c"] * 2000 + ["c_7"] * 9))) == 2009


def test_whole_numbers_however_they_are_written():
    written = ("3", " 3 ", "+3", "3.0", "3.000", "3e0", "3.0e+00")
    assert [whole_of(text) for text in written] == [3] * 7
    assert whole_of("9223372036854775807") == 2**63 - 1
    odd = ("", "3.5", "1_0", "nan", "inf", "1e999", "9007199254740994.0", "9" * 9000, "x", "٣.5")
    assert [whole_of(text) for text in odd] == [None] * 10
