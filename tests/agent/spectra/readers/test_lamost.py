from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits

from agent.errors import ReadError
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers import lamost
from agent.spectra.readers.base import Request
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples


@pytest.mark.parametrize("made", [samples.lamost_image, samples.lamost_table])
def test_both_forms_give_the_same_spectrum(given: Given, made) -> None:
    spectrum = given(made())
    assert (spectrum.survey, spectrum.object_id) == ("LAMOST", "LAMOST J013730.44+252537.7")
    assert (spectrum.ra, spectrum.dec) == (24.376852, 25.427147)
    assert (spectrum.class_name, spectrum.subclass, spectrum.z) == ("STAR", "G3", -0.00012)
    assert (spectrum.medium_in_file, spectrum.resolution) == ("vacuum", 1800)
    np.testing.assert_allclose(spectrum.wavelength, samples.WAVELENGTH, rtol=2e-7)
    np.testing.assert_allclose(spectrum.flux, samples.FLUX, rtol=1e-6)
    assert spectrum.flux[7] == -3.0


def test_release_and_simulation_come_from_the_header(given: Given) -> None:
    assert given(samples.lamost_image(DATA_V="LAMOST DR8")).release == "DR8"
    assert given(samples.lamost_table()).release == "DR10"
    assert given(samples.lamost_image(SIMULATE=True)).simulated
    assert given(samples.lamost_table(SIMULATE=True)).simulated
    assert not given(samples.lamost_image(SIMULATE="yes")).simulated
    assert not given(samples.lamost_image()).simulated


def test_bad_pixels_snr_and_header_keys_under_their_own_names(given: Given) -> None:
    spectrum = given(samples.lamost_image())
    assert not spectrum.good[20:23].any()
    assert not spectrum.good[40], "bad CCD pixel"
    assert spectrum.good[41], "bright sky is usable"
    assert (spectrum.n_bad, spectrum.snr) == (4, 40.0)
    meta = spectrum.meta
    assert (meta["SNRG"], meta["FIBERID"]) == (30.0, "31") and "NAXIS1" not in meta


def test_dr1_row_three_is_not_wavelength(given: Given) -> None:
    spectrum = given(samples.lamost_dr1())
    np.testing.assert_allclose(spectrum.wavelength, samples.WAVELENGTH, rtol=1e-12)
    assert (spectrum.release, spectrum.snr) == ("DR1", 30.0)


def test_overflowed_obsid_does_not_name_the_object(given: Given) -> None:
    assert given(samples.lamost_image(OBSID=-28762)).object_id.startswith("LAMOST J")
    nameless = samples.lamost_image(drop=("DESIG",))
    assert given(nameless).object_id == "677503031"
    assert given(samples.lamost_image(drop=("DESIG", "OBSID")), "a-b.fits").object_id == "a-b"


def test_sentinels_and_the_word_non_are_unknown(given: Given) -> None:
    spectrum = given(samples.lamost_image(Z=-9999.0, RA=-9999.0))
    assert (spectrum.z, spectrum.ra, spectrum.dec) == (None, None, None)
    assert given(samples.lamost_image(CLASS="QSO", SUBCLASS="Non")).subclass == ""


def test_gzip_is_read_by_content_not_by_name(given: Given) -> None:
    packed = samples.gz(samples.lamost_table())
    assert len(given(packed, "a.fits.gz")) == samples.PIXELS
    assert len(given(packed, "a.fits")) == samples.PIXELS
    assert len(given(samples.lamost_table(), "plain.fits.gz")) == samples.PIXELS


def test_a_row_wavelengths_or_a_table_that_is_not_there(given: Given) -> None:
    with pytest.raises(ReadError, match="it holds one spectrum; there is no row 1"):
        given(samples.lamost_image(), row=1)
    gone = ("COEFF0", "COEFF1", "CRVAL1", "CD1_1")
    data = samples.lamost_image(third=samples.FLUX / 100, drop=gone)
    with pytest.raises(ReadError, match="neither a wavelength row nor COEFF0 and COEFF1"):
        given(data)
    data = samples.bytes_of(samples.with_cards(fits.PrimaryHDU(), samples.LAMOST_CARDS))
    with pytest.raises(ReadError, match=r"COADD table .* is missing"):
        given(data)


def test_medium_resolution_joins_two_arms_with_a_gap_and_warns_of_one(given: Given) -> None:
    spectrum = given(samples.lamost_mrs())
    assert (spectrum.survey, spectrum.resolution) == ("LAMOST-MRS", 7500)
    assert len(spectrum) == 2 * samples.PIXELS
    gap = np.diff(spectrum.wavelength).argmax()
    assert spectrum.wavelength[gap] < 5400
    assert spectrum.wavelength[gap + 1] > 6200
    assert spectrum.snr == 60.0
    assert (spectrum.meta["SNR_B"], spectrum.meta["SNR_R"]) == (40.0, 80.0)
    spectrum = given(samples.lamost_mrs(arms=("R",)))
    assert len(spectrum) == samples.PIXELS
    assert spectrum.warnings == ("the arm COADD_B is missing",)


def test_exposures_of_medium_resolution_are_rows_in_the_order_of_their_time(given: Given) -> None:
    data = samples.lamost_mrs()
    coadd = given(data)
    assert (coadd.row, coadd.rows) == (0, 3)
    assert "EPOCH_MJD" not in coadd.meta
    for row, (offset, minute) in enumerate(((2, 84107311), (1, 84107335)), start=1):
        epoch = given(data, row=row)
        assert (epoch.row, epoch.rows, epoch.warnings) == (row, 3, ())
        assert (epoch.meta["LMJM"], epoch.meta["EXPTIME"]) == (minute, 1200)
        np.testing.assert_allclose(epoch.wavelength, coadd.wavelength)
        np.testing.assert_allclose(epoch.flux, coadd.flux + offset)
        np.testing.assert_array_equal(epoch.good, coadd.good)
    # The header of a real file says that it began at 2018-10-16T20:31:43, local time.
    first = given(data, row=1)
    assert first.meta["EPOCH_LOCAL"] == "2018-10-16T20:31"
    assert first.meta["EPOCH_MJD"] == pytest.approx(58407.5215, abs=1e-4)
    with pytest.raises(ReadError, match=r"it holds 3 spectra \(rows 0 to 2\)"):
        given(data, row=3)


class Recorder:
    """Bytes that know how far they were read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.furthest = data, 0

    def read(self, offset: int, count: int) -> bytes:
        self.furthest = max(self.furthest, offset + count)
        return self.data[offset : offset + count]


def test_the_exposures_of_a_coadd_are_counted_without_reading_them() -> None:
    data = samples.lamost_mrs(minutes=tuple(range(84107311, 84107351)))
    recorder = Recorder(data)
    file = SourceFile(Path("med.fits"), recorder, len(data))
    assert lamost.read_medium(file, Request()).rows == 41
    assert recorder.furthest < len(data) / 5


def test_exposures_are_counted_where_the_coadd_does_not_name_them(given: Given) -> None:
    assert given(samples.lamost_mrs(listed=False)).rows == 3
    alone = given(samples.lamost_mrs(coadd=False), row=1)
    assert (alone.rows, alone.meta["LMJM"]) == (2, 84107335)
    assert alone.warnings == ("without a coadd: its rows are the exposures",)


def test_the_target_that_a_medium_resolution_file_does_not_name(given: Given) -> None:
    assert given(samples.lamost_mrs(), target=samples.LAMOST_CARDS["DESIG"]).warnings == ()
    assert "LAMOST J1 is not named" in given(samples.lamost_mrs(), target="LAMOST J1").warnings[0]
