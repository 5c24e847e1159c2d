import base64
import struct
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from astropy.io.votable import from_table, writeto
from astropy.table import Table

from agent.errors import ReadError
from agent.spectra.readers import votable
from agent.votable.parser import VOTableField
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples
from tests.agent.votable.tables import BOMB, stream

W, F = samples.WAVELENGTH, samples.FLUX


def written(table: Table, form: str) -> bytes:
    out = BytesIO()
    writeto(from_table(table), out, tabledata_format=form)
    return out.getvalue()


@pytest.mark.parametrize("form", ["tabledata", "binary", "binary2"])
def test_what_astropy_writes(given: Given, form: str) -> None:
    table = Table({"wavelength": W / 10, "flux": F.astype("f4"), "good": np.ones(len(W), bool)})
    table["wavelength"].unit = "nm"
    table["flux"].unit = "Jy"
    spectrum = given(written(table, form), "a.vot")
    np.testing.assert_allclose(spectrum.wavelength, W, rtol=1e-7)
    np.testing.assert_allclose(spectrum.flux, F, rtol=1e-6)
    assert (spectrum.format, spectrum.flux_unit) == ("VOTable", "Jy")


@pytest.mark.parametrize("form", ["tabledata", "binary", "binary2"])
def test_one_row_of_vectors(given: Given, form: str) -> None:
    table = Table({"wavelength": W[None], "flux": F[None], "name": ["HD 1"]})
    np.testing.assert_allclose(given(written(table, form), "a.vot").flux, F, rtol=1e-7)


def test_columns_by_ucd_params_as_description_and_gzip(given: Given) -> None:
    spectrum = given(samples.votable(), "a.xml")
    np.testing.assert_allclose(spectrum.wavelength, W, rtol=1e-6)
    assert spectrum.ivar[0] == 0.25
    assert spectrum.object_id == "HD 1"
    assert len(given(samples.gz(samples.votable()), "a.vot.gz")) == samples.PIXELS


def test_values_that_binary2_flags_as_null_are_bad_pixels(given: Given) -> None:
    rows = b"".join(
        bytes([0x40 if number == 5 else 0]) + struct.pack(">dff", w / 10, f, 2)
        for number, (w, f) in enumerate(zip(W, F, strict=True))
    )
    data = stream(base64.encodebytes(rows).decode(), "BINARY2")
    spectrum = given(samples.votable(data), "a.xml")
    assert np.flatnonzero(~spectrum.good).tolist() == [5]


def test_a_doctype_that_only_names_the_dtd_is_read(given: Given) -> None:
    doctype = '<!DOCTYPE VOTABLE SYSTEM "http://us-vo.org/xml/VOTable.dtd">'
    declared = samples.votable().replace(b"<VOTABLE", doctype.encode() + b"<VOTABLE", 1)
    assert len(given(declared, "a.xml")) == samples.PIXELS


def test_the_first_table_with_a_spectrum_is_read(given: Given) -> None:
    other = b'<TABLE><FIELD name="ra" datatype="double"/><DATA><TABLEDATA/></DATA></TABLE>'
    before = samples.votable().replace(b"<TABLE ", other + b"<TABLE ", 1)
    assert len(given(before, "a.xml")) == samples.PIXELS
    alone = b"<VOTABLE><RESOURCE>" + other + b"</RESOURCE></VOTABLE>"
    with pytest.raises(ReadError, match=r"no column is named like a wavelength \(columns: ra\)"):
        given(alone, "a.xml")
    with pytest.raises(ReadError, match="a VOTable without a table"):
        given(alone.replace(other, b""), "a.xml")


def test_entities_are_never_expanded_nor_files_read_or_opened(given: Given, tmp_path: Path) -> None:
    bomb = f'<?xml version="1.0"?>{BOMB}<VOTABLE><TABLE>&i;</TABLE></VOTABLE>'
    with pytest.raises(ReadError, match="DOCTYPE"):
        given(bomb.encode(), "a.xml")
    with pytest.raises(ReadError):
        given(bomb.replace("?>", ' encoding="utf-16"?>', 1).encode("utf-16"), "b.xml")
    secret = tmp_path / "secret"
    secret.write_text("4000 1")
    outside = f'<!DOCTYPE b [<!ENTITY x SYSTEM "{secret.as_uri()}">]><VOTABLE>&x;</VOTABLE>'
    with pytest.raises(ReadError, match="DOCTYPE"):
        given(outside.replace("<!DOCTYPE", '<?xml version="1.0"?><!DOCTYPE').encode(), "c.xml")
    stream = f'<BINARY><STREAM href="{(tmp_path / "x").as_uri()}" encoding="base64"/></BINARY>'
    with pytest.raises(ReadError, match=r"in another file \(href\)"):
        given(samples.votable(stream), "a.xml")


@pytest.mark.parametrize(("data", "reason"), [
    ("<TABLEDATA></TABLEDATA>", "empty"),
    ("<TABLEDATA><TR><TD>1</TD></TR></TABLEDATA>", "unequal"),
    ("<BINARY><STREAM encoding='base64'>AAAA</STREAM></BINARY>", "cut short"),
    ("<FITS><STREAM>AAAA</STREAM></FITS>", "embedded FITS file"),
    ("<TABLEDATA><TR>", "damaged VOTable"),
    (f"<TABLEDATA>{'<TR/>' * 1_000_001}</TABLEDATA>", "more than 1000000 cells"),
    ("<a>" * 100 + "</a>" * 100, "nested too deeply"),
])  # fmt: skip
def test_damaged_tables_are_refused(given: Given, data: str, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        given(samples.votable(data), "a.xml")


def test_declared_rows_and_sizes_are_not_trusted(given: Given) -> None:
    data = samples.votable().decode().replace("<TABLE ", '<TABLE nrows="99999999999" ')
    assert len(given(data.encode(), "a.xml")) == samples.PIXELS
    big = data.replace('datatype="float"', 'datatype="float" arraysize="999999999"')
    with pytest.raises(ReadError):
        given(big.replace("TABLEDATA", "BINARY").encode(), "b.xml")


def test_words_of_a_cell_beyond_the_longest_spectrum_are_not_split(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(votable, "MAX_PIXELS", 3)
    numbers = votable._numbers("1 2 3 4 5 6", VOTableField("flux", "double", "*"))
    np.testing.assert_array_equal(numbers, [1, 2, 3, np.nan])
