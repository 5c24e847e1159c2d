"""The log, newest first: page by page, with undo, and a click that goes to the object."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.core.session.log_pages import PAGE, older_lines
from app.core.session.records import Opinion, Verdict
from app.ui.review.history_page import HistoryPage
from tests.app.core.judged_sessions import A, R, say
from tests.app.ui.review.conftest import settled


def rows(page):
    model = page.model
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def flip(session, times):
    """Record verdicts by Ada on the first candidate."""
    for number in range(times):
        say(session, "Ada", {1: A if number % 2 else R})


def test_with_nothing_judged_it_says_so(qtbot, context, shown):
    page = shown(HistoryPage(context))
    assert page.empty.isVisible()
    assert not page.table.isVisible()


def test_what_happens_now_comes_on_top(qtbot, context, session, shown):
    page = shown(HistoryPage(context))
    session.record_verdict(4, Opinion(verdict=Verdict.UNSURE))
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    assert rows(page)[0][3] == "? unsure"
    assert not page.empty.isVisible()


def test_older_lines_come_as_they_are_scrolled_to(qtbot, context, session, shown):
    flip(session, PAGE + 30)
    page = shown(HistoryPage(context))
    assert page.model.rowCount() == PAGE
    bar = page.table.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: page.model.rowCount() == PAGE + 30)
    numbers = [line.entry.id for line in page.model.lines]
    assert numbers == sorted(numbers, reverse=True)
    assert len(set(numbers)) == PAGE + 30
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: page.model.lines[0].entry.candidate_id == 2)
    settled(qtbot, page)
    assert page.model.rowCount() >= PAGE + 30


def test_pages_of_the_log_meet_without_gap_or_overlap(session):
    flip(session, 25)
    first = older_lines(session, limit=10)
    second = older_lines(session, before=first[-1].entry.id, limit=100)
    assert [each.entry.id for each in (*first, *second)] == list(range(25, 0, -1))


def test_a_click_goes_to_the_object(qtbot, context, session, shown):
    say(session, "Ada", {3: A, 7: R})
    page = shown(HistoryPage(context))
    position = page.table.visualRect(page.model.index(1, 2)).center()
    qtbot.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=position)
    assert context.current.candidate.id == 3


def test_undo_and_redo_are_here_too(qtbot, context, session, shown):
    say(session, "Ada", {3: A})
    context.commands.add("undo", context.current.undo)
    context.commands.add("redo", context.current.redo)
    page = shown(HistoryPage(context))
    assert "Ctrl+Z" in page.undo.text()
    qtbot.mouseClick(page.undo, Qt.MouseButton.LeftButton)
    assert session.judgement(3) is None
    qtbot.mouseClick(page.redo, Qt.MouseButton.LeftButton)
    assert session.judgement(3).opinion.verdict is Verdict.ACCEPT
    qtbot.waitUntil(lambda: page.model.rowCount() == 3)
