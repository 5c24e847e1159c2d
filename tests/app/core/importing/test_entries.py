"""Rows as candidates: names, numbers, positions and files."""

import csv

import pytest

from app.core.importing.entries import NO_ROW
from app.core.importing.importer import import_list
from tests.app.core.importing.lists import every, import_text, owns, refusals, text_of, touch


def test_rows_that_cannot_be_used_do_not_stop_the_rest(session, folder):
    text = (
        "name,path,spec_row\na,a.fits,1\nb,http://x.org/b.fits,0\nc,c.fits,-3\nd\n,,0\ne,e.fits,\n"
    )
    report = import_text(session, folder, text)
    assert [each.object_id for each in every(session)] == ["a", "e"]
    assert (report.rows_read, report.rows_used, report.rows_refused) == (6, 2, 4)
    told = dict(refusals(session))
    assert told == {row.line: row.reason for row in report.refused}
    assert sorted(told) == [2, 3, 4, 5]
    assert "is an address that was not allowed" in told[2]
    assert '"-3" is not a row number' in told[3]
    assert told[4] == "line 5 of the file: 1 cell instead of 3"
    assert "no spectrum file, object name or position" in told[5]


@pytest.mark.parametrize("cells", [
    ("0.0", "1.0", "", "12.0"), ("0.0", "1.0", "NaN", "12.0"), ("0", "1", "nan", "12"),
    ("0.00000", "1.00000", "", "12.0000"), ("0.0e+00", "1.0e+00", "--", "1.2e+01"),
])  # fmt: skip
def test_rows_that_became_decimals_beside_a_gap_which_is_refused(session, folder, cells):
    touch(folder, "coadd.fits")
    lines = [f"o{number},coadd.fits,{cell}" for number, cell in enumerate(cells)]
    report = import_text(session, folder, "\n".join(["name,path,row", *lines]) + "\n")
    assert report.roles["row"] == "row"
    assert [(each.object_id, each.row) for each in every(session)] == [
        ("o0", 0), ("o1", 1), ("o3", 12),
    ]  # fmt: skip
    assert [(each.line, each.reason) for each in report.refused] == [(3, NO_ROW)]


@pytest.mark.parametrize(("head", "lines", "refused"), [
    ("name,path,row", ["a,{coadd},", "b,{coadd},0", "c,{coadd},1", "d,{coadd},nan"], [1, 4]),
    ("name,path,row", ["a,{coadd},N/A", "b,a/star.dat,", "c,gone.fits,", "d,x.fits,1"], [1]),
    ("name,path", ["a,{coadd}", "b,{coadd}", "c,a/star.dat", "d,a/star.dat"], [1, 2]),
    ("name,path", ["a,{coadd}", "b,a/star.dat", "c,b/med.fits"], []),
])  # fmt: skip
def test_a_row_that_is_not_given_is_refused_where_a_file_holds_several(
    session, spectra_folder, head, lines, refused
):
    text = "\n".join([head, *lines, ""]).replace("{coadd}", "coadd-main-dark-1.fits")
    report = import_text(session, spectra_folder, text)
    assert [each.line for each in report.refused] == refused
    assert all(each.reason == NO_ROW for each in report.refused)
    assert report.rows_used == len(lines) - len(refused)


@pytest.mark.parametrize("format_", ["parquet", "fits", "votable", "ecsv"])
def test_rows_that_became_decimals_in_a_typed_list(session, folder, format_):
    touch(folder, "coadd.fits")
    rows = (("a", "coadd.fits", 3.0), ("b", "coadd.fits", 7.0), ("c", "coadd.fits", float("nan")))
    path = folder / f"list.{format_}"
    if format_ == "parquet":
        from pyarrow import parquet, table

        columns = zip(("name", "path", "row"), zip(*rows, strict=True), strict=True)
        parquet.write_table(table({name: list(column) for name, column in columns}), path)
    else:
        from astropy.table import Table

        made = Table(rows=rows, names=("name", "path", "row"))
        made.write(path, format="ascii.ecsv" if format_ == "ecsv" else format_)
    import_list(session, path)
    assert [(each.object_id, each.row) for each in every(session)] == [("a", 3), ("b", 7)]


def test_a_targetid_that_was_rounded_is_not_taken_for_another(session, folder):
    touch(folder, "coadd-main-dark-1.fits")
    file = "coadd-main-dark-1.fits"
    import_text(session, folder, f"path,targetid\n{file},39627652591521001\n", name="whole.csv")
    import_text(session, folder, f"path,targetid\n{file},39627652591521000.0\n{file},\na.fits,\n")
    assert [each.row for each in every(session)] == [39627652591521001, 0]
    assert ["was rounded" in reason for _, reason in refusals(session)] == [True, False]


