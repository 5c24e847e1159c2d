"""The dust of a direction: read whole or not at all, and taken off as an upper limit."""

from dataclasses import replace

import pytest

from app.services.catalogues.answer import NOT_ASKED, Match, answer_of
from app.services.catalogues.dust import ask_dust, read_dust, reddening, without_dust
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.services.web.errors import BadReply, ServiceError
from tests.app.services.fault_server import OF_FILES, hurried
from tests.app.ui.judge.evidence.small_sky import dust_map

PATH = "/cgi-bin/DUST/nph-dust"


@pytest.fixture
def dust(server):
    server.files[PATH] = dust_map(), "text/xml"
    return replace(all_services()["dust"].changed(url=server.url + PATH), per_second=10.0)


def test_the_maps_are_read_with_their_scatter(server, client, dust):
    answer, exchange = ask_dust(dust, client, Position(ra=210.80227, dec=-54.34895))
    assert answer.nearest.values == {
        "ebv": 0.0740, "ebv_error": 0.0012, "ebv_sfd": 0.0861, "ebv_sfd_error": 0.0014
    }  # fmt: skip
    (asked,) = server.asked
    assert asked["locstr"] == "210.802270 -54.348950" and asked["regSize"] == "2.0"
    assert exchange.content == dust_map()


@pytest.mark.parametrize("fault", OF_FILES)
def test_a_fault_is_never_an_answer_without_dust(server, client, dust, fault):
    server.always = fault
    with pytest.raises(ServiceError):
        ask_dust(hurried(dust, fault), client, Position(ra=1, dec=2))


@pytest.mark.parametrize(("old", "new"), [
    (b'"ok"', b'"error"'), (b"0.0740", b"nan"), (b"0.0740", b"1e9"), (b"0.0740", b"9999"),
    (b"0.0740", b"-0.1"), (b"stdSandF", b"std"), (b"(mag)", b"(K)"), (b"0.0740", b"."),
])  # fmt: skip
def test_a_damaged_answer_is_a_failure(dust, old, new):
    with pytest.raises(BadReply):
        read_dust(dust, dust_map().replace(old, new))


def test_gaias_values_without_the_dust_have_the_error_of_the_map():
    assert reddening(None) is reddening(NOT_ASKED) is None
    found = answer_of([Match(values={"ebv": 0.5, "ebv_error": 0.06}, separation_arcsec=0.0)])
    ebv, error = reddening(found)
    assert (ebv, error) == (0.5, pytest.approx(0.1))
    freed = without_dust({"g": 15.0, "bp_rp": 1.5, "bp": None, "ruwe": 1.0}, (ebv, error))
    assert freed["g"] == pytest.approx(15.0 - 1.370) and freed["g_error"] == pytest.approx(0.274)
    assert freed["bp_rp"] == pytest.approx(1.5 - 0.6695)
    assert freed["bp"] is None and freed["ruwe"] == 1.0 and "rp" not in freed
