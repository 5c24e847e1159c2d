"""Folders of spectra as lists."""

import os
import sys

import pytest

from agent.spectra.readers import read, read_numbered
from app.core.errors import ImportFailed, ImportStopped
from app.core.importing import spectrum_files
from app.core.importing.child import child
from app.core.importing.child.child import count_rows
from app.core.importing.folder_list import FolderList
from app.core.importing.formats.contents import MIN_TARGETID
from app.core.importing.importer import import_list, look_at, preview
from app.core.importing.opening import open_list
from app.core.importing.spectrum_rows import rows_of
from tests.agent.spectra.readers import samples
from tests.agent.spectra.readers.test_parquet_table import ROWS, records, written
from tests.app.core.importing.lists import every, listed, lists_of, owns, touch


def test_every_spectrum_is_a_candidate(session, spectra_folder):
    report = import_list(session, spectra_folder)
    found = every(session)
    single = [each for each in found if not each.path.endswith("coadd-main-dark-1.fits")]
    assert [(each.object_id, each.row) for each in single] == [
        ("spec-0266-51602-0031", 0), ("star", 0), ("star", 0), ("lamost", 0), ("med", 0),
        ("packed", 0),
    ]  # fmt: skip
    assert report.format == "folder"
    assert report.warnings[0] == "skipped 5 files that could not be read as spectra"
    assert (report.rows_used, report.missing_files) == (11, 0)
    assert owns(session) == [{}] * 11


def test_the_same_folder_again_adds_what_is_new(session, spectra_folder):
    import_list(session, spectra_folder)
    (spectra_folder / "new.dat").write_bytes(samples.text())
    report = import_list(session, spectra_folder)
    assert (report.rows_used, report.duplicates) == (1, 11)
    first, second = lists_of(session)
    assert first["sha256"] != second["sha256"]


def test_an_empty_folder_and_one_in_which_the_session_lies(session, folder, tmp_path):
    with pytest.raises(ImportFailed, match="no readable spectrum"):
        import_list(session, folder)
    (tmp_path / "a.fits").write_bytes(samples.lamost_image())
    assert import_list(session, tmp_path).rows_used == 1


@pytest.mark.parametrize("place", [".", "survey.parquet"])
def test_each_row_of_a_parquet_table_of_spectra(session, folder, place):
    written(folder / "survey.parquet", records())
    written(folder / "catalogue.parquet", {"object_id": ["J1"], "ra": [1.0], "dec": [2.0]})
    report = import_list(session, folder / place)
    found = every(session)
    assert (report.rows_used, len(found)) == (ROWS, ROWS)
    assert report.format == ("folder" if place == "." else "spectrum")
    last = found[-1]
    assert (last.object_id, last.row, last.ra, last.dec) == ("J69", 69, 69.5, 58.5)
    assert read_numbered(last.path, last.row).object_id == "J69"


def test_a_parquet_table_that_names_files_is_a_list(session, folder):
    (folder / "a.dat").write_bytes(samples.text())
    made = {**records(), "path": ["a.dat"] * ROWS}
    import_list(session, written(folder / "list.parquet", made))
    assert {each.path for each in every(session)} == {str(folder / "a.dat")}


def test_a_search_can_be_stopped_and_tells_how_far_it_is(session, spectra_folder):
    told: list[tuple[int, int | None]] = []
    with pytest.raises(ImportStopped):
        FolderList(spectra_folder, lambda: len(told) > 3, lambda *numbers: told.append(numbers))
    assert len(told) == 4
    assert all(total is None for _, total in told)
    with pytest.raises(ImportStopped):
        import_list(session, spectra_folder, should_stop=lambda: True)
    assert session.count() == 0


def test_a_preview_of_a_folder(spectra_folder):
    seen = preview(spectra_folder)
    assert (seen.format, seen.estimate) == ("folder", 11)
    assert seen.roles.columns["row"] == "row"


def test_real_spectra(session, real_spectra):
    assert import_list(session, real_spectra).rows_used >= 41
    rows = [each for each in every(session) if "coadd-1-80693-" in each.path]
    assert len(rows) == 5
    assert {each.row for each in rows} == {int(each.object_id) for each in rows}


