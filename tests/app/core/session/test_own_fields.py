"""The definitions of a session's own fields."""

import pytest

from agent.errors import ResourceError
from app.core.errors import SessionError
from app.core.session.own_fields import (
    FACT,
    OwnField,
    checked_fields,
    field_from,
    own_fields,
    read_fields,
    set_own_fields,
    value_of,
)
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.session.subclass_and_fields import (
    checked_values,
    common_subclass,
    field_values,
    most_specific,
    subclass_levels,
    values_from,
    values_text,
    with_value,
)
from app.core.sharing import merge
from tests.app.core.sessions import ACCEPT, made

QUALITY = OwnField(name="quality", kind="choice", choices=("good", "poor"), key="J")


def test_they_stay_in_the_session(location):
    fields = (QUALITY, OwnField(name="ebv", kind="number", title="E(B−V)", unit="mag"))
    with made(location) as session:
        assert own_fields(session) == ()
        set_own_fields(session, fields)
        assert own_fields(session) == fields
    with open_session(location, "Ben") as session:
        assert own_fields(session) == fields


@pytest.mark.parametrize(("text", "field"), [
    ("quality:choice:good, poor:j", QUALITY),
    ("ebv:number", OwnField(name="ebv", kind="number")),
    ("binary:tick:shift+q", OwnField(name="binary", kind="tick", key="Shift+Q")),
])  # fmt: skip
def test_written_on_the_command_line(text, field):
    assert checked_fields([field_from(text)]) == (field,)


@pytest.mark.parametrize(
    "text", ["quality", "q:colour", "q:tick:5:6", "Q:tick", "q:choice", "q:tick:F2"]
)
def test_what_is_no_field(text):
    with pytest.raises(SessionError):
        checked_fields([field_from(text)])


def test_a_file(tmp_path):
    path = tmp_path / "fields.toml"
    path.write_text(
        '[[fields]]\nname = "quality"\nkind = "choice"\nchoices = ["good", "poor"]\nkey = "j"\n'
    )
    assert read_fields(path) == (QUALITY,)
    path.write_text('[[fields]]\nname = "verdict"\nkind = "tick"\n')
    with pytest.raises(ResourceError, match=r"fields.toml: 'verdict' is not the name"):
        read_fields(path)


def test_a_strangers_fact_defines_nothing(tmp_path):
    with made(tmp_path / "a.speco3") as session:
        for fact in [
            "{", "[1]", '[{"name": "a"}]', '[{"name": "a", "kind": "tick", "x": 1}]', '{"a": 1}',
        ]:  # fmt: skip
            session.set_fact(FACT, fact)
            assert own_fields(session) == ()


def test_a_merge_adds_those_of_the_other(tmp_path):
    other = OwnField(name="seen", kind="tick", key="J")
    with made(tmp_path / "a.speco3") as ada, made(tmp_path / "b.speco3", 5, "Ben") as ben:
        set_own_fields(ada, [QUALITY])
        set_own_fields(ben, [OwnField(name="quality", kind="number"), other])
        merge(ada, ben)
        assert own_fields(ada) == (QUALITY, OwnField(name="seen", kind="tick"))
    with open_session(tmp_path / "a.speco3", "Ada") as session:
        assert len(own_fields(session)) == 2


@pytest.mark.parametrize(("kind", "text", "value"), [
    ("number", " 2.5 ", 2.5), ("text", "a  b", "a b"), ("tick", "yes", True),
    ("tick", "no", None),
])  # fmt: skip
def test_typed_values(kind, text, value):
    assert value_of(OwnField(name="x", kind=kind), text) == value


@pytest.mark.parametrize(("kind", "text"), [("number", "inf"), ("number", "x"), ("tick", "maybe")])
def test_typed_values_that_are_none(kind, text):
    with pytest.raises(SessionError):
        value_of(OwnField(name="x", kind=kind), text)


# Sub-classes and fields as opinions and tables have them.
def test_levels_and_values_there_and_back_but_no_two_of_one_name():
    assert subclass_levels("") == ()
    assert subclass_levels("DA/DAH") == ("DA", "DAH")
    assert most_specific("DA/DAH") == "DAH"
    values = field_values({"b": 2, "a": "Hα", "c": True, "d": None, "e": False, "f": ""})
    assert values == (("a", "Hα"), ("b", 2.0), ("c", True))
    assert values_from(values_text(values)) == values
    assert values_text(()) == ""
    assert with_value(values, "b", None) == (("a", "Hα"), ("c", True))
    for twice in ([QUALITY, QUALITY], [QUALITY, OwnField(name="other", kind="tick", key="J")]):
        with pytest.raises(SessionError, match="two fields"):
            checked_fields(twice)


@pytest.mark.parametrize(("paths", "common"), [
    (["DA/DAH", "DA/DAZ"], "DA"), (["DA/DAH", "DA"], "DA"), (["DA/DAH", ""], "DA/DAH"),
    (["DA", "DB"], ""), ([], ""),
])  # fmt: skip
def test_what_several_have_in_common(paths, common):
    assert common_subclass(paths) == common


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


def test_a_sub_class_is_checked_before_it_is_stored(tmp_path):
    with made(tmp_path / "a.speco3") as session:
        for path in ("DA/", "a/b/c/d/e", "x" * 25, "D\nA"):
            with pytest.raises(SessionError):
                session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, subclass=path))


def test_they_are_kept_undone_and_redone(location):
    given = Opinion(verdict=Verdict.ACCEPT, subclass="DN/WZ Sge", fields=field_values({"q": 1.5}))
    with made(location) as session:
        session.record_verdict(1, ACCEPT)
        session.record_verdict(1, given)
        assert session.judgement(1).opinion == given
        session.undo()
        assert session.judgement(1).opinion == ACCEPT
        session.redo()
        assert session.judgement(1).opinion == given
        assert [entry.opinion for entry in session.history()][1] == given
