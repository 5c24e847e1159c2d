"""The check that files are read correctly."""

from __future__ import annotations

import pytest

from agent.spectra.readers import read
from app.selftest import spectra
from app.selftest.installation import CheckFailed
from app.selftest.spectra import LAYOUTS
from tests.app.selftest.checks import run


def test_a_reader_that_reads_wrong_is_found_out(monkeypatch, tmp_path):
    def off(path, spectrum):
        rows = zip(spectrum.wavelength, 1.1 * spectrum.flux, strict=True)
        path.write_text("wavelength,flux\n" + "".join(f"{w},{f}\n" for w, f in rows))

    monkeypatch.setattr(spectra, "LAYOUTS", {"text": ("table.csv", off)})
    with pytest.raises(CheckFailed, match=r"10\.0 % off"):
        run(spectra, "text", tmp_path)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_read_as_what_it_is(name, tmp_path):
    file_name, write = LAYOUTS[name]
    write(tmp_path / file_name, spectra.first_of("LAMOST"))
    found = read(tmp_path / file_name).format
    assert name in found or (name, found) == ("text", "CSV")