# Positions in headers: what the reader of the spectrum says, without reading the spectrum.
WAVES = {"CRVAL1": 5000.0, "CDELT1": 1.0, "CTYPE1": "WAVE"}
PLATE = {"TELESCOP": "SDSS 2.5-M", "PLATEID": 266, "RA": 146.0, "DEC": -1.0}
FILES = {
    "LAMOST": samples.lamost_image(RA=10.5, DEC=41.25),
    "LAMOST table": samples.lamost_table(RA=10.5, DEC=41.25),
    "LAMOST, unknown": samples.lamost_image(RA=-9999.0, DEC=-9999.0),
    "LAMOST, packed": samples.gz(samples.lamost_image(RA=10.5, DEC=41.25)),
    "LAMOST medium": samples.lamost_mrs(),
    "LAMOST medium, exposures": samples.lamost_mrs(coadd=False),
    "4MOST": samples.fourmost(),
    "WEAVE, one target": samples.weave(rows=1),
    "PFS, one object": samples.pfs_object(),
    "SDSS": samples.sdss(),
    "SDSS, spSpec": samples.spspec(RAOBJ=146.7, DECOBJ=-1.04),
    "image": samples.image_1d(**WAVES, RA=10.5, DEC=41.25),
    "image, sexagesimal": samples.image_1d(**WAVES, RA="00:42:44.3", DEC="+41:16:09"),
    "image, B1950": samples.image_1d(**WAVES, RA=10.0, DEC=41.0, EQUINOX=1950.0),
    "image, plate": samples.image_1d(**WAVES, **PLATE),
    "table": samples.fits_table({"wave": ("D", samples.WAVELENGTH), "flux": ("D", samples.FLUX)}),
}


@pytest.mark.parametrize("name", FILES)
def test_a_folder_says_what_the_reader_says(tmp_path, name):
    path = tmp_path / ("a.fits.gz" if name.endswith("packed") else "a.fits")
    path.write_bytes(FILES[name])
    (row,) = rows_of(path)
    spectrum = read(path)
    assert (row.ra, row.dec) == (spectrum.ra, spectrum.dec)


@pytest.mark.parametrize(
    "made", [samples.fourmost_table, samples.weave, samples.pfs_objects, samples.desi]
)
def test_every_fibre_of_a_file_is_a_candidate_with_its_name_and_position(tmp_path, made):
    path = tmp_path / "a.fits"
    path.write_bytes(made())
    rows = rows_of(path)
    assert len(rows) == read(path).rows > 1
    for number, row in enumerate(rows):
        spectrum = read_numbered(path, row.row)
        assert (spectrum.object_id, spectrum.row) == (row.object_id, number)
        assert (row.ra, row.dec) == (spectrum.ra, spectrum.dec)


def test_a_single_spectrum_and_a_folder_have_positions(session, tmp_path):
    (tmp_path / "a").mkdir()
    for name, kind in (("a/lamost.fits", "LAMOST"), ("sdss.fits", "SDSS")):
        (tmp_path / name).write_bytes(FILES[kind])
    import_list(session, tmp_path / "sdss.fits")
    import_list(session, tmp_path / "a")
    sdss, lamost = every(session)
    assert (lamost.ra, lamost.dec) == (10.5, 41.25)
    assert sdss.ra is not None
    assert (sdss.ra, sdss.dec) == (read(sdss.path).ra, read(sdss.path).dec)


def test_the_centre_of_a_plate_is_nobodys_position(tmp_path):
    path = listed(tmp_path, FILES["image, plate"], "a.fits")
    assert [(row.ra, row.dec) for row in rows_of(path)] == [(None, None)]


