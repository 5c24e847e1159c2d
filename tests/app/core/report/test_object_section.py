"""Accepted objects and disagreements on the page."""

from __future__ import annotations

from app.core.report.content import gather_content
from app.core.report.object_section import cards_section, disagreement_section
from tests.app.core.judged_sessions import A, R, inspect, say
from tests.app.core.report.reading import Page, broken, read
from tests.app.core.sessions import made


def test_nothing_accepted_and_nothing_disputed_gives_no_section(location):
    with made(location, 2) as session:
        content = gather_content(session, read)
    assert cards_section(content) is None and disagreement_section(content) is None


def test_accepted_objects_are_drawn_or_say_why_not(location):
    with made(location, 2) as session:
        say(session, "Ada", {1: A})
        drawn = Page(cards_section(gather_content(session, read)))
        failed = Page(cards_section(gather_content(session, broken)))
    assert drawn.tags.count("svg") == 1 and "All 1." in drawn.text()
    assert failed.tags.count("svg") == 0 and "could not be read: cut short" in failed.text()


def test_both_kinds_of_disagreement(location):
    with made(location, 3) as session:
        inspect(session, "nano", {2: ("NO", 0.1)})
        say(session, "Ada", {1: A, 2: A})
        say(session, "Ben", {1: R})
        text = Page(disagreement_section(gather_content(session, read))).text()
    assert "Between people: 1, 1 of them not settled" in text
    assert "Ada ACCEPT" in text and "Ben REJECT" in text
    assert "Between people and agent, most confident agent first: 1 shown" in text
    assert "NO, p(YES) 0.1" in text
