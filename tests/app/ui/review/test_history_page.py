"""The log, newest first: page by page, with undo, and a click that goes to the object."""

import pytest
from PySide6.QtCore import Qt

from app.core.inspections.seen import BY_SCRIPT
from app.core.session.records import Opinion, Verdict
from app.core.session.session import PAGE, older_lines
from app.core.session.subclass_and_fields import field_values
from app.ui.review.history_page import HistoryPage
from tests.app.core.judged_sessions import A, R, say
from tests.app.core.sessions import change
from tests.app.ui.review.conftest import settled
from tests.app.ui.steps import click


def flip(session, times):
    """Record verdicts by Ada on the first candidate."""
    for number in range(times):
        say(session, "Ada", {1: A if number % 2 else R})


def test_what_happens_now_comes_on_top(qtbot, context, shown, session):
    page = shown(HistoryPage(context))
    assert page.empty.isVisible() and not page.table.isVisible()
    session.record_verdict(4, Opinion(verdict=Verdict.UNSURE))
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    assert rows(page)[0][3] == "? unsure" and not page.empty.isVisible()


@pytest.mark.parametrize("at", ["yesterday", "9999-12-31T23:59:59-23:59"])
def test_a_time_that_no_clock_here_shows_is_given_as_it_is(qtbot, context, shown, session, at):
    session.record_verdict(4, Opinion(verdict=Verdict.UNSURE))
    change(session, f"UPDATE log SET at = '{at}'")
    page = shown(HistoryPage(context))
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    assert rows(page)[0][0] == at[:19]


def test_older_lines_come_as_they_are_scrolled_to(qtbot, context, session, shown):
    flip(session, PAGE + 30)
    page = shown(HistoryPage(context))
    assert page.model.rowCount() == PAGE
    bar = page.table.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: page.model.rowCount() == PAGE + 30)
    numbers = [line.entry.id for line in page.model.rows]
    assert numbers == sorted(numbers, reverse=True) and len(set(numbers)) == PAGE + 30
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: page.model.rows[0].entry.candidate_id == 2)
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
    click(qtbot, page.undo)
    assert session.judgement(3) is None
    click(qtbot, page.redo)
    assert session.judgement(3).opinion.verdict is Verdict.ACCEPT
    qtbot.waitUntil(lambda: page.model.rowCount() == 3)


SEEN = {"verdict": "YES", "p_yes": 0.875, "model": "nano"}


def rows(page):
    model = page.model
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_every_line_tells_who_what_when_and_what_they_had_seen(qtbot, context, session, shown):
    say(session, "Li Wei", {2: R}, shown=BY_SCRIPT)
    opinion = Opinion(verdict=Verdict.ACCEPT, confidence=3, flags=("star",), comment="宽\nline")
    session.record_verdict(1, opinion, seconds=4.25, shown=SEEN)
    session.undo()
    page = shown(HistoryPage(context))
    undone, mine, theirs = rows(page)
    name = session.candidate(1).object_id
    assert undone[1:4] == ["Ada", name, "undone, now: not judged"]
    assert mine[1:] == [
        "Ada", name, "✓ accepted · probable · star", "4.2", "YES · 0.88 · nano", "宽 line"
    ]  # fmt: skip
    assert theirs[1] == "Li Wei" and theirs[3:6] == ["✕ rejected", "", "to a script, perhaps"]
    assert len(mine[0]) == len("2026-01-01 00:00:00")


def test_blind_mode_hides_what_others_had_been_shown(qtbot, context, session, shown):
    say(session, "Li Wei", {2: R}, shown=SEEN)
    say(session, "Ada", {1: A}, shown=SEEN)
    context.current.blind_mode.set_on(True)
    page = shown(HistoryPage(context))
    mine, theirs = rows(page)
    assert mine[5] == "YES · 0.88 · nano" and theirs[5] == "hidden in blind mode"
    context.current.blind_mode.set_on(False)
    qtbot.waitUntil(lambda: rows(page)[1][5] == "YES · 0.88 · nano")


def test_sub_classes_and_fields_are_told(qtbot, context, session, shown):
    fields = field_values({"ebv": 0.25, "seen": True})
    opinion = Opinion(verdict=Verdict.ACCEPT, subclass="DN/WZ Sge", fields=fields)
    session.record_verdict(1, opinion)
    (row,) = rows(shown(HistoryPage(context)))
    assert row[3] == "✓ accepted · DN › WZ Sge · ebv = 0.25 · seen = yes"