def test_numbers_that_are_none_are_told(session, folder):
    text = "name,path,snr,ra,dec\na,a.fits,high,400,10\nb,b.fits,5,10,x\nc,c.fits,,1,2\n"
    report = import_text(session, folder, text, roles={"snr": "snr", "ra": "ra", "dec": "dec"})
    first, second, third = every(session)
    assert [each.snr for each in (first, second, third)] == [None, 5.0, None]
    assert [each.ra for each in (first, second, third)] == [None, None, 1.0]
    assert '"snr" is not a number in 1 row' in report.warnings
    assert "the position is invalid in 2 rows" in report.warnings


def test_wild_numbers(session, folder):
    values = ["1e400", "-1e400", "nan", "inf", "9223372036854775807", "9223372036854775808", "007"]
    rows = [(f"o{n}", value, value) for n, value in enumerate(values)]
    text = text_of(rows, ("name", "score", "odd"))
    import_text(session, folder, text, roles={"score": "score"})
    assert [each.score for each in every(session)] == [
        None, None, None, None, 9.223372036854775807e18, 9.223372036854775808e18, 7.0
    ]  # fmt: skip
    assert [own["odd"] for own in owns(session)] == values  # a mixture stays what it was


def test_long_whole_numbers_keep_their_digits(session, folder):
    rows = [("a", 299489677444933632, 39633559463397282), ("b", 1, 39633559463397283)]
    import_text(session, folder, text_of(rows, ("name", "other_id", "other")))
    assert owns(session) == [
        {"other_id": 299489677444933632, "other": 39633559463397282},
        {"other_id": 1, "other": 39633559463397283},
    ]


def test_names_of_columns_may_be_anything(session, folder):
    names = ["name", "100%", 'a "b"', "{x}", "%s", "", "100%", "=1+1"]
    with (folder / "list.csv").open("w", newline="") as file:
        csv.writer(file).writerows([names, ["o", *"1234567"]])
    import_list(session, folder / "list.csv")
    assert owns(session) == [
        {"100%": 1, 'a "b"': 2, "{x}": 3, "%s": 4, "col6": 5, "100%_2": 6, "=1+1": 7}
    ]


@pytest.mark.parametrize(("text", "file", "name"), [
    ("plate,mjd,fiberid\n266,51602,31\n", "x/spec-0266-51602-0031.fits", "0266-51602-0031"),
    ("plate,mjd,fiberid\n266,51602,31\n", "spSpec-51602-0266-031.fit", "0266-51602-0031"),
    ("obsid,ra,dec\n979609207,1,2\n", "spec-979609207.fits.gz", "979609207"),
    ("name,z\nHD 1234,0\n", "hd 1234.fits", "HD 1234"),
    ("field-MJD-catalogid\n015000-59146-43\n", "spec-015000-59146-43.fits", "015000-59146-43"),
    ("obsid,lmjd,planid,spid,fiberid\n5,55859,F5902,6,207\n",
     "F5902/spec-55859-F5902_sp06-207.fits.gz", "5"),
])  # fmt: skip
def test_lists_that_name_no_file(session, folder, spectra, text, file, name):
    touch(spectra, file, "other.fits")
    report = import_text(session, folder, text, spectra=spectra)
    (candidate,) = every(session)
    assert (candidate.path, candidate.object_id) == (str(spectra / file), name)
    assert report.without_file == 0


def test_objects_without_a_spectrum_are_counted(session, folder, spectra):
    report = import_text(
        session, folder, "name,ra,dec\na,1,2\n,10.68458,41.26917\n", spectra=spectra
    )
    first, second = every(session)
    assert (first.path, second.path, report.without_file) == ("", "", 2)
    assert second.object_id == "J004244.29+411609.0"


def test_targets_in_a_file_of_several(session, folder, spectra):
    touch(spectra, "coadd-main-dark-27247.fits")
    rows = [(39627658462234737, "main", "dark", 27247), (12, "main", "dark", 27247)]
    text = text_of(rows, ("TARGETID", "SURVEY", "PROGRAM", "HEALPIX"))
    report = import_text(session, folder, text, spectra=spectra)
    (candidate,) = every(session)
    assert candidate.row == 39627658462234737
    assert candidate.path == str(spectra / "coadd-main-dark-27247.fits")
    assert "TARGETID 12 is too small" in report.refused[0].reason
