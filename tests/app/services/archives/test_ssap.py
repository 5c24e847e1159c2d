"""Any SSAP service: a cone, its spectra, and the file behind a DataLink table."""

import pytest

from app.services.archives.archive import NoSpectrum, NotTold, Wanted
from app.services.archives.ssap import Ssap
from app.services.web.errors import BadReply, NotAllowed
from tests.agent.spectra.readers import samples
from tests.app.services.archives.archive_play import (
    SSAP_STAR,
    archive,
    links,
    play_archives,
    ssap_reply,
)
from tests.app.services.fault_server import votable


def reply_with(server, content, **files):
    server.answer = lambda path, fields: (content, "text/xml")
    server.files.update({f"/{name}": (data, "text/xml") for name, data in files.items()})


def find(server, client, wanted=SSAP_STAR, radius=2.0):
    return archive("ssap", server).find(wanted, radius, client, lambda: False)


def test_a_cone_is_asked_for_by_its_diameter(server, client):
    play_archives(server)
    find(server, client, radius=3.6)
    (asked,) = server.asked
    assert asked["POS"] == "24.376852,25.427147" and asked["REQUEST"] == "queryData"
    assert float(asked["SIZE"]) == pytest.approx(0.002)


def test_spectra_come_nearest_first_and_none_from_outside(server, client):
    url = server.url + "/s"
    rows = [(url + "1", 24.3769, 25.4273), (url + "2", 24.376852, 25.427147), (url + "3", 25, 25)]
    reply_with(server, ssap_reply(rows))
    assert [each.id for each in find(server, client)] == [url + "2", url + "1"]


def test_spectra_without_a_position_come_last(server, client):
    url = server.url + "/s"
    rows = [(url + "1", None, None), (url + "2", 24.3769, 25.4273)]
    reply_with(server, ssap_reply(rows))
    assert [each.id for each in find(server, client)] == [url + "2", url + "1"]
    reply_with(server, votable(["n_", "accref"], [["1", url]], ""))
    assert [each.id for each in find(server, client)] == [url]


def test_nothing_at_a_place_is_not_a_failure_of_the_service(server, client):
    reply_with(server, ssap_reply([]))
    with pytest.raises(NoSpectrum):
        find(server, client)


@pytest.mark.parametrize("names", [("accref", "ra", "dec"), ("access_url", "s_ra", "s_dec")])
def test_columns_are_known_by_name_too(server, client, names):
    rows = [[server.url + "/s", 24.376852, 25.427147]]
    # The stand-in takes the first column for a number unless there is one before it.
    reply_with(server, votable(["n_", *names], [["0", *rows[0]]], ""))
    assert find(server, client)[0].separation_arcsec == pytest.approx(0.0)


def test_the_file_behind_a_datalink_table_is_got(server, client):
    play_archives(server, is_linked=True)
    ssap = archive("ssap", server)
    (found,) = find(server, client)
    got = ssap.get(found, client, lambda: False)
    assert got.content == samples.lamost_table() and got.url.endswith("/spectrum.fits")


def test_links_that_lead_to_links_are_not_followed_on(server, client):
    play_archives(server, is_linked=True, spectrum=links(server.url + "/links"))
    (found,) = find(server, client)
    with pytest.raises(BadReply):
        archive("ssap", server).get(found, client, lambda: False)


def test_a_datalink_table_without_the_file_is_a_failure(server, client):
    reply_with(
        server,
        ssap_reply([(server.url + "/l", 24.376852, 25.427147)]),
        l=votable(["ID", "access_url", "semantics"], [["1", "x", "#preview"]], ""),
    )
    (found,) = find(server, client)
    with pytest.raises(BadReply, match="no file"):
        archive("ssap", server).get(found, client, lambda: False)


@pytest.mark.parametrize("url", [
    "file:///etc/passwd", "ftp://example.org/x", "http://127.0.0.1:1/x", "http://192.168.0.7/x",
    "https://router/x", "http://user:word@example.org/x",
])  # fmt: skip
def test_addresses_that_lead_elsewhere_are_refused(server, client, url):
    reply_with(server, ssap_reply([(url, 24.376852, 25.427147)]))
    with pytest.raises(NotAllowed):
        find(server, client)


def test_other_public_servers_are_asked_by_https_only(server, client):
    reply_with(server, ssap_reply([("http://example.org/a?b=1", 24.376852, 25.427147)]))
    assert find(server, client)[0].urls == ("https://example.org/a?b=1",)


@pytest.mark.parametrize("content", [
    b"",
    b"<html>",
    votable([], [], '<INFO name="QUERY_STATUS" value="ERROR">no</INFO>'),
    votable(["n_", "other"], [["1", "x"]], ""),
    ssap_reply([("x", 1, 1)])[:-60],
    votable(["n_", "accref"], [["1", None]], ""),
])  # fmt: skip
def test_other_answers_are_failures(server, client, content):
    reply_with(server, content)
    with pytest.raises(BadReply):
        find(server, client)


def test_a_row_without_a_position_is_refused(server, client):
    with pytest.raises(NotTold):
        find(server, client, Wanted(object_id="x"))


def test_an_address_that_is_not_encrypted_is_refused():
    with pytest.raises(NotAllowed):
        Ssap("http://example.org/ssap")
