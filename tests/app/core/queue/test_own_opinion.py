"""Sub-classes and own fields in filters, orders and columns, on a disk and on a server."""

import pytest

from app.core.queue import LIST_ORDER, filter_text, page, parse_filter, parse_sort
from app.core.queue.own_columns import OwnColumn, own_columns, own_values
from app.core.queue.sorts import sort_text
from app.core.session.own_fields import OwnField, set_own_fields
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.session.subclass_and_fields import field_values
from tests.app.core.sessions import made

FIELDS = (
    OwnField(name="ebv", kind="number"),
    OwnField(name="binary", kind="tick"),
    OwnField(name="remark", kind="text"),
)


def accepted(subclass="", **values):
    return Opinion(verdict=Verdict.ACCEPT, subclass=subclass, fields=field_values(values))


@pytest.fixture
def judged(location):
    with made(location, 8, "Ben") as ben:  # what others say is theirs
        ben.record_verdict(6, accepted("DN", ebv=0.5))
    with open_session(location, "Ada") as session:
        set_own_fields(session, FIELDS)
        for number, opinion in enumerate(
            (
                accepted("DN/WZ Sge", ebv=0.5),
                accepted("DN", ebv=0.25, binary=True),
                accepted("NL", remark="50 % Hα"),
                accepted(),
                Opinion(verdict=Verdict.REJECT, fields=field_values({"ebv": 3})),
            ),
            start=1,
        ):
            session.record_verdict(number, opinion)
        yield session


def ids(session, text="", sort=LIST_ORDER):
    names = [each.name for each in own_columns(session)]
    rows = page(session, parse_filter(text, names), sort).rows
    return [row.candidate.id for row in rows]


def test_filters(judged):
    for text, wanted in [
        ("subclass=DN", [1, 2]), ("subclass=dn", [1, 2]), ('subclass="WZ Sge"', [1]),
        ("subclass=D", []), ("subclass~n", [1, 2, 3]), ("subclass!=DN verdict:accept", [3, 4]),
        ("mine.subclass=NL", [3]), ("ebv=0.5", [1]), ("mine.ebv>0.3", [1, 5]),
        ("mine.ebv:0.2..0.6", [1, 2]), ("binary=yes", [2]),
        ("not binary=yes verdict:accept", [1, 3, 4]), ('remark~"50 %"', [3]),
        ("subclass=DN or ebv=3", [1, 2, 5]),
    ]:  # fmt: skip
        assert ids(judged, text) == wanted
        names = [each.name for each in own_columns(judged)]
        tree = parse_filter(text, names)
        assert parse_filter(filter_text(tree), names) == tree


def test_a_column_of_the_list_keeps_its_name():
    tree = parse_filter("subclass=A1V", ["subclass", "mine.subclass"])
    assert filter_text(tree) == "own.subclass=A1V"
    assert filter_text(parse_filter("mine.subclass=DA", ["subclass"])) == "own.mine.subclass=DA"


def test_orders_follow_what_is_said(judged):
    for text, wanted in [
        ("subclass:up", [2, 1, 3, 4, 5, 6, 7, 8]),
        ("subclass:down", [3, 1, 2, 4, 5, 6, 7, 8]),
        ("mine.ebv:down", [5, 1, 2, 3, 4, 6, 7, 8]),
    ]:
        sort = parse_sort(text)
        assert ids(judged, sort=sort) == wanted
        assert parse_sort(sort_text(sort)) == sort
    sort = parse_sort("subclass:up")
    assert ids(judged, sort=sort)[0] == 2
    judged.record_verdict(8, accepted("AM CVn"))
    assert ids(judged, sort=sort)[:2] == [8, 2]
    judged.undo()
    assert ids(judged, sort=sort)[0] == 2


def test_columns_and_their_values(judged):
    assert own_columns(judged) == (
        OwnColumn("mine.subclass", False), OwnColumn("mine.velocity", True),
        OwnColumn("mine.ebv", True), OwnColumn("mine.binary", False),
        OwnColumn("mine.remark", False),
    )  # fmt: skip
    first, second, *_ = page(judged, parse_filter("")).rows
    assert [first.value(name) for name in ("mine.subclass", "mine.ebv")] == ["WZ Sge", 0.5]
    assert [second.value(name) for name in ("mine.binary", "mine.remark")] == [True, None]
    assert own_values(judged, "mine.subclass", "D", 5) == ("DN", "DN/WZ Sge")
