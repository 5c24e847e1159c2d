"""The walk over a folder of spectra."""

from __future__ import annotations

import os
import sys

import pytest

from app.core.errors import ImportFailed
from app.core.importing import spectrum_files
from app.core.importing.importer import import_list
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
def test_names_that_are_no_text_are_left_out(session, folder):
    (folder / "a.fits").write_bytes(samples.lamost_image())
    with open(os.fsencode(folder) + b"/\xff.fits", "wb") as file:  # noqa: PTH123
        file.write(samples.lamost_image())
    assert import_list(session, folder).rows_used == 1


def test_a_folder_of_too_many_files(spectra_folder, monkeypatch):
    monkeypatch.setattr(spectrum_files, "MAX_FILES", 5)
    with pytest.raises(ImportFailed, match="more than 5 files: import a list instead"):
        list(spectrum_files.find_spectrum_files(spectra_folder))
