"""Folders of spectra as lists."""

from __future__ import annotations

import pytest

from app.core.errors import ImportFailed, ImportStopped
from app.core.importing.folder_list import FolderList
from app.core.importing.importer import import_list, preview
from tests.agent.spectra.readers import samples
from tests.app.core.importing.lists import every, lists_of, owns


def test_every_spectrum_is_a_candidate(session, spectra_folder):
    report = import_list(session, spectra_folder)
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


def test_the_same_folder_again_adds_what_is_new(session, spectra_folder):
    import_list(session, spectra_folder)
    (spectra_folder / "new.dat").write_bytes(samples.text())
    report = import_list(session, spectra_folder)
    assert (report.rows_used, report.duplicates) == (1, 11)
    first, second = lists_of(session)
    assert first["sha256"] != second["sha256"]


def test_a_folder_in_which_the_session_lies(session, tmp_path):
    (tmp_path / "a.fits").write_bytes(samples.lamost_image())
    assert import_list(session, tmp_path).rows_used == 1


def test_an_empty_folder(session, folder):
    with pytest.raises(ImportFailed, match="no readable spectrum"):
        import_list(session, folder)


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
    report = import_list(session, real_spectra)
    assert report.rows_used >= 41
    rows = [each for each in every(session) if "coadd-1-80693-" in each.path]
    assert len(rows) == 5
    assert {each.row for each in rows} == {int(each.object_id) for each in rows}
