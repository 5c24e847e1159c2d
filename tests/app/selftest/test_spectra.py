"""The check that files are read correctly."""

from __future__ import annotations

import pytest

from app.selftest import spectra
from app.selftest.check import CheckFailed
from tests.app.selftest.checks import run


def test_a_reader_that_reads_wrong_is_found_out(monkeypatch, tmp_path):
    def off(path, spectrum):
        rows = zip(spectrum.wavelength, 1.1 * spectrum.flux, strict=True)
        path.write_text("wavelength,flux\n" + "".join(f"{w},{f}\n" for w, f in rows))

    monkeypatch.setattr(spectra, "LAYOUTS", {"text": ("table.csv", off)})
    with pytest.raises(CheckFailed, match=r"10\.0 % off"):
        run(spectra, "text", tmp_path)
