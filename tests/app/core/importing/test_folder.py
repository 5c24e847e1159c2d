"""A folder of spectra, or one file of them, as a list."""

from __future__ import annotations

import os
import sys

import pytest

from agent.spectra.readers import read
from app.core.database.tables import MIN_TARGETID as IN_TABLES
from app.core.errors import ImportFailed, ImportStopped
from app.core.importing import folder_list, spectrum_files
from app.core.importing.formats.contents import MIN_TARGETID
from app.core.importing.importer import import_list, preview
from tests.agent.spectra.readers import samples
from tests.app.core.importing.lists import every, fits_bytes, lists_of, owns


@pytest.fixture
def spectra(folder):
    made = {
        "b/lamost.fits": samples.lamost_image(),
        "b/packed.fits.gz": samples.gz(samples.lamost_table()),
        "b/med.fits": samples.lamost_mrs(),
        "a/spec-0266-51602-0031.fits": samples.sdss(),
        "a/star.dat": samples.text(),
        "a/star.vot": samples.votable(),
        "coadd-main-dark-1.fits": samples.desi(),
        "redrock-main-dark-1.fits": samples.redrock(),
        "list.csv": b"name,path\nx,a/star.dat\n",
        "README.txt": b"Spectra of two nights.\n",
        "broken.fits": b"SIMPLE  =    T",
        "catalogue.fits": fits_bytes({"NAME": ("5A", ["x"]), "RA": ("D", [1.0])}),
        ".cache.fits": samples.lamost_image(),
        ".git/x.fits": samples.lamost_image(),
    }
    for name, content in made.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return folder


def test_every_spectrum_is_a_candidate(session, spectra):
    report = import_list(session, spectra)
    found = every(session)
    single = [each for each in found if not each.path.endswith("coadd-main-dark-1.fits")]
    assert [(each.object_id, each.row) for each in single] == [
        ("spec-0266-51602-0031", 0),
        ("star", 0),
        ("star", 0),
        ("lamost", 0),
        ("med", 0),
        ("packed", 0),
    ]
    assert report.format == "folder"
    assert report.warnings == ("skipped 5 files that could not be read as spectra",)
    assert (report.rows_used, report.missing_files) == (11, 0)
    assert owns(session) == [{}] * 11


def test_each_target_of_a_file_of_several_is_one(session, spectra):
    import_list(session, spectra)
    found = [each for each in every(session) if "coadd" in each.path]
    targets = samples.TARGETS
    assert [each.object_id for each in found] == [str(target) for target in targets]
    # What could be taken for a row is given as one.
    assert [each.row for each in found] == [t if t > 0 else n for n, t in enumerate(targets)]
    assert [each.ra for each in found] == [120.0, 121.0, 122.0, 123.0, 124.0]
    for each in found:
        wanted = {"target": each.row} if each.row >= MIN_TARGETID else {"row": each.row}
        assert read(each.path, **wanted).object_id == each.object_id


def test_one_file_is_a_list_of_what_it_holds(session, spectra):
    assert import_list(session, spectra / "coadd-main-dark-1.fits").rows_used == 5
    assert import_list(session, spectra / "b" / "packed.fits.gz").format == "spectrum"
    assert import_list(session, spectra / "a" / "star.dat").rows_used == 1
    assert session.count() == 7


def test_a_table_of_redshifts_is_about_the_spectra_beside_it(session, spectra):
    report = import_list(session, spectra / "redrock-main-dark-1.fits")
    assert {each.path for each in every(session)} == {str(spectra / "coadd-main-dark-1.fits")}
    assert [row.line for row in report.refused] == [4]  # the target -4


def test_a_catalogue_is_a_list_though_it_is_fits(session, spectra):
    assert import_list(session, spectra / "catalogue.fits").format == "FITS"


def test_the_same_folder_again_adds_what_is_new(session, spectra):
    import_list(session, spectra)
    (spectra / "new.dat").write_bytes(samples.text())
    report = import_list(session, spectra)
    assert (report.rows_used, report.duplicates) == (1, 11)
    first, second = lists_of(session)
    assert first["sha256"] != second["sha256"]


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
def test_names_that_are_no_text_are_left_out(session, folder):
    (folder / "a.fits").write_bytes(samples.lamost_image())
    with open(os.fsencode(folder) + b"/\xff.fits", "wb") as file:  # noqa: PTH123
        file.write(samples.lamost_image())
    assert import_list(session, folder).rows_used == 1


def test_a_folder_in_which_the_session_lies(session, tmp_path):
    (tmp_path / "a.fits").write_bytes(samples.lamost_image())
    assert import_list(session, tmp_path).rows_used == 1


def test_an_empty_folder(session, folder):
    with pytest.raises(ImportFailed, match="no readable spectrum"):
        import_list(session, folder)


def test_a_folder_of_too_many_files(session, spectra, monkeypatch):
    monkeypatch.setattr(spectrum_files, "MAX_FILES", 5)
    with pytest.raises(ImportFailed, match="more than 5 files: import a list instead"):
        import_list(session, spectra)


def test_a_search_can_be_stopped_and_tells_how_far_it_is(session, spectra, monkeypatch):
    monkeypatch.setattr(folder_list, "PROGRESS_EVERY", 1)
    told: list[tuple[int, int | None]] = []
    with pytest.raises(ImportStopped):
        import_list(
            session,
            spectra,
            progress=lambda *numbers: told.append(numbers),
            should_stop=lambda: len(told) > 3,
        )
    assert len(told) == 4
    assert all(total is None for _, total in told)
    assert session.count() == 0


def test_a_preview_of_a_folder(spectra):
    seen = preview(spectra)
    assert (seen.format, seen.estimate) == ("folder", 11)
    assert seen.roles.columns["row"] == "row"


def test_real_spectra(session, real_spectra):
    report = import_list(session, real_spectra)
    assert report.rows_used >= 41
    rows = [each for each in every(session) if "coadd-1-80693-" in each.path]
    assert len(rows) == 5
    assert {each.row for each in rows} == {int(each.object_id) for each in rows}


def test_from_where_on_a_row_is_a_target():
    assert MIN_TARGETID == IN_TABLES
