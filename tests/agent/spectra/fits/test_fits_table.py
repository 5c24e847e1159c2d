from __future__ import annotations

import numpy as np
import pytest
from astropy.io import fits

from agent.errors import ReadError
from tests.agent.spectra.readers import samples
from tests.agent.spectra.readers.samples import opened


def test_unsigned_and_scaled_columns() -> None:
    data = samples.fits_table({"a": ("I", np.array([1, 2, 65535], dtype=np.uint16))})
    assert opened(data).get(1) is not None
    hdu = fits.BinTableHDU.from_columns(
        [fits.Column("a", "I", bzero=32768, array=np.array([1, 2, 65535], dtype=np.uint16))]
    )
    table = next(opened(samples.bytes_of(fits.PrimaryHDU(), hdu)).tables()).table
    np.testing.assert_array_equal(table.column("A"), [1, 2, 65535])


def test_columns_agree_with_astropy() -> None:
    data = samples.sdss()
    hdu = opened(data).get(2)
    assert hdu is not None
    assert hdu.table.text("class") == "GALAXY"
    assert hdu.table.integer("PLATE") == 266
    assert hdu.table.number("plug_ra") == 147.32107
    assert hdu.table.number("missing") is None
    assert hdu.table.number("CLASS") is None


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("TFORM2  = 'E       '", "TFORM2  = '9E      '", "NAXIS1 is"),
        ("TFORM2  = 'E       '", "TFORM2  = 'ZZ      '", "no readable TFORM"),
        ("TFORM2  = 'E       '", "TFORM2  = '999999999E'", "declares 999999999"),
        ("TFIELDS =                    2", "TFIELDS =                99999", "TFIELDS 99999"),
        ("NAXIS2  =                  240", "NAXIS2  =           9999999999", "too many"),
        ("NAXIS2  =                  240", "NAXIS2  =               100000", "cut short"),
    ],
)
def test_wrong_tables(old: str, new: str, reason: str) -> None:
    columns = {"WAVE": ("D", samples.WAVELENGTH), "FLUX": ("E", samples.FLUX)}
    data = samples.fits_table(columns)
    assert old.encode() in data
    data = data.replace(old.encode().ljust(len(new)), new.encode().ljust(len(old)), 1)
    with pytest.raises(ReadError, match=reason):
        next(opened(data).tables()).table.column("FLUX")
