"""The cells of the queue table."""

from __future__ import annotations

from app.core.inspections.store import mark_fault
from app.core.session.records import Opinion, Verdict
from app.ui.queue.queue_model import AGENT, FLAGS, P_COMBINED, P_YES, SCORE, VERDICT
from tests.app.ui.opinions import give_opinion
from tests.app.ui.queue.conftest import on_screen


def test_a_verdict_shows_by_mark_and_word(qtbot, panel, context, session):
    opinion = Opinion(verdict=Verdict.REJECT, flags=("star", "sky"))
    session.record_verdict(4, opinion)
    qtbot.waitUntil(lambda: on_screen(panel)[3][VERDICT] == "✕ rejected")
    assert on_screen(panel)[3][FLAGS] == "★ sky"
    assert not panel.table.isColumnHidden(FLAGS)
    session.undo()
    qtbot.waitUntil(lambda: on_screen(panel)[3][VERDICT] == "")


def test_a_fault_shows(qtbot, panel, session):
    mark_fault(session, 3, "no such file")
    qtbot.waitUntil(lambda: on_screen(panel)[2][VERDICT] == "! broken")


def test_only_columns_in_which_something_stands(qtbot, panel, session):
    hidden = [column for column in range(8) if panel.table.isColumnHidden(column)]
    assert hidden == [SCORE, AGENT, P_YES, P_COMBINED, FLAGS]
    give_opinion(session, 2, "YES", 0.87)
    qtbot.waitUntil(lambda: not panel.table.isColumnHidden(AGENT))
    assert on_screen(panel)[1][AGENT : P_YES + 1] == ["YES", "0.87"]
