"""Files that are not the spectrum that was asked for."""

import gzip
from dataclasses import replace

import keyring
import pytest

from app.services.archives.archive import (
    Found,
    NoSpectrum,
    NotTold,
    Wanted,
    WrongFile,
    with_name_of_file,
)
from app.services.archives.choice import archive_by_name, archive_of_row
from app.services.archives.files import checked, suffix_of
from app.services.archives.lamost import TOKEN_VARIABLE, Lamost, lamost_token
from app.services.web.errors import BadReply, NotAllowed, ServiceError
from tests.agent.spectra.readers import samples
from tests.app.services.archives.archive_play import (
    LAMOST_STAR,
    OBSID,
    SDSS_STAR,
    UUID,
    archive,
    play_archives,
)
from tests.app.services.fault_server import FAULTS, HTML

STAR = Found(
    id="1", stem="spec", urls=(), names=("0266-51602-0031",), ra=147.32107, dec=-0.0065757249
)
LAMOST = Found(id="1", stem="spec", urls=(), names=("677503031",), ra=24.376852, dec=25.427147)
FITS = samples.sdss()


def test_the_right_file_is_read():
    assert checked(FITS, STAR, 2.0).object_id == "0266-51602-0031"
    assert checked(gzip.compress(samples.lamost_image()), LAMOST, 2.0).survey == "LAMOST"


