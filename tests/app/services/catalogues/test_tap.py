"""Many positions in one question: answers by candidate, proper motion, and every fault."""

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from astropy.io.votable import from_table
from astropy.io.votable import parse as parse_votable
from astropy.table import MaskedColumn, Table

from app.services.catalogues.answer import State
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from app.services.catalogues.tap import match_positions, query
from app.services.catalogues.votable_reply import positions_table, rows_of
from app.services.web.errors import BadReply, ServiceError
from tests.app.services.fault_server import FAULTS, hurried

STARS = [
    {"RAJ2000": 10.0, "DEJ2000": 41.0, "Jmag": 12.5, "e_Jmag": 0.03, "Hmag": 12.0, "e_Hmag": None,
     "Kmag": 11.9, "e_Kmag": 0.02, "Qflg": "AUA"},
    {"RAJ2000": 10.0003, "DEJ2000": 41.0, "Jmag": 14.0, "e_Jmag": 0.1, "Hmag": 13.5, "e_Hmag": 0.1,
     "Kmag": 13.4, "e_Kmag": 0.1, "Qflg": "BBB"},
]  # fmt: skip


@pytest.fixture
def twomass(server):
    server.tables['"II/246/out"'] = STARS
    return replace(all_services()["twomass"].changed(url=server.url), per_second=10.0)


def test_each_position_has_its_own_answer_with_all_matches_nearest_first(server, client, twomass):
    asked = [Position(ra=10.0, dec=41.0), Position(ra=200.0, dec=-5.0)]
    answers, exchange = match_positions(twomass, client, asked)
    assert [answer.state for answer in answers] == [State.FOUND, State.NOTHING]
    first, second = answers[0].matches
    assert first.values["j"] == 12.5 and first.values["j_error"] == 0.03
    assert first.values["h_error"] is None and first.values["quality"] == "AUA"
    assert first.separation_arcsec == 0.0
    assert second.separation_arcsec == pytest.approx(0.815, abs=0.001)
    assert exchange.url == f"{server.url}/sync" and exchange.question == query(twomass)
    assert len(server.asked) == 1 and len(exchange.sha256) == 64


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_a_failure_with_a_reason_and_never_nothing_there(server, client, twomass, fault):
    server.always = fault
    with pytest.raises(ServiceError) as raised:
        match_positions(hurried(twomass, fault), client, [Position(ra=10.0, dec=41.0)])
    assert len(str(raised.value)) > 10


@pytest.mark.parametrize("fault", ["busy", "down", "hang up"])
def test_a_fault_that_passes_is_tried_again(server, client, twomass, fault):
    server.faults = [fault, fault]
    answers, _ = match_positions(twomass, client, [Position(ra=10.0, dec=41.0)])
    assert answers[0].state is State.FOUND
    assert len(server.asked) == 3


def test_an_object_that_moves_is_found_where_it_was_seen(server, client):
    """Barnard's star moves 10 arcsec a year: seen in 1999, known by the catalogue in 2016."""
    gaia = replace(all_services()["gaia"].changed(url=server.url), per_second=10.0)
    row = {each.column: None for each in gaia.columns}
    row |= {each.error: None for each in gaia.columns if each.error}
    row |= {"ra": 30.0, "dec": 10.0, "pmra": 0.0, "pmdec": 400.0, "parallax": 5.0}
    server.tables["gaiadr3.gaia_source"] = [row]
    seen = Position(ra=30.0, dec=10.0 - 17.0 * 0.4 / 3600.0, epoch=1999.0)
    (moved, resting), _ = match_positions(gaia, client, [seen, Position(ra=30.0, dec=10.0)])
    assert moved.state is State.FOUND and moved.matches[0].separation_arcsec < 0.01
    assert moved.matches[0].values["parallax"] == 5.0 and resting.state is State.FOUND
    elsewhere = Position(ra=30.0, dec=10.0 - 8.0 / 3600.0, epoch=2016.0)
    assert match_positions(gaia, client, [elsewhere])[0][0].state is State.NOTHING


# Tables of TAP services: every kind of cell, and what is no whole table.
def written(form: str) -> bytes:
    table = Table(
        {
            "n_": np.array([0, 1], dtype="int32"),
            "id": MaskedColumn(
                [5853498713190525696, 0], mask=[False, form != "binary"], dtype="int64"
            ),
            "mag": np.array([12.25, np.nan]),
            "small": np.array([0.1, 0.2], dtype="float32"),
            "name": ["V* AM Her", ""],
        }
    )
    stream = BytesIO()
    from_table(table).to_xml(stream, tabledata_format=form)
    return stream.getvalue()


@pytest.mark.parametrize("form", ["tabledata", "binary", "binary2"])
def test_numbers_texts_and_what_is_missing(form):
    first, second = rows_of(written(form), ["n_", "id", "mag", "small", "name"])
    assert first["id"] == 5853498713190525696 and first["mag"] == 12.25
    assert first["small"] == pytest.approx(0.1) and first["name"] == "V* AM Her"
    assert second["n_"] == 1 and second["mag"] is None and second["name"] is None


@pytest.mark.parametrize("form", ["tabledata", "binary", "binary2"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_half_a_table_is_no_answer(form, share):
    content = written(form)
    with pytest.raises(BadReply):
        list(rows_of(content[: int(share * len(content))], ["n_"]))


@pytest.mark.parametrize("content", [b"", b"  ", b"<html>", b"%PDF", b"<?xml version='1.0'?><a/>"])
def test_what_is_no_table_is_named(content):
    with pytest.raises(BadReply):
        list(rows_of(content, ["n_"]))


def test_what_we_upload_is_read_by_astropy():
    sent = positions_table([(10.123456789, -5.5), (359.9, 89.0)])
    table = parse_votable(BytesIO(sent)).get_first_table().to_table()
    assert table["ra"].tolist() == [10.123456789, 359.9] and table["n"].tolist() == [0, 1]
    assert table["dec"].unit == "deg"
