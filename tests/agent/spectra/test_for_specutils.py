"""specutils knows LAMOST's files once our loader is imported; nothing else changes for it."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from agent.errors import ReadError
from agent.spectra.readers import read
from tests.agent.spectra.readers import samples

specutils = pytest.importorskip("specutils", reason="specutils is not installed here")


@pytest.mark.parametrize("kind", ["lamost_image", "lamost_table", "lamost_mrs"])
@pytest.mark.parametrize("name", ["spec-1.fits", "spec-1.fits.gz"])
def test_a_lamost_file_is_found_and_read_as_ours(tmp_path: Path, kind: str, name: str) -> None:
    from agent.spectra import for_specutils

    data = getattr(samples, kind)()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    ours, theirs = read(path), specutils.Spectrum.read(path)
    np.testing.assert_array_equal(theirs.spectral_axis.to_value("Angstrom"), ours.wavelength)
    np.testing.assert_array_equal(theirs.flux.value, ours.flux)
    np.testing.assert_array_equal(theirs.uncertainty.array, ours.ivar)
    assert theirs.meta["object_id"] == ours.object_id and theirs.meta["z"] == ours.z

    path.write_bytes(samples.sdss())
    with pytest.raises(ReadError, match="does not name LAMOST"):
        for_specutils.read_lamost(path)
    formats = specutils.io.registers.identify_spectrum_format(str(path))
    assert "LAMOST" not in formats
