"""A record of SPARCL becomes a file that reads back without loss."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.readers.registry import read_bytes
from app.services.archives.sparcl_file import spectrum_file
from app.services.web.errors import BadReply
from tests.app.services.archives.archive_play import UUID, sparcl_record

URL = "https://example.org/api/spectras/?include=flux"


def test_numbers_and_facts_come_back_as_they_were_sent():
    record = sparcl_record()
    read = read_bytes(spectrum_file(record, URL), "x.fits")
    assert read.wavelength.tolist() == record["wavelength"]
    assert read.flux.tolist() == record["flux"] and read.ivar.tolist() == record["ivar"]
    assert read.mask.tolist() == [flag != 0 for flag in record["mask"]]
    assert (read.object_id, read.survey, read.class_name) == ("39627792213580000", "DESI", "STAR")
    assert (read.ra, read.dec, read.z) == (359.9999, 60.0, -0.0003)
    assert read.medium_in_file == "vacuum" and not read.warnings
    assert read.meta["SPARCLID"] == UUID and read.meta["TARGETID"] == 39627792213580000
    assert read.meta["SOURCE"] == "https://example.org/api/spectras/"


def test_bits_of_sdss_that_leave_the_flux_usable_do_not_mask():
    mask = [0] * 100
    mask[3], mask[4] = 1 << 23, 1 << 24
    record = sparcl_record(data_release="BOSS-DR16", datasetgroup="SDSS_BOSS", mask=mask)
    read = read_bytes(spectrum_file(record, URL), "x.fits")
    assert np.flatnonzero(read.mask).tolist() == [4] and read.survey == "SDSS"
    assert read.object_id == "39627"


def test_a_missing_value_is_a_bad_pixel():
    flux = sparcl_record()["flux"]
    flux[5] = None
    read = read_bytes(spectrum_file(sparcl_record(flux=flux), URL), "x.fits")
    assert not read.good[5] and read.good[6]


def test_numbers_too_long_for_a_header_stay_whole():
    number = 2**64 - 1
    record = sparcl_record(specid=number, data_release="SDSS-DR16")
    assert read_bytes(spectrum_file(record, URL), "x.fits").object_id == str(number)


@pytest.mark.parametrize(
    "changed",
    [
        {"flux": [1.0]},
        {"flux": None},
        {"flux": "1,2,3"},
        {"flux": [[1.0]] * 100},
        {"wavelength": ["x"] * 100},
        {"ivar": [0.1] * 99},
        {"mask": [0]},
        {"wavelength": [], "flux": [], "ivar": [], "mask": []},
    ],
)
def test_what_is_no_spectrum_is_refused(changed):
    with pytest.raises(BadReply):
        spectrum_file(sparcl_record(**changed), URL)
