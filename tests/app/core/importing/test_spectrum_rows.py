"""Which spectra a file contains."""

from __future__ import annotations

from agent.spectra.readers import read
from app.core.importing.formats.contents import MIN_TARGETID
from app.core.importing.importer import import_list
from tests.agent.spectra.readers import samples
from tests.app.core.importing.lists import every


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


def test_one_file_is_a_list_of_what_it_holds(session, spectra_folder):
    assert import_list(session, spectra_folder / "coadd-main-dark-1.fits").rows_used == 5
    assert import_list(session, spectra_folder / "b" / "packed.fits.gz").format == "spectrum"
    assert import_list(session, spectra_folder / "a" / "star.dat").rows_used == 1
    assert session.count() == 7


def test_a_table_of_redshifts_is_about_the_spectra_beside_it(session, spectra_folder):
    report = import_list(session, spectra_folder / "redrock-main-dark-1.fits")
    assert {each.path for each in every(session)} == {
        str(spectra_folder / "coadd-main-dark-1.fits")
    }
    assert [row.line for row in report.refused] == [4]  # the target -4


def test_a_catalogue_is_a_list_though_it_is_fits(session, spectra_folder):
    assert import_list(session, spectra_folder / "catalogue.fits").format == "FITS"
