"""What services said in filters, orders, columns and blind mode."""

import pytest

from app.core import queue
from app.core.evidence.store import save
from app.core.queue.blind_filters import breaks_blind_mode
from app.core.queue.column_values import known_name
from app.core.queue.own_columns import own_columns, own_values
from app.core.queue.sorts import LIST_ORDER
from app.services.catalogues.answer import Match, answer_of, failed
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from tests.app.core.sessions import made

GAIA, SIMBAD = all_services()["gaia"], all_services()["simbad"]
HERE = Position(ra=10.0, dec=41.0)


def said(*values):
    """The answer with these matches, nearest first."""
    return answer_of([
        Match(values=each, separation_arcsec=0.25 + 0.5 * number)
        for number, each in enumerate(values)
    ])  # fmt: skip


@pytest.fixture
def session(location):
    with made(location, 6) as opened:
        save(opened, 1, GAIA, said({"bp_rp": 0.4, "g": 18}, {"bp_rp": 3.0}), None, HERE)
        save(opened, 2, GAIA, said({"bp_rp": 1.5, "g": None}), None, HERE)
        save(opened, 3, GAIA, answer_of([]), None, HERE)
        save(opened, 4, GAIA, failed("busy"), None, HERE)
        save(opened, 5, GAIA.changed(release="DR4"), said({"bp_rp": -0.2}), None, HERE)
        save(opened, 5, GAIA, said({"bp_rp": -0.1}), None, HERE)
        save(opened, 1, SIMBAD, said({"type": "CV*", "main_id": "V* AB Dra"}), None, HERE)
        save(opened, 2, SIMBAD, said({"type": "Star", "main_id": "a%b"}), None, HERE)
        yield opened


def test_filters(session):
    for text, ids in [
        ("gaia.bp_rp<0.5", [1, 5]), ("gaia.bp_rp>=1.5", [2]), ("gaia.bp_rp:0..2", [1, 2]),
        ("gaia.BP_RP=0.4", [1]), ("gaia.g=18", [1]), ("gaia.separation<1", [1, 2, 5]),
        ("not gaia.bp_rp<0.5", [2, 3, 4, 6]), ("simbad.type=CV*", [1]), ("simbad.type=cv*", [1]),
        ("simbad.type:ta", [2]), ("simbad.main_id:%", [2]), ("simbad.type!=Star", [1, 3, 4, 5, 6]),
        ("gaia=found", [1, 2, 5]), ("gaia=nothing", [3]), ("gaia:failed", [4]),
        ("gaia=unasked", [6]), ("gaia!=found", [3, 4, 6]), ("simbad=unasked gaia=found", [5]),
        ("own.gaia.bp_rp<0.5", [1, 5]),
    ]:  # fmt: skip
        tree = queue.parse_filter(text, [each.name for each in own_columns(session)])
        assert [row.candidate.id for row in queue.matching(session, tree)] == ids
        again = queue.parse_filter(queue.filter_text(tree))
        assert [row.candidate.id for row in queue.matching(session, again)] == ids


@pytest.mark.parametrize(
    ("text", "reason"),
    [("gaia.nonsense<1", "unknown field"), ("gaia.bp_rp<red", "needs a number"),
     ("gaia=maybe", "found, nothing, failed, unasked"), ("gaia<3", "takes only"),
     ("nobody.mag<3", "unknown field"), ("nobody=failed", "unknown field")],
)  # fmt: skip
def test_what_is_no_filter(text, reason):
    with pytest.raises(queue.FilterError, match=reason):
        queue.parse_filter(text)


def test_orders(session):
    for text, ids in [
        ("gaia.bp_rp", [5, 1, 2, 3, 4, 6]), ("gaia.bp_rp:down", [2, 1, 5, 3, 4, 6]),
        ("own.gaia.bp_rp:up", [5, 1, 2, 3, 4, 6]), ("simbad.type", [1, 2, 3, 4, 5, 6]),
    ]:  # fmt: skip
        sort = queue.parse_sort(text)
        assert [row.candidate.id for row in queue.matching(session, sort=sort)] == ids
        assert queue.parse_sort(queue.sort_text(sort)) == sort


def test_an_order_is_read_again_when_a_service_has_answered(session):
    from app.services.catalogues.answer import Exchange

    sort = queue.parse_sort("gaia.bp_rp")
    assert next(queue.matching(session, sort=sort)).candidate.id == 5
    reply = Exchange(url="https://example.org", asked_at="2026-11-26", content=b"x")
    save(session, 6, GAIA, said({"bp_rp": -3.0}), reply, HERE)
    assert next(queue.matching(session, sort=sort)).candidate.id == 6


def test_rows_have_the_values_for_the_table(session):
    rows = queue.page(session, with_values=True).rows
    assert queue.page(session).rows[0].evidence == {}  # not where nobody looks at it
    assert rows[0].value("gaia.bp_rp") == 0.4 and rows[0].value("simbad.type") == "CV*"
    assert rows[0].value("gaia.separation") == 0.25
    assert rows[2].value("gaia.bp_rp") is None and rows[2].evidence == {}


def test_columns_are_suggested_with_their_values(session):
    columns = {each.name: each.is_number for each in own_columns(session)}
    assert columns["gaia.bp_rp"] and columns["gaia.separation"] and columns["gaia.parallax_error"]
    assert not columns["simbad.type"]
    assert own_values(session, "simbad.type", "c", 5) == ("CV*",)
    assert "twomass.j" not in columns and known_name("twomass.j") == "twomass.j"


def test_without_services_there_are_no_columns(tmp_path):
    with made(tmp_path / "night.speco3", 3) as session:
        assert {each.name for each in own_columns(session)} == {"mine.subclass", "mine.velocity"}


@pytest.mark.parametrize(
    ("text", "is_hidden"),
    [("simbad.type=CV*", True), ("not simbad=found", True), ("gaia.bp_rp<1", False),
     ("gaia=found or simbad.references>3", True), ("own.mag<3", False)],
)  # fmt: skip
def test_blind_mode_hides_services_that_know_the_class(text, is_hidden):
    assert breaks_blind_mode(queue.parse_filter(text), LIST_ORDER) is is_hidden


def test_blind_mode_hides_their_orders():
    everything = queue.parse_filter("")
    assert breaks_blind_mode(everything, queue.parse_sort("simbad.type"))
    assert not breaks_blind_mode(everything, queue.parse_sort("gaia.bp_rp"))
