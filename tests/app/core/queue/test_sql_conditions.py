"""A filter shows what it means, and user input stays out of the SQL."""

from __future__ import annotations

from hypothesis import example, given, settings
from sqlalchemy import event

from app.core.queue import EVERYTHING, LIST_ORDER, UNJUDGED, Sort, combine, matching, parse_filter
from app.core.queue.filters import Anywhere, Flag, InList, Not, Number, OwnColumnFilter, Words
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.queue.trees import SORTS, TREES
from tests.app.core.sessions import made
from tests.night import examples

HOSTILE = "'); DROP TABLE candidates; --"


def found(session, tree=EVERYTHING, sort=LIST_ORDER):
    return [row.candidate.id for row in matching(session, tree, sort, at_once=37)]


@settings(max_examples=examples(100))
@given(tree=TREES, sort=SORTS)
@example(tree=Number("score", ">", 0.5), sort=Sort("score"))
@example(tree=combine(UNJUDGED, InList(2), Number("p_yes", "<=", 0.25)), sort=Sort("p_yes", True))
def test_a_filter_shows_what_it_means(seen, tree, sort):
    assert found(seen.session, tree, sort) == seen.numbers(tree, sort)


def test_the_same_for_another_reviewer_who_only_reads(file_scene):
    location = file_scene.session.location
    with open_session(location, "Ben", read_only=True) as session:
        for text in ("verdict:unjudged", "verdict:accept", "flag:star", "disagree:agent", "list:2"):
            for sort in (LIST_ORDER, Sort("score", True)):
                tree = parse_filter(text)
                assert found(session, tree, sort) == file_scene.numbers(tree, sort, "Ben")


def test_who_has_written_nothing_has_judged_nothing(file_scene):
    with open_session(file_scene.session.location, "Cem", read_only=True) as session:
        assert len(found(session, UNJUDGED)) == len(file_scene.known)
        for text in ("verdict:accept", "not verdict:unjudged", "flag:star", "confidence>=0"):
            assert found(session, parse_filter(text)) == []


def test_what_a_person_typed_is_never_part_of_a_statement(seen):
    statements = []

    def note(_connection, _cursor, statement, *_):
        statements.append(statement)

    trees = [
        Words("object", "=", HOSTILE),
        Words("comment", "contains", HOSTILE),
        OwnColumnFilter(HOSTILE, "=", HOSTILE),
        OwnColumnFilter(HOSTILE, "<", "3"),
        Flag(HOSTILE),
        Anywhere(HOSTILE),
    ]
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
