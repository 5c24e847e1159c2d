"""Counts, pace and agreement of people on the page."""

from __future__ import annotations

from app.core.report.content import gather_content
from app.core.report.people_section import (
    agreement_section,
    counts_section,
    pace_section,
    subclass_section,
)
from app.core.session.records import Opinion
from app.core.session.session import open_session
from tests.app.core.judged_sessions import A, R, say
from tests.app.core.report.reading import Page, read
from tests.app.core.sessions import made


def test_counts_leave_out_what_there_is_none_of(location):
    with made(location, 4) as session:
        say(session, "Ada", {1: A, 2: A})
        items = Page(counts_section(gather_content(session, read).statistics)).text_of("li")
    assert [each.strip() for each in items] == ["accepted", "open"]


def test_one_person_alone_agrees_with_nobody(location):
    with made(location, 4) as session:
        assert pace_section(gather_content(session, read).statistics) is None
        say(session, "Ada", {1: A, 2: R})
        found = gather_content(session, read).statistics
    assert agreement_section(found) is None
    assert "Ada" in Page(pace_section(found)).text()


def test_two_people_have_a_row_and_a_matrix(location):
    with made(location, 6) as session:
        say(session, "Ada", {1: A, 2: R, 3: A})
        say(session, "Ben", {1: A, 2: R, 3: R})
        page = Page(agreement_section(gather_content(session, read).statistics))
    assert "Ada and Ben" in page.text()
    assert ("table", "class", "matrix") in page.attributes
    assert "67\u00a0%" in page.text()


def test_sub_classes_are_counted_and_compared(location):
    finer = Opinion(verdict=A, subclass="DN/WZ Sge")
    with made(location, 4, "Ben") as session:
        session.record_verdict(1, finer)
    with open_session(location, "Ada") as session:
        assert subclass_section(gather_content(session, read).statistics) is not None
        session.record_verdict(1, finer)
        session.record_verdict(2, Opinion(verdict=A, subclass="NL"))
        found = gather_content(session, read).statistics
    counts = Page(subclass_section(found)).text()
    assert "DN › WZ Sge" in counts and "NL" in counts
    agreed = Page(agreement_section(found)).text()
    assert "Ada and Ben, level 1" in agreed and "Ada and Ben, level 2" in agreed
