"""What a filter can be about: flags and the lists' own columns, whatever a session holds."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import update

from app.core.database.tables import judgements, lists
from app.core.importing.importer import import_list
from app.core.queue import flags_in_use, own_columns, parse_filter
from app.core.queue.filters import OwnColumnFilter
from app.core.queue.in_use import ListColumnInUse
from app.core.session.records import Opinion
from app.core.session.session import open_session
from tests.app.core.sessions import made


def test_flags_the_most_used_first(place):
    with made(place, 6) as session:
        assert flags_in_use(session) == {}
        for number, flags in enumerate((("star",), ("star", "odd"), ("star",), ("宽 线",), ()), 1):
            session.record_verdict(number, Opinion(flags=flags, comment="seen"))
    with open_session(place, "Ben") as session:
        session.record_verdict(1, Opinion(flags=("odd",)))
        found = flags_in_use(session)
        assert list(found.items()) == [("star", 3), ("odd", 2), ("宽 线", 1)]
        session.record_verdict(1, Opinion())
        assert list(flags_in_use(session).values()) == [3, 1, 1]


def test_own_columns_of_all_lists(place, tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.ecsv"
    first.write_text("object_id,ra,dec,mag r,n\nJ1,1,2,17.5,3\n", encoding="utf-8")
    header = ["# %ECSV 1.0", "# ---", "# datatype:"]
    for name, kind in (("object_id", "string"), ("n", "int64"), ("pm", "float64")):
        unit = ", unit: mas/yr" if name == "pm" else ""
        header.append(f"# - {{name: {name}, datatype: {kind}{unit}}}")
    second.write_text("\n".join([*header, "object_id n pm", "J2 1 2.5", ""]), encoding="utf-8")
    with made(place, 0) as session:
        for path in (first, second):
            import_list(session, path)
        found = own_columns(session)
        assert found == (
            ListColumnInUse("mag r", "float"),
            ListColumnInUse("n", "int"),
            ListColumnInUse("pm", "float", "mas/yr"),
        )
        for column in found:  # as a person would write it
            assert parse_filter(f'own."{column.name}">1') == OwnColumnFilter(column.name, ">", "1")


@pytest.mark.parametrize(
    "told", ["", "[", "null", "3", '[1, "x", {"name": 7}, {"name": ""}]', "[" * 50_000]
)
def test_a_stranger_s_session(file_place, told):
    with made(file_place, 3) as session:
        session.record_verdict(1, Opinion(flags=("star",)))
        with session.database.writing() as connection:
            connection.execute(update(lists).values(roles=told, columns=told))
            connection.execute(update(judgements).values(flags=told))
        assert own_columns(session) == ()
        assert set(flags_in_use(session)) <= {"x"}
        with session.database.writing() as connection:
            columns = [{"name": "mag", "type": ["float"], "unit": 3}]
            connection.execute(update(lists).values(columns=json.dumps(columns)))
        assert own_columns(session) == (ListColumnInUse("mag", "str"),)
