import numpy as np
import pytest
from astropy.io import fits
from hypothesis import given as each
from hypothesis import strategies as some

from agent.errors import ReadError
from agent.spectra.fits.fits_header import Header
from tests.agent.spectra.readers import samples
from tests.agent.spectra.readers.samples import card, opened


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "i8", "f4", "f8"])
def test_images_of_every_type(dtype: str) -> None:
    data = np.arange(12).reshape(3, 4).astype(dtype)
    hdu = opened(samples.bytes_of(fits.PrimaryHDU(data))).primary
    np.testing.assert_array_equal(hdu.image(), data)
    np.testing.assert_array_equal(hdu.image(1, 1), data[1:2])


def test_scaled_and_blank_images() -> None:
    hdu = fits.PrimaryHDU(np.array([5, 6, -99], dtype=np.int16))
    data = samples.bytes_of(hdu)
    cards = card("BSCALE  =                  0.5") + card("BZERO   =                 10.0")
    cards += card("BLANK   =                  -99") + card("END")
    data = data.replace(card("END") + b" " * 240, cards, 1)
    np.testing.assert_array_equal(opened(data).primary.image()[0], [12.5, 13.0, np.nan])


@pytest.mark.parametrize(("old", "new", "reason"), [
    ("NAXIS   =                    2", "NAXIS   =                  999", "NAXIS 999"),
    ("NAXIS   =                    2", "NAXIS   =                   -1", "NAXIS -1"),
    ("NAXIS1  =                  240", "NAXIS1  =        9999999999999", "elements|too many"),
    ("NAXIS1  =                  240", "NAXIS1  =               'long'", "NAXIS1 long"),
    ("BITPIX  =                  -32", "BITPIX  =                  -31", "BITPIX -31"),
    ("NAXIS2  =                    5", "NAXIS2  =                 5000", "cut short|MB"),
])  # fmt: skip
def test_absurd_sizes_are_compared_with_the_file_first(old: str, new: str, reason: str) -> None:
    data = samples.lamost_image().replace(old.encode(), new.encode(), 1)
    with pytest.raises(ReadError, match=reason):
        opened(data).primary.image()


def test_headers_hdus_and_values_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    start = samples.lamost_image()[:2880].replace(card("END"), b" " * 80)
    with pytest.raises(ReadError, match="larger than 1 MB"):
        opened(start + b" " * 2_000_000).get(0)
    with pytest.raises(ReadError, match="no END"):
        opened(start).get(0)
    monkeypatch.setattr("agent.spectra.fits.fits_file.MAX_HDUS", 5)
    with pytest.raises(ReadError, match="more than 5 HDUs"):
        list(opened(samples.desi()))
    monkeypatch.setattr("agent.spectra.fits.fits_file.MAX_VALUES", 100)
    monkeypatch.setattr("agent.spectra.fits.fits_table.MAX_VALUES", 100)
    with pytest.raises(ReadError, match="rows of 240 pixels, too many"):
        opened(samples.lamost_image()).primary.image()
    table = next(opened(samples.sdss()).tables()).table
    with pytest.raises(ReadError, match="too many values"):
        table.column("flux")


def test_hdus_after_the_one_read_may_be_missing() -> None:
    data = samples.sdss()
    hdu = opened(data[: len(data) - 5760]).get(1)
    assert hdu.table.column("flux").size == samples.PIXELS


@each(some.binary(max_size=3000))
def test_any_bytes_are_refused_or_read_as_fits(data: bytes) -> None:
    for start in (b"SIMPLE  =                    T".ljust(80), b""):
        try:
            for hdu in opened(start + data + b"-"):
                hdu.image()
        except ReadError as error:
            assert str(error)


@pytest.mark.parametrize(("text", "value"), [
    ("K       =                   42 / comment", 42), ("K       = -1.5E-3", -0.0015),
    ("K       = 1.5D3", 1500.0), ("K       = -.5d-1/half", -0.05), ("K       = +7", 7),
    ("K       = .5", 0.5), ("K       = 5.", 5.0), ("K       = --5", "--5"), ("K       = .", "."),
    ("K       = 1_000", "1_000"), ("K       = -inf", "-inf"), ("K       = 1-2", "1-2"),
    ("K       = F", False), ("K       = ''", ""), ("K       = 'a' 'b'", "a"),
    ("K       =                    T / yes", True),
    ("K       = 'it''s / here'      / comment", "it's / here"), ("K       = 'no end", "no end"),
    ("K       =", None), ("K         42", None), ("HIERARCH ESO OBS ID = 7 / c", None),
])  # fmt: skip
def test_card_values(text: str, value: object) -> None:
    assert Header(card(text)).value("K") == value


def test_cards_that_repeat_are_hierarchical_or_hold_numbers_as_text() -> None:
    header = Header(card("HIERARCH ESO OBS ID = 7 / c") + card("A       = 1") + card("A       = 2"))
    assert header.value("ESO OBS ID") == 7
    assert header.integer("A") == 1
    header = Header(card("A       = '126     '") + card("B       = 1E999") + card("C       = NaN"))
    assert header.integer("A") == 126
    assert header.number("B") is None
    assert header.number("C") is None


@each(some.binary(max_size=400) | some.text(max_size=400).map(str.encode))
def test_any_bytes_are_a_header(raw: bytes) -> None:
    header = Header(raw)
    for keyword in header:
        header.value(keyword)
        number = header.number(keyword)
        assert number is None or np.isfinite(number)


def test_unsigned_and_scaled_columns() -> None:
    data = samples.fits_table({"a": ("I", np.array([1, 2, 65535], dtype=np.uint16))})
    assert opened(data).get(1) is not None
    values = np.array([1, 2, 65535], dtype=np.uint16)
    hdu = fits.BinTableHDU.from_columns([fits.Column("a", "I", bzero=32768, array=values)])
    table = next(opened(samples.bytes_of(fits.PrimaryHDU(), hdu)).tables()).table
    np.testing.assert_array_equal(table.column("A"), [1, 2, 65535])


def test_columns_agree_with_astropy() -> None:
    data = samples.sdss()
    hdu = opened(data).get(2)
    assert hdu.table.text("class") == "GALAXY"
    assert hdu.table.integer("PLATE") == 266
    assert hdu.table.number("plug_ra") == 147.32107
    assert hdu.table.number("missing") is None
    assert hdu.table.number("CLASS") is None


@pytest.mark.parametrize(("old", "new", "reason"), [
    ("TFORM2  = 'E       '", "TFORM2  = '9E      '", "NAXIS1 is"),
    ("TFORM2  = 'E       '", "TFORM2  = 'ZZ      '", "no readable TFORM"),
    ("TFORM2  = 'E       '", "TFORM2  = '999999999E'", "declares 999999999"),
    ("TFIELDS =                    2", "TFIELDS =                99999", "TFIELDS 99999"),
    ("NAXIS2  =                  240", "NAXIS2  =           9999999999", "too many"),
    ("NAXIS2  =                  240", "NAXIS2  =               100000", "cut short"),
])  # fmt: skip
def test_wrong_tables(old: str, new: str, reason: str) -> None:
    columns = {"WAVE": ("D", samples.WAVELENGTH), "FLUX": ("E", samples.FLUX)}
    data = samples.fits_table(columns)
    assert old.encode() in data
    data = data.replace(old.encode().ljust(len(new)), new.encode().ljust(len(old)), 1)
    with pytest.raises(ReadError, match=reason):
        next(opened(data).tables()).table.column("FLUX")
