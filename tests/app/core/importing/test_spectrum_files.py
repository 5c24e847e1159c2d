"""The walk over a folder of spectra."""

from __future__ import annotations

import os
import sys

import pytest

from app.core.errors import ImportFailed
from app.core.importing import spectrum_files
from app.core.importing.importer import import_list, look_at
from tests.agent.spectra.readers import samples
from tests.app.core.importing.lists import every


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
    path = folder / "caf\udce9.csv"
    path.write_text("object_id\nJ1\n")
    with pytest.raises(ImportFailed, match=r"^caf\?\.csv: its name .* is not valid Unicode"):
        import_list(session, path)
    assert look_at(path).problem.startswith("caf?.csv: its name")
    good = folder / "good.csv"
    good.write_text("object_id\nJ1\n")
    with pytest.raises(ImportFailed, match="rename the folder of the spectra"):
        import_list(session, good, spectra=folder / "\udcff")
    assert session.count() == 0


def test_a_folder_of_too_many_files(spectra_folder, monkeypatch):
    monkeypatch.setattr(spectrum_files, "MAX_FILES", 5)
    with pytest.raises(ImportFailed, match="more than 5 files: import a list instead"):
        list(spectrum_files.find_spectrum_files(spectra_folder))