@pytest.mark.parametrize(("content", "why"), [
    (HTML, "web page"),
    (b"  <html>", "web page"),
    (b"", "empty"),
    (b"no spectrum\n" * 9, "no spectrum"),
    (FITS[: len(FITS) // 2 + 100], "cut short"),
    (FITS[: len(FITS) // 2], "the file is of spec"),
    (FITS[:-2880], "cut short"),
    (gzip.compress(FITS)[:-9], "too early"),
    (gzip.compress(FITS)[:-8] + b"\0" * 8, "damaged"),
    (gzip.compress(FITS)[:40], "too early"),
])  # fmt: skip
def test_what_is_no_whole_spectrum_is_refused(content, why):
    with pytest.raises(WrongFile, match=why):
        checked(content, STAR, 2.0)


def test_a_spectrum_of_another_object_or_place_is_refused():
    with pytest.raises(WrongFile, match="LAMOST J013730"):
        checked(samples.lamost_table(OBSID=5), LAMOST, 2.0)
    with pytest.raises(WrongFile, match="0266-51602-0031, not of 0266-51602-0032"):
        checked(FITS, Found(id="1", stem="s", urls=(), names=("0266-51602-0032",)), 2.0)
    there = Found(id="1", stem="s", urls=(), names=STAR.names, ra=147.32107, dec=0.0)
    with pytest.raises(WrongFile, match=r"23\.7 arcsec"):
        checked(FITS, there, 2.0)
    assert checked(FITS, there, 30.0).survey == "SDSS"
    assert checked(samples.lamost_dr1(), LAMOST, 2.0)
    with pytest.raises(WrongFile):
        checked(samples.lamost_dr1(), Found(id="1", stem="s", urls=(), names=("677503031",)), 2.0)


@pytest.mark.parametrize(("content", "suffix"), [
    (FITS, ".fits"), (gzip.compress(FITS), ".fits.gz"), (samples.votable(), ".vot"),
])  # fmt: skip
def test_the_suffix_is_that_of_the_content(content, suffix):
    assert suffix_of(content) == suffix


# Which archive has the spectrum of a row.
@pytest.mark.parametrize(("ids", "name"), [
    ({"sparcl_id": UUID}, "sparcl"),
    ({"plate": "266", "mjd": "51602", "fiberid": "31"}, "sdss"),
    ({"field": "15000", "mjd": "59146", "catalogid": "4375924756"}, "sdss"),
    ({"targetid": "39627792213580000"}, "sparcl"),
    ({"obsid": "677503031", "mjd": "58149", "fiberid": "31"}, "lamost"),
    ({"mjd": "58149", "fiberid": "31"}, None),
])  # fmt: skip
def test_the_numbers_tell_the_archive(ids, name):
    found = archive_of_row(Wanted(ra=1.0, dec=2.0, ids=ids))
    assert (found.id if found else None) == name


def test_unknown_archives_and_missing_addresses_are_refused():
    for name in ("eso", "desi", "ssap"):
        with pytest.raises(NotTold):
            archive_by_name(name)
    with pytest.raises(NotAllowed):
        archive_by_name("sdss", base="http://example.org")
    assert archive_by_name("ssap", base="https://example.org/ssap").sends.endswith("example.org.")


# What a row says about the spectrum that is wanted.
@pytest.mark.parametrize(("text", "number"), [
    ("266", 266), ("266.0", 266), ("", None), ("-3", None), ("1e5", None), ("9" * 21, None),
])  # fmt: skip
def test_whole_numbers_are_read(text, number):
    assert Wanted(ids={"plate": text}).number("plate") == number


def test_numbers_of_a_row_and_of_the_name_of_its_file():
    assert Wanted(ids={"fiber": " 7 ", "fiberid": ""}).number("fiberid", "fiber") == 7
    plate = with_name_of_file(Wanted(), "spec-0266-51602-0031")
    field = with_name_of_file(Wanted(), "spec-015000-59146-4375924756")
    assert plate.number("plate") == 266 and plate.number("fiberid") == 31
    assert field.number("field") == 15000 and field.number("catalogid") == 4375924756
    assert not with_name_of_file(Wanted(), "spec-55977-GAC061N46_sp08-157").ids
    given = with_name_of_file(Wanted(ids={"plate": "7", "mjd": ""}), "spec-0266-51602-0031")
    assert (given.number("plate"), given.number("mjd")) == (7, 51602)


# LAMOST by obsid; the token is in no text that anybody sees.
TOKEN = "A1b2-secret&x=y"


def get(server, client, **options):
    made = archive("lamost", server, **options)
    return made.get(made.find(LAMOST_STAR, 2.0)[0], client, lambda: False)


def test_the_token_goes_to_the_server_and_nowhere_else(server, client):
    play_archives(server)
    got = get(server, client, token=TOKEN)
    assert server.asked[0]["token"] == TOKEN and server.asked[0]["obsid"] == OBSID
    assert "secret" not in got.url and "token" not in got.url
    assert "secret" not in repr(Lamost(token=TOKEN))


@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in ("stall", "huge")])
def test_no_failure_shows_the_token(server, client, fault):
    server.always = fault
    try:
        got = get(server, client, token=TOKEN)
    except ServiceError as error:
        assert "secret" not in repr(error) + str(error)
    else:
        assert "secret" not in got.url


def test_a_file_that_holds_the_token_is_not_kept(server, client):
    play_archives(server, lamost=b"SIMPLE  = bad token " + TOKEN.encode())
    with pytest.raises(BadReply):
        get(server, client, token=TOKEN)


def test_the_older_address_is_tried_too(server, client):
    server.files[f"/dr10/v2.0/spectrum/fits/{OBSID}"] = (b"content", "application/fits")
    assert get(server, client).content == b"content"
    assert "/openapi/" in server.asked[0]["path"]


def test_a_token_of_the_environment_comes_before_that_of_the_keyring(monkeypatch):
    kept = {("spec-o3-workbench", "www.lamost.org"): "kept"}
    monkeypatch.setattr(keyring, "get_password", lambda *key: kept.get(key))
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    assert lamost_token() == "kept" and lamost_token("https://example.org") == ""
    monkeypatch.setenv(TOKEN_VARIABLE, " given ")
    assert lamost_token() == "given"


@pytest.mark.parametrize(("release", "part"), [
    ("", "dr11/v2.0/lrs"), ("dr9", "dr9/v2.0/lrs"), ("DR11/v1.1", "dr11/v1.1/lrs"),
    ("dr11", "dr11/v2.0/lrs"), ("dr12", "dr12/v1.1/lrs"),
    ("dr10/v2.0/mrs", "dr10/v2.0/mrs"),
])  # fmt: skip
def test_releases_are_parts_of_the_address(release, part):
    (found,) = Lamost(release).find(LAMOST_STAR, 2.0)
    assert f"/openapi/{part}/spectrum/fits?obsid={OBSID}" in found.urls[0]


@pytest.mark.parametrize("release", ["dr5", "10", "dr10/v2.0/../x", "dr10/2.0", "dr10/v2.0/xrs"])
def test_other_releases_are_refused(release):
    with pytest.raises(NotTold):
        Lamost(release)


def test_releases_are_walked_newest_first_and_the_record_names_the_one_that_had_it(server, client):
    server.files[f"/dr9/v2.0/spectrum/fits/{OBSID}"] = (b"content", "application/fits")
    got = get(server, client)
    assert (got.content, got.release) == (b"content", "dr9/v2.0/lrs")
    asked = [each["path"].split("/")[2] for each in server.asked if "/openapi/" in each["path"]]
    assert asked == ["dr11", "dr10", "dr9"]
    assert "/dr12/v1.1/" in Lamost(token="t").find(LAMOST_STAR, 2.0)[0].urls[0]


@pytest.mark.parametrize(("name", "star", "id"), [
    ("lamost", LAMOST_STAR, OBSID), ("sdss", SDSS_STAR, "0266-51602-0031"),
])  # fmt: skip
def test_a_position_is_enough(server, client, name, star, id):
    play_archives(server)
    found = archive(name, server).find(replace(star, ids={}), 2.0, client, lambda: False)
    assert found[0].id == id and found[0].distance < 0.2
    assert archive(name, server).get(found[0], client, lambda: False).content
    with pytest.raises(NoSpectrum):
        far = replace(star, ids={}, ra=star.ra + 1.0)
        archive(name, server).find(far, 2.0, client, lambda: False)


@pytest.mark.parametrize("obsid", ["", "0", "-4", "abc", str(2**40)])
def test_numbers_that_name_no_spectrum_are_refused(obsid):
    with pytest.raises(NotTold):
        Lamost().find(Wanted(ids={"obsid": obsid}), 2.0)
