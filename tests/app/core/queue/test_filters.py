"""Invalid filters are refused; filters are combined without duplicates."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from agent.tasks.catalogue import find_task
from app.core.queue import (
    EVERYTHING,
    LIST_ORDER,
    UNJUDGED,
    FilterError,
    Sort,
    combine,
    filter_text,
    matching,
    page,
    parse_filter,
)
from app.core.queue import walk as walking
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
    checked,
)
from app.core.queue.own_columns import own_columns, own_values
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from tests.app.core.queue.query_plans import FULL_SCAN, SCORE, explained
from tests.app.core.queue.scenes import SORTS, TREES
from tests.app.core.sessions import made
from tests.night import examples


@pytest.mark.parametrize("make", [
    lambda: Number("p_yes", "<", float("nan")),
    lambda: Number("p_yes", "<", float("inf")),
    lambda: Number("sql", "<", 1.0),
    lambda: Number("snr", "contains", 1.0),
    lambda: OwnColumnFilter("mag", "<", "bright"),
    lambda: OwnColumnFilter("mag", "is", "1"),
    lambda: OwnColumnFilter("", "=", "1"),
    lambda: Words("object", "=", "a\0b"),
    lambda: Words("object", "<", "a"),
    lambda: Words("own", "=", "a"),
    lambda: Anywhere("x" * 201),
    lambda: Anywhere("\n"),
    lambda: AgentVerdict("YES"),
    lambda: InList(0),
    lambda: InList(2**40),
    lambda: checked(And(())),
    lambda: checked(Or((MyVerdict(None),) * 65)),
])  # fmt: skip
def test_filters_that_cannot_be(make):
    with pytest.raises(FilterError):
        make()


def test_a_filter_nested_too_deep_and_both_of_one():
    tree = UNJUDGED
    for _ in range(40):
        tree = Not(tree)
    with pytest.raises(FilterError, match="deep"):
        checked(tree)
    assert combine() == EVERYTHING
    assert combine(EVERYTHING, UNJUDGED) == UNJUDGED
    assert combine(And((UNJUDGED, Flag("a"))), Flag("b")) == And((UNJUDGED, Flag("a"), Flag("b")))


# Filters as people type them: understood, or refused in words at the right place.
A, B, C = Flag("a"), Flag("b"), Flag("c")
SHA = "0123456789abcdef" * 4


@pytest.mark.parametrize(("text", "tree"), [
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
    ("disagree:members", Disagree("members")),
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
                UNJUDGED, Number("p_yes", ">", 0.5), Number("snr", ">=", 10.0), Flag("star"),
                OwnColumnFilter("mag_r", "<", "18"), Anywhere("binary"),
            )
        ),
    ),
])  # fmt: skip
def test_what_people_type(text, tree):
    assert parse_filter(text) == tree


@pytest.mark.parametrize(("text", "message", "position"), [
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
])  # fmt: skip
def test_what_is_refused(text, message, position):
    with pytest.raises(FilterError, match=message) as refused:
        parse_filter(text)
    if position is not None:
        assert refused.value.position == position


COLUMNS = ("my_class", "Mag", "mag", "spectral type", "snr", "g-r", "Period")


@pytest.mark.parametrize(("text", "tree"), [
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
])  # fmt: skip
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


# A filter written as text is read back unchanged.
@given(TREES)
def test_a_filter_is_read_back(tree):
    text = filter_text(tree)
    if "id>0" not in text:  # how "everything" is written inside something else
        assert parse_filter(text) == tree
    assert filter_text(parse_filter(text)) == filter_text(parse_filter(filter_text(tree)))


# Rare candidates are found by an index of their own.
@pytest.mark.parametrize("text", [
    "verdict:accept", "not verdict:unjudged", "any:reject", "agent:yes", "flag:star",
    "has:flag", "comment:binary", "has:comment", "has:fault", "fault:file", "object=J000007",
    "p_yes>0.9", "snr>20", "score<0", "disagree:agent", "disagree:agents", "disagree:members",
    "disagree:people",
    "verdict:accept or flag:star", "own.class=star verdict:accept",
])  # fmt: skip
def test_rare_ones_are_gathered_by_an_index(planned_session, text, monkeypatch):
    monkeypatch.setattr(walking, "MAX_GATHERED", 5000)
    tree = parse_filter(text)
    page(planned_session, tree, SCORE)
    with explained(planned_session) as plans:
        page(planned_session, tree, SCORE)
    assert any("few" in statement for statement, _ in plans)
    for statement, steps in plans:
        assert not any(map(FULL_SCAN.match, steps)), (statement, steps)
        # What is put in order are few, and the order's own index stays out of it.
        if any("TEMP B-TREE FOR ORDER BY" in step for step in steps):
            assert any(step.startswith("SCAN few") for step in steps), (statement, steps)


# The list's own columns: which there are, and what stands in them.
def test_names_and_kinds_of_columns(seen):
    found = {each.name: each.is_number for each in own_columns(seen.session)}
    of_list = {"mag r": True, "class": False, "seen": False, 'odd "na.me': False}
    assert found == of_list | {"mine.subclass": False, "mine.velocity": True}
    assert own_values(seen.session, "colour", "", 12) == ()


def test_a_session_without_candidates_has_none(tmp_path):
    with new_session(tmp_path / "a", find_task("CV"), "Ada") as session:
        assert own_columns(session) == ()
        assert own_values(session, "class", "", 5) == ()


@pytest.mark.parametrize("beginning", ["", "s", "GAL"])
def test_values_that_begin_so_the_most_frequent_first(seen, beginning):
    values = [str(each.own["class"]) for each in seen.known if each.own.get("class") is not None]
    begin = {each for each in values if each.lower().startswith(beginning.lower())}
    found = own_values(seen.session, "class", beginning, 12)
    assert set(found) == begin
    counts = [values.count(each) for each in found]
    assert counts == sorted(counts, reverse=True)
    assert len(own_values(seen.session, "class", beginning, 1)) == 1


# A filter shows what it means, and user input stays out of the SQL.
HOSTILE = "'); DROP TABLE candidates; --"


def found(session, tree=EVERYTHING, sort=LIST_ORDER):
    return [row.candidate.id for row in matching(session, tree, sort, at_once=37)]


@settings(max_examples=examples(100))
@given(tree=TREES, sort=SORTS)
@example(tree=Number("score", ">", 0.5), sort=Sort("score"))
@example(tree=combine(UNJUDGED, InList(2), Number("p_yes", "<=", 0.25)), sort=Sort("p_yes", True))
def test_a_filter_shows_what_it_means(seen, tree, sort):
    assert found(seen.session, tree, sort) == seen.numbers(tree, sort)


def test_the_same_for_others_who_only_read(file_scene):
    location = file_scene.session.location
    with open_session(location, "Ben", read_only=True) as session:
        for text in ("verdict:unjudged", "verdict:accept", "flag:star", "disagree:agent", "list:2"):
            for sort in (LIST_ORDER, Sort("score", True)):
                tree = parse_filter(text)
                assert found(session, tree, sort) == file_scene.numbers(tree, sort, "Ben")
    with open_session(file_scene.session.location, "Cem", read_only=True) as session:
        assert len(found(session, UNJUDGED)) == len(file_scene.known)
        for text in ("verdict:accept", "not verdict:unjudged", "flag:star", "confidence>=0"):
            assert found(session, parse_filter(text)) == []


def test_what_a_person_typed_is_never_part_of_a_statement(seen):
    statements = []

    def note(_connection, _cursor, statement, *_):
        statements.append(statement)

    trees = [
        Words("object", "=", HOSTILE), Words("comment", "contains", HOSTILE),
        OwnColumnFilter(HOSTILE, "=", HOSTILE), OwnColumnFilter(HOSTILE, "<", "3"), Flag(HOSTILE),
        Anywhere(HOSTILE),
    ]  # fmt: skip
    with seen.session.database.reading() as connection:
        engine = connection.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        for tree in trees:
            assert found(seen.session, tree) == []
            assert len(found(seen.session, Not(tree))) == len(seen.known)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert len(statements) > len(trees)
    assert not any("DROP" in statement for statement in statements)


def test_a_verdict_is_seen_at_once(tmp_path):
    with made(tmp_path / "a.speco3", 8) as session:
        session.record_verdict(3, Opinion(verdict=Verdict.REJECT, flags=("star",)))
        assert found(session, UNJUDGED) == [1, 2, 4, 5, 6, 7, 8]
        assert found(session, parse_filter("verdict:reject flag:star")) == [3]
        session.undo()
        assert found(session, UNJUDGED, Sort("score")) == [1, 2, 3, 4, 5, 6, 7, 8]
        assert found(session, Flag("star")) == []
