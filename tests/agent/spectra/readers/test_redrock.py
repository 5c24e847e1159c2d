from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import ReadError
from agent.spectra.readers import read
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

NAME = samples.DESI_NAME


@pytest.mark.parametrize("packed", [False, True])
def test_class_and_z_come_from_the_redrock_file_next_to_it(tmp_path: Path, packed: bool) -> None:
    (tmp_path / NAME).write_bytes(samples.desi())
    data = samples.redrock()
    companion = tmp_path / (NAME.replace("coadd", "redrock") + (".gz" if packed else ""))
    companion.write_bytes(samples.gz(data) if packed else data)
    spectrum = read(tmp_path / NAME, row=4)
    assert (spectrum.class_name, spectrum.z) == ("QSO", 4.1)
    assert read(tmp_path / NAME, row=0).class_name == "GALAXY"


def test_a_broken_or_foreign_redrock_file_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(samples.desi())
    companion = tmp_path / NAME.replace("coadd", "redrock")
    companion.write_bytes(b"SIMPLE  = nonsense")
    spectrum = read(tmp_path / NAME)
    assert spectrum.z is None
    assert "was not used" in spectrum.warnings[0]
    companion.write_bytes(samples.redrock(targets=(1, 2)))
    assert "does not list target" in read(tmp_path / NAME).warnings[0]
    companion.write_bytes(samples.redrock(warn=4))
    assert "ZWARN 4" in read(tmp_path / NAME).warnings[0]


def test_a_redrock_table_is_refused_with_its_coadd(given: Given) -> None:
    with pytest.raises(ReadError, match=f"companion of {NAME}, without spectra: open the coadd"):
        given(samples.redrock(), NAME.replace("coadd", "redrock"))
