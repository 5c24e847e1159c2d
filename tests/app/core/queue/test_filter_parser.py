"""Filters as people type them: understood, or refused in words at the right place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.queue import EVERYTHING, UNJUDGED, FilterError, filter_text, parse_filter
from app.core.queue.filters import (
    AgentVerdict,
    And,
    AnyVerdict,
    Anywhere,
    Disagree,
    Flag,
    Has,
    InList,
    InspectedBy,
    MyVerdict,
    Not,
    Number,
    Or,
    OwnColumnFilter,
    Words,
)
from app.core.session.records import Verdict

A, B, C = Flag("a"), Flag("b"), Flag("c")
SHA = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", EVERYTHING),
        ("   ", EVERYTHING),
        ("verdict:unjudged", UNJUDGED),
        ("Verdict:ACCEPT", MyVerdict(Verdict.ACCEPT)),
        ("verdict!=reject", Not(MyVerdict(Verdict.REJECT))),
        ("any:none", AnyVerdict(None)),
        ("agent:yes", AgentVerdict("yes")),
        ("p_yes>0.5", Number("p_yes", ">", 0.5)),
        ("snr >= 10", Number("snr", ">=", 10.0)),
        ("dec<-5.5e0", Number("dec", "<", -5.5)),
        ("score!=0", Not(Number("score", "=", 0.0))),
        ("p_yes:0.2..0.8", And((Number("p_yes", ">=", 0.2), Number("p_yes", "<=", 0.8)))),
        ("snr:5", Number("snr", "=", 5.0)),
        ("object:J12", Words("object", "contains", "J12")),
        ('comment~"a \\"b\\" \\\\"', Words("comment", "contains", 'a "b" \\')),
        ("label=CV", Words("label", "=", "CV")),
        ("own.mag_r<18", OwnColumnFilter("mag_r", "<", "18")),
        ("own.星等:亮", OwnColumnFilter("星等", "contains", "亮")),
        ('own."mag r" = 17.5', OwnColumnFilter("mag r", "=", "17.5")),
        (
            "own.mag:14..15",
            And((OwnColumnFilter("mag", ">=", "14"), OwnColumnFilter("mag", "<=", "15"))),
        ),
        ('own.mag:"14..15"', OwnColumnFilter("mag", "contains", "14..15")),
        ("own.class!=STAR", Not(OwnColumnFilter("class", "=", "STAR"))),
        ("flag:star", Flag("star")),
        ("disagree:people", Disagree("people")),
        ("has:fault", Has("fault")),
        ("list:2", InList(2)),
        ("inspected:nano", InspectedBy("nano")),
        (f'inspected:"my model#{SHA}"', InspectedBy("my model", SHA)),
        ('"a binary"', Anywhere("a binary")),
        ("J0123", Anywhere("J0123")),
        ("flag:a flag:b", And((A, B))),
        ("flag:a AND flag:b", And((A, B))),
        ("flag:a flag:b or flag:c", Or((And((A, B)), C))),
        ("flag:a (flag:b or flag:c)", And((A, Or((B, C))))),
        ("not flag:a flag:b", And((Not(A), B))),
        ("-flag:a", Not(A)),
        ("-(flag:a flag:b)", Not(And((A, B)))),
        ("not not flag:a", Not(Not(A))),
        ('flag:"and" or flag:or', Or((Flag("and"), Flag("or")))),
        ('"verdict:accept"', Anywhere("verdict:accept")),
        (
            'verdict:unjudged p_yes>0.5 snr>=10 flag:star own.mag_r<18 "binary"',
            And(
                (
                    UNJUDGED,
                    Number("p_yes", ">", 0.5),
                    Number("snr", ">=", 10.0),
                    Flag("star"),
                    OwnColumnFilter("mag_r", "<", "18"),
                    Anywhere("binary"),
                )
            ),
        ),
    ],
)
def test_what_people_type(text, tree):
    assert parse_filter(text) == tree


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("snr>10 colour:blue", "unknown field 'colour'.*verdict.*own.COLUMN", 7),
        ("verdict:maybe", "accept, reject, unsure or unjudged", 0),
        ("verdict>accept", "takes only : or !=", 0),
        ("agent:sure", "agent: takes yes, no", 0),
        ("snr>bright", "snr is compared with a number, not 'bright'", 0),
        ("snr>nan", "a number", 0),
        ("snr>1e999", "a number", 0),
        ("snr~3", "snr is a number", 0),
        ("label<CV", "label takes", 0),
        ("own.mag<faint", "needs a number", 0),
        ("own.mag", "needs = != <", 0),
        ("snr>", "a value is missing after snr>", 3),
        ("snr > > 3", "a value is missing after snr>", 4),
        ("(flag:a", r"this \( has no matching", 0),
        ("flag:a)", r"this \) has no matching", 6),
        ("flag:a or", "a condition is missing", 9),
        ("or flag:a", "unexpected 'or'", 0),
        ("flag:a and and flag:b", "unexpected 'and'", 11),
        ('flag:a "binary', 'a " has no matching', 7),
        ("()", r"unexpected '\)'", 1),
        ("=3", "unexpected '='", 0),
        ("list:two", "by its number", 0),
        ("list:99999999999", "by its number", 0),
        ('""', "1 to 200 characters", 0),
        ('flag:"a\nb"', "cannot be printed", 0),
        ("\0", "cannot be printed", 0),
        ("object:" + "x" * 300, "1 to 200 characters", 0),
        ("(" * 50 + "flag:a" + ")" * 50, "deep", None),
        ("-" * 1900, "deep", None),
        ("not " * 400 + "flag:a", "deep", None),
        ("flag:a " * 100, "at most 64", None),
        ("x" * 2001, "at most 2000", None),
    ],
)
def test_what_is_refused(text, message, position):
    with pytest.raises(FilterError, match=message) as refused:
        parse_filter(text)
    if position is not None:
        assert refused.value.position == position


COLUMNS = ("my_class", "Mag", "mag", "spectral type", "snr", "g-r", "Period")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("my_class:CV", OwnColumnFilter("my_class", "contains", "CV")),
        ("MY_CLASS=CV", OwnColumnFilter("my_class", "=", "CV")),
        ("period<0.1", OwnColumnFilter("Period", "<", "0.1")),
        ("mag<18", OwnColumnFilter("mag", "<", "18")),
        ("Mag<18", OwnColumnFilter("Mag", "<", "18")),
        ("g-r>0.5", OwnColumnFilter("g-r", ">", "0.5")),
        ("-my_class:CV", Not(OwnColumnFilter("my_class", "contains", "CV"))),
        ("my_class!=CV", Not(OwnColumnFilter("my_class", "=", "CV"))),
        ('"spectral type":M', OwnColumnFilter("spectral type", "contains", "M")),
        ("snr>10", Number("snr", ">", 10.0)),
        ("own.snr>10", OwnColumnFilter("snr", ">", "10")),
        ("my_class", Anywhere("my_class")),
        ('"spectral type"', Anywhere("spectral type")),
    ],
)
def test_columns_of_the_list_need_no_prefix(text, tree):
    """A built-in field wins; `own.` still reaches a column of its name."""
    assert parse_filter(text, COLUMNS) == tree


@pytest.mark.parametrize("text", ["MAG<18", "clas:CV"])
def test_a_wrong_name_is_told_which_columns_there_are(text):
    with pytest.raises(FilterError, match=r"unknown field.*columns of the list: my_class, Mag"):
        parse_filter(text, COLUMNS)


PIECES = st.sampled_from(
    [
        *("verdict", "snr", "own.", "own.x", "and", "or", "not", "-", "(", ")", ":", "=", "<"),
        *('"', "\\", " ", "0.5", "accept", "1..2", "..", "#", "星", "\0", "\ud800", "'", "%"),
        *("~", "!", "!="),
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=25).map("".join)))
def test_anything_at_all_is_a_filter_or_told_why_not(text):
    try:
        tree = parse_filter(text)
    except FilterError as refusal:
        assert "\n" not in str(refusal)
        assert refusal.position is None or 0 <= refusal.position <= len(text)
    else:
        assert parse_filter(filter_text(tree)) == tree or "id>0" in filter_text(tree)
