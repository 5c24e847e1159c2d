"""SPARCL by identifier and by place."""

import json

import numpy as np
import pytest

from agent.spectra.readers.registry import read_bytes
from app.services.archives.archive import NoSpectrum, NotTold, Wanted
from app.services.archives.sparcl import records_of, spectrum_file
from app.services.catalogues.position import boxes
from app.services.web.errors import BadReply
from tests.app.services.archives.archive_play import (
    SPARCL_STAR,
    UUID,
    archive,
    play_archives,
    sparcl_record,
)

OTHER = UUID.replace("6", "7")


def find(server, client, wanted, radius=2.0, **options):
    return archive("sparcl", server, **options).find(wanted, radius, client, lambda: False)


def test_a_uuid_needs_no_search(server, client):
    (found,) = find(server, client, Wanted(ids={"sparcl_id": UUID}))
    assert found.id == UUID and not server.asked


@pytest.mark.parametrize("text", ["6b6e7a2c", "'; drop", UUID[:-1] + "g"])
def test_what_is_no_uuid_is_refused(server, client, text):
    with pytest.raises(NotTold):
        find(server, client, Wanted(ids={"sparcl_id": text}))


def test_a_specid_that_two_objects_have_means_the_one_at_the_place(server, client):
    elsewhere = sparcl_record(sparcl_id=OTHER, ra=10.0, dec=10.0)
    play_archives(server, records=[elsewhere, sparcl_record()])
    found = find(server, client, SPARCL_STAR)
    assert [each.id for each in found] == [UUID]
    assert json.loads(server.asked[0]["json"])["search"] == [["specid", 39627]]


def test_the_newest_main_spectrum_comes_first(server, client):
    older = sparcl_record(sparcl_id=OTHER, data_release="DESI-EDR")
    third = sparcl_record(sparcl_id=UUID.replace("6", "8"), specprimary=False)
    play_archives(server, records=[older, third, sparcl_record()])
    found = find(server, client, Wanted(ids={"targetid": "39627792213580000"}))
    assert [each.release for each in found] == ["DESI-DR1", "DESI-EDR", "DESI-DR1"]
    assert found[0].id == UUID


def test_a_place_beside_zero_hours_is_searched_on_both_sides(server, client):
    play_archives(server, records=[sparcl_record(), sparcl_record(sparcl_id=OTHER, ra=0.0001)])
    found = find(server, client, Wanted(ra=359.9999, dec=60.0))
    assert [each.id for each in found] == [UUID, OTHER]
    assert found[0].separation_arcsec == pytest.approx(0.0)
    assert found[1].separation_arcsec == pytest.approx(0.36, abs=0.01)


def test_a_release_is_a_condition_and_nothing_at_a_place_is_no_failure(server, client):
    play_archives(server)
    with pytest.raises(NoSpectrum, match="SDSS-DR16"):
        find(server, client, SPARCL_STAR, release="SDSS-DR16")
    with pytest.raises(NoSpectrum):
        find(server, client, Wanted(ra=100.0, dec=0.0))


@pytest.mark.parametrize("dec", [-90.0, -89.9999, 0.0, 60.0, 89.99999, 90.0])
@pytest.mark.parametrize("ra", [0.0, 0.0001, 180.0, 359.9999])
def test_boxes_hold_their_circle(ra, dec):
    for low, high in (ranges for box in boxes(ra, dec, 0.001) for ranges in box):
        assert low <= high
    assert all(low >= 0.0 and high <= 360.0 for (low, high), _ in boxes(ra, dec, 0.001))
    assert any(low[0] <= ra <= low[1] for low, _ in boxes(ra, dec, 0.001))


@pytest.mark.parametrize("content", [
    b"", b"{}", b"[]", b"[1]", b'[{"status": {"success": false}}]', b"<html>", b"[" * 10**5,
])  # fmt: skip
def test_other_answers_are_failures(content):
    with pytest.raises(BadReply):
        records_of(content)


@pytest.mark.parametrize("uuid", [None, "", "../../x", 12])
def test_a_record_without_its_number_is_a_failure(server, client, uuid):
    play_archives(server, records=[sparcl_record(sparcl_id=uuid)])
    with pytest.raises(BadReply):
        find(server, client, SPARCL_STAR)


# A record of SPARCL becomes a file that reads back without loss.
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


def test_masks_missing_values_and_numbers_too_long_for_a_header():
    mask = [0] * 100
    mask[3], mask[4] = 1 << 23, 1 << 24
    record = sparcl_record(data_release="BOSS-DR16", datasetgroup="SDSS_BOSS", mask=mask)
    read = read_bytes(spectrum_file(record, URL), "x.fits")
    assert np.flatnonzero(read.mask).tolist() == [4] and read.survey == "SDSS"
    assert read.object_id == "39627"
    flux = sparcl_record()["flux"]
    flux[5] = None
    read = read_bytes(spectrum_file(sparcl_record(flux=flux), URL), "x.fits")
    assert not read.good[5] and read.good[6]
    number = 2**64 - 1
    record = sparcl_record(specid=number, data_release="SDSS-DR16")
    assert read_bytes(spectrum_file(record, URL), "x.fits").object_id == str(number)


@pytest.mark.parametrize("changed", [
    {"flux": [1.0]}, {"flux": None}, {"flux": "1,2,3"}, {"flux": [[1.0]] * 100},
    {"wavelength": ["x"] * 100}, {"ivar": [0.1] * 99}, {"mask": [0]},
    {"wavelength": [], "flux": [], "ivar": [], "mask": []},
])  # fmt: skip
def test_what_is_no_spectrum_is_refused(changed):
    with pytest.raises(BadReply):
        spectrum_file(sparcl_record(**changed), URL)