def test_only_headers_are_read(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("pixels were read")

    path = listed(tmp_path, FILES["LAMOST"], "a.fits")
    monkeypatch.setattr("agent.spectra.fits.fits_file.Hdu.image", refuse)
    monkeypatch.setattr("agent.spectra.fits.fits_file.Hdu.read", refuse)
    assert rows_of(path)[0].ra == 10.5


# The walk over a folder of spectra.
@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_do_not_lead_out_or_round(session, folder, tmp_path):
    inside, outside = folder / "a.fits", tmp_path / "secret"
    inside.write_bytes(samples.lamost_image())
    outside.mkdir()
    (outside / "x.fits").write_bytes(samples.lamost_image())
    (folder / "loop").symlink_to(folder)
    (folder / "out").symlink_to(outside)
    (folder / "out.fits").symlink_to(outside / "x.fits")
    (folder / "in.fits").symlink_to(inside)
    os.mkfifo(folder / "pipe.fits")
    assert import_list(session, folder).rows_used == 2
    assert [each.path for each in every(session)] == [str(inside), str(folder / "in.fits")]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are text there")
def test_names_that_are_not_unicode_are_counted(session, folder):
    (folder / "a.fits").write_bytes(samples.lamost_image())
    gbk = folder / os.fsdecode("光谱".encode("gbk"))
    gbk.mkdir()
    for path in (folder / "\udcff.fits", gbk / "b.fits"):
        path.write_bytes(samples.lamost_image())
    report = import_list(session, folder)
    assert report.rows_used == 1
    assert report.warnings == ("skipped 2 files whose names are not valid Unicode: rename them",)
    (folder / "a.fits").unlink()
    with pytest.raises(ImportFailed, match="names of its files are not valid Unicode: rename"):
        import_list(session, folder)
    with pytest.raises(ImportFailed, match=r"^\?\?\?\?: its name or that of its folder is not"):
        import_list(session, gbk)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are text there")
def test_a_list_whose_name_is_not_unicode(session, folder):
    path = listed(folder, "object_id\nJ1\n", "caf\udce9.csv")
    with pytest.raises(ImportFailed, match=r"^caf\?\.csv: its name .* is not valid Unicode"):
        import_list(session, path)
    assert look_at(path).problem.startswith("caf?.csv: its name")
    good = listed(folder, "object_id\nJ1\n", "good.csv")
    with pytest.raises(ImportFailed, match="rename the folder of the spectra"):
        import_list(session, good, spectra=folder / "\udcff")
    assert session.count() == 0


def test_a_folder_of_too_many_files(spectra_folder, monkeypatch):
    monkeypatch.setattr(spectrum_files, "MAX_FILES", 5)
    with pytest.raises(ImportFailed, match="more than 5 files: import a list instead"):
        list(spectrum_files.find_spectrum_files(spectra_folder))


# Which spectra a file contains.
def test_each_target_of_a_file_of_several_is_one(session, spectra_folder):
    import_list(session, spectra_folder)
    found = [each for each in every(session) if "coadd" in each.path]
    targets = samples.TARGETS
    assert [each.object_id for each in found] == [str(target) for target in targets]
    # What could be taken for a row is given as one.
    assert [each.row for each in found] == [t if t > 0 else n for n, t in enumerate(targets)]
    assert [each.ra for each in found] == [120.0, 121.0, 122.0, 123.0, 124.0]
    for each in found:
        wanted = {"target": each.row} if each.row >= MIN_TARGETID else {"row": each.row}
        assert read(each.path, **wanted).object_id == each.object_id


def test_one_file_is_a_list_of_what_it_holds_and_a_catalogue_one_of_rows(session, spectra_folder):
    assert import_list(session, spectra_folder / "coadd-main-dark-1.fits").rows_used == 5
    assert import_list(session, spectra_folder / "b" / "packed.fits.gz").format == "spectrum"
    assert import_list(session, spectra_folder / "a" / "star.dat").rows_used == 1
    assert session.count() == 7
    assert import_list(session, spectra_folder / "catalogue.fits").format == "FITS"


def test_a_table_of_redshifts_is_about_the_spectra_beside_it(session, spectra_folder):
    report = import_list(session, spectra_folder / "redrock-main-dark-1.fits")
    assert {each.path for each in every(session)} == {
        str(spectra_folder / "coadd-main-dark-1.fits")
    }
    assert [row.line for row in report.refused] == [4]  # the target -4


# A preview counts rows where that takes no time.
def counted(path):
    return count_rows(open_list(path), lambda block: block.cells[0].texts(), [str(path.parent)])


def test_a_long_list_is_not_read_to_its_end(folder, monkeypatch):
    path = listed(folder, "path\n" + "/data/a.fits\n" * 50_000)
    rows, outside = counted(path)
    assert (rows, outside.rows, outside.is_complete) == (50_000, 50_000, True)
    monkeypatch.setattr(child, "COUNT_S", -1.0)
    rows, outside = counted(path)
    assert 0 < rows < 50_000
    assert not outside.is_complete


@pytest.mark.parametrize("rows", [1, 62])
def test_the_number_of_rows_is_not_about_that(folder, rows):
    """Estimated from the size, these were one more."""
    names = "".join(f"{'x' * (90 if n < 9 else 2)}{n},1,2\n" for n in range(rows))
    seen = look_at(listed(folder, f"object_id,ra,dec\n{names}"))
    assert (seen.estimate, seen.is_exact) == (rows, True)


def test_what_a_preview_counts(folder):
    touch(folder, "a.txt")
    (folder / "a.fits").write_bytes(samples.sdss())
    seen = look_at(folder)
    assert (seen.estimate, seen.is_exact) == (1, True)
    assert look_at(listed(folder, "object_id,ra,dec\na,1,2\nb,1\nc,1,2\n")).estimate == 3
