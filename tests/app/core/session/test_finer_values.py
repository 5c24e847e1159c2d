"""Sub-classes and fields as opinions and tables have them."""

from __future__ import annotations

import pytest

from app.core.errors import SessionError
from app.core.session.finer_values import (
    checked_values,
    common_subclass,
    field_values,
    most_specific,
    subclass_levels,
    values_from,
    values_text,
    with_value,
)
from app.core.session.records import Opinion, Verdict
from tests.app.core.sessions import made


def test_levels():
    assert subclass_levels("") == ()
    assert subclass_levels("DA/DAH") == ("DA", "DAH")
    assert most_specific("DA/DAH") == "DAH"


@pytest.mark.parametrize(
    ("paths", "common"),
    [
        (["DA/DAH", "DA/DAZ"], "DA"),
        (["DA/DAH", "DA"], "DA"),
        (["DA/DAH", ""], "DA/DAH"),
        (["DA", "DB"], ""),
        ([], ""),
    ],
)
def test_what_several_have_in_common(paths, common):
    assert common_subclass(paths) == common


def test_values_there_and_back():
    values = field_values({"b": 2, "a": "Hα", "c": True, "d": None, "e": False, "f": ""})
    assert values == (("a", "Hα"), ("b", 2.0), ("c", True))
    assert values_from(values_text(values)) == values
    assert values_text(()) == ""
    assert with_value(values, "b", None) == (("a", "Hα"), ("c", True))


@pytest.mark.parametrize("text", ["[]", "{}", "3", '{"a": [1]}', '{"a": null}', '{"a": NaN}', "{"])
def test_what_is_not_ours_is_refused(text):
    with pytest.raises((ValueError, SessionError)):
        values_from(text)


@pytest.mark.parametrize(
    "values", [(("a", float("inf")),), (("", 1.0),), (("b", 1.0), ("a", 1.0)), (("a", "x" * 1001),)]
)
def test_what_cannot_be_kept(values):
    with pytest.raises(SessionError):
        checked_values(values)


@pytest.mark.parametrize("path", ["DA/", "a/b/c/d/e", "x" * 25, "D\nA"])
def test_a_sub_class_is_checked_before_it_is_stored(tmp_path, path):
    with made(tmp_path / "a.speco3") as session, pytest.raises(SessionError):
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, subclass=path))


def test_they_are_kept_undone_and_redone(location):
    given = Opinion(verdict=Verdict.ACCEPT, subclass="DN/WZ Sge", fields=field_values({"q": 1.5}))
    with made(location) as session:
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
        session.record_verdict(1, given)
        assert session.judgement(1).opinion == given
        session.undo()
        assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT)
        session.redo()
        assert session.judgement(1).opinion == given
        assert [entry.opinion for entry in session.history()][1] == given
