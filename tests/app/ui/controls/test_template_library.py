"""Templates: bundled and marked as simulated, or the user's own files."""

from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError, ResourceError
from app.ui.controls.template_library import SIMULATED, TemplateLibrary
from tests.app.ui.controls.steps import write_table


def test_every_template_of_the_box_loads_and_says_what_it_is():
    library = TemplateLibrary()
    assert len(library.names()) > 30
    for name in library.names():
        assert name.endswith(SIMULATED)
        wavelength, flux = library.load(name)
        assert wavelength.shape == flux.shape
        assert np.all(np.diff(wavelength) > 0)
        assert np.isfinite(flux).all()
        assert np.median(flux[flux > 0]) == pytest.approx(1.0)


def test_a_template_is_read_once_and_nobody_can_change_it():
    library = TemplateLibrary()
    wavelength, flux = library.load("S star (simulated)")
    assert library.load("S star (simulated)")[1] is flux
    with pytest.raises(ValueError, match="read-only"):
        wavelength[0] = 1.0


def test_one_that_is_not_there_is_told():
    with pytest.raises(ResourceError, match="no template 'x'"):
        TemplateLibrary().load("x")


def test_files_of_the_users_come_behind_under_their_own_names(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    paths = [write_table(tmp_path / "a" / "star.txt"), write_table(tmp_path / "b" / "star.txt")]
    library = TemplateLibrary(paths)
    assert library.names()[-2:] == ["star.txt", "star.txt 2"]
    wavelength, flux = library.load("star.txt 2")
    assert wavelength[0] == pytest.approx(4000.0, abs=2.0)
    assert np.median(np.abs(flux)) == pytest.approx(1.0)
    library.set_own(paths[:1])
    assert "star.txt 2" not in library.names()
    with pytest.raises(ResourceError):
        library.load("star.txt 2")


def test_a_broken_file_is_told(tmp_path):
    path = tmp_path / "broken.txt"
    path.write_bytes(b"\0\1not a spectrum")
    library = TemplateLibrary([str(path)])
    with pytest.raises(ReadError, match=r"broken\.txt"):
        library.load("broken.txt")
