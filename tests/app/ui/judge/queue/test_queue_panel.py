"""The queue panel: cells, the current row, the widths of columns, and the order that learns."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from sqlalchemy import update

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.inspections.store import mark_fault
from app.core.queue import EVERYTHING, LIST_ORDER, matching_ids, parse_sort
from app.core.queue.learned_orders import learned_so
from app.core.session.records import Change, Opinion, Verdict
from app.core.session.session import new_session
from app.core.similar.index import build_some, index_of
from app.ui.judge.queue import columns, queue_panel
from app.ui.judge.queue.columns import AGENT, FLAGS, OBJECT, P_YES, SCORE, SNR, VERDICT
from app.ui.judge.queue.queue_panel import FindBox, QueuePanel
from app.ui.widgets.candidate_table import CELL, PAD
from tests.app.ui.conftest import opened_context
from tests.app.ui.judge.queue.conftest import (
    LEFT,
    click,
    current_rows,
    fill,
    names,
    objects,
    on_screen,
    type_filter,
)
from tests.app.ui.steps import give_opinion, show_painted, shown_in
from tests.processes import LONG_S


def test_one_goes_where_one_clicks_and_enters(qtbot, panel, context, session):
    assert names(panel) == objects(session, range(1, 13)) and current_rows(panel) == [0]
    assert panel.card.note.text() == "12"
    context.current.go_to(9)
    assert current_rows(panel) == [8]
    click(qtbot, panel, 5)
    assert context.current.candidate.id == 6
    click(qtbot, panel, 2, SNR)
    assert context.current.candidate.id == 3
    click(qtbot, panel, 5)
    context.current.set_confidence(3)
    moved = []
    context.current.candidate_changed.connect(moved.append)
    position = panel.table.visualRect(panel.model.index(5, OBJECT)).center()
    qtbot.mouseDClick(panel.table.viewport(), LEFT, pos=position)
    qtbot.mouseRelease(panel.table.viewport(), LEFT, pos=position)
    assert (moved, context.current.opinion.confidence) == ([], 3)
    context.current.go_to(1)
    panel.table.setFocus()
    panel.table.setCurrentIndex(panel.model.index(4, 0))
    qtbot.keyClick(panel.table, Qt.Key.Key_A)
    assert context.current.candidate.id == 1
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert context.current.candidate.id == 5
    context.current.go_to(4)
    panel.table.setFocus()
    qtbot.waitUntil(panel.table.hasFocus)
    assert panel.table.focused_row == 3
    context.current.go_to(8)
    assert panel.table.focused_row == 7


@pytest.mark.parametrize("width", [314, 340, 500])
def test_names_are_whole_before_words_of_verdicts(qtbot, panel, context, session, width):
    """In a narrow panel verdicts are marks and numbers are hidden; tooltips say everything."""
    for number, verdict in ((1, Verdict.ACCEPT), (2, Verdict.REJECT)):
        give_opinion(session, number, "YES", 0.93)
        session.record_verdict(number, Opinion(verdict=verdict))
    panel.resize(width, 400)
    model, table = panel.model, panel.table
    qtbot.waitUntil(lambda: AGENT in model.used and model.longest_name.startswith("SIM J"))
    metrics = QFontMetrics(table.font())
    names = [model.index(row, OBJECT).data() for row in range(model.rowCount())]
    widest = max(map(metrics.horizontalAdvance, names))
    assert table.columnWidth(OBJECT) >= widest + 2 * PAD
    assert not table.horizontalScrollBar().isVisible()
    is_brief = width < 500
    qtbot.waitUntil(lambda: model.index(1, VERDICT).data() == "✕ rejected")
    drawn = [model.index(row, VERDICT).data(CELL).text for row in (0, 1)]
    assert drawn == (["✓", "✕"] if is_brief else ["✓ accepted", "✕ rejected"])
    assert model.index(0, VERDICT).data() == "✓ accepted"
    assert "✓ accepted" in model.index(0, VERDICT).data(Qt.ItemDataRole.ToolTipRole)
    assert table.isColumnHidden(SNR) == is_brief
    panel.resize(600, 400)
    qtbot.waitUntil(lambda: model.index(0, VERDICT).data(CELL).text == "✓ accepted")


def test_flags_leave_room_for_names(qtbot, panel, context, session):
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, flags=("velocity", "noisy")))
    panel.resize(320, 400)
    qtbot.waitUntil(lambda: not panel.table.isColumnHidden(FLAGS))
    assert panel.table.columnWidth(OBJECT) > panel.table.columnWidth(FLAGS)
    assert not panel.table.horizontalScrollBar().isVisible()


def test_an_empty_session_has_words_until_a_list_comes(qtbot, tmp_path):
    with (
        new_session(tmp_path / "empty", find_task("CV"), "Ada") as session,
        opened_context(session) as context,
    ):
        panel = shown_in(qtbot, QueuePanel(context))
        qtbot.waitUntil(panel.message.isVisible)
        assert "No candidates yet" in panel.message.text()
        fill(session, 3)
        qtbot.waitUntil(lambda: panel.model.rowCount() == 3)


@pytest.mark.parametrize("width", [240, 314, 340])
def test_the_column_of_the_order_stays_and_names_are_whole(qtbot, panel, context, session, width):
    """Ordered by score, the scores are there; what gives way are other columns, not names."""
    with session.database.writing() as connection:
        connection.execute(update(candidates).values(score=0.12345))
    for number in range(1, 9):
        give_opinion(session, number, "YES", 0.93)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, flags=("velocity", "noisy")))
    session.changed.emit(Change(aspect="list"))
    panel.resize(width, 400)
    context.current.set_queue(EVERYTHING, parse_sort("score"))
    model, table = panel.model, panel.table
    qtbot.waitUntil(lambda: {SCORE, AGENT} <= model.used)
    qtbot.waitUntil(lambda: not table.isColumnHidden(SCORE))
    assert not table.horizontalScrollBar().isVisible()
    names = [model.index(row, OBJECT).data() for row in range(model.rowCount())]
    widest = max(map(QFontMetrics(table.font()).horizontalAdvance, names))
    assert table.columnWidth(OBJECT) >= min(widest + 2 * PAD, 0.6 * table.viewport().width())
    context.current.set_queue(EVERYTHING, parse_sort("list"))
    assert table.isColumnHidden(SCORE) or width > 314


def test_cells_show_verdicts_faults_and_what_the_agent_says(qtbot, panel, session, context):
    hidden = [column for column in range(9) if panel.table.isColumnHidden(column)]
    assert hidden == [SCORE, AGENT, P_YES, columns.P_COMBINED, columns.MEMBERS, FLAGS]
    opinion = Opinion(verdict=Verdict.REJECT, flags=("star", "sky"))
    session.record_verdict(4, opinion)
    qtbot.waitUntil(lambda: on_screen(panel)[3][VERDICT] == "✕ rejected")
    assert on_screen(panel)[3][FLAGS] == "★ sky" and not panel.table.isColumnHidden(FLAGS)
    session.undo()
    qtbot.waitUntil(lambda: on_screen(panel)[3][VERDICT] == "")
    mark_fault(session, 3, "no such file")
    qtbot.waitUntil(lambda: on_screen(panel)[2][VERDICT] == "! broken")
    give_opinion(session, 2, "YES", 0.87)
    qtbot.waitUntil(lambda: not panel.table.isColumnHidden(P_YES))  # the last to give way
    assert on_screen(panel)[1][AGENT : P_YES + 1] == ["YES", "0.87"]
    context.current.blind_mode.set_on(True)
    assert panel.table.isColumnHidden(AGENT) and panel.table.isColumnHidden(P_YES)
    context.current.blind_mode.set_on(False)
    assert not panel.table.isColumnHidden(P_YES)
    type_filter(qtbot, panel, context, "flag:star")
    qtbot.waitUntil(panel.message.isVisible)
    assert "No candidate matches the filter" in panel.message.text()


@pytest.fixture
def box(qtbot, context):
    show_painted(qtbot, context)
    return shown_in(qtbot, FindBox(context), 300, 40)


def type_name(qtbot, context, box, text):
    context.commands.run("find")
    qtbot.waitUntil(box.edit.hasFocus)
    qtbot.keyClicks(box.edit, text)


def test_objects_are_found_by_name_or_number(qtbot, box, context, session):
    type_name(qtbot, context, box, "Betelgeuse")
    with qtbot.waitSignal(context.current.message) as signal:
        qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    assert "Betelgeuse" in signal.args[0] and context.current.candidate.id == 1
    box.edit.clear()
    type_name(qtbot, context, box, "9")
    qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: context.current.candidate.id == 9)
    name = session.candidate(7).object_id
    type_name(qtbot, context, box, name.lower())
    box.edit.setText(name)
    qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: context.current.candidate.id == 7)
    assert box.edit.text() == "" and not box.edit.hasFocus()
    type_name(qtbot, context, box, "SIM J")
    qtbot.waitUntil(box.suggestions.popup.isVisible)
    names = box.suggestions.model.stringList()
    assert len(names) > 3
    qtbot.keyClick(box.suggestions.popup, Qt.Key.Key_Down)
    qtbot.keyClick(box.suggestions.popup, Qt.Key.Key_Down)
    qtbot.keyClick(box.suggestions.popup, Qt.Key.Key_Return)
    wanted = int(names[1].rsplit("#", 1)[1])
    qtbot.waitUntil(lambda: context.current.candidate.id == wanted)
    assert not box.suggestions.popup.isVisible()


def choose(panel, text):
    every = panel.filters._orders.actions()
    next(each for each in every if each.data() == text).trigger()


@pytest.fixture
def known(session):
    """The features of all spectra are in the index."""
    assert build_some(session, index_of(session.database), seconds=LONG_S) is None
    return session


def test_it_is_chosen_and_learns_while_what_is_next_stays(
    qtbot, panel, context, known, monkeypatch
):
    monkeypatch.setattr(queue_panel, "EVERY", 2)
    current, line = context.current, panel.learned
    assert not line.isVisible()
    choose(panel, "learned:best")
    qtbot.waitUntil(lambda: current.queue.sort == parse_sort("learned:best"))
    qtbot.waitUntil(lambda: "one yes and one no" in line.text() and line.isVisible())
    assert panel.filters.order.text() == "learned: best first ▾"
    for verdict in (Verdict.ACCEPT, Verdict.REJECT, Verdict.ACCEPT, Verdict.REJECT):
        qtbot.waitUntil(lambda: current.in_sight() is not None and current.spectrum is not None)
        here, _, unjudged = current.in_sight()
        current.note_painted(here)
        current.judge(verdict)
        assert current.candidate_id == unjudged != here
    qtbot.waitUntil(lambda: line.text() == "Learned from 4 verdicts; of the last 4, 2 yes")
    assert [entry.order_met for entry in known.history()] == 4 * ["learned:best"]
    near = current.in_sight
    qtbot.waitUntil(lambda: near() is not None)
    before = near()
    with qtbot.waitSignal(current.reordered):
        line.learn()
    qtbot.waitUntil(lambda: learned_so(known, current.queue.sort).verdicts == 4)
    qtbot.waitUntil(lambda: near() is not None)
    assert near() == before
    choose(panel, "list:up")
    qtbot.waitUntil(lambda: not line.isVisible())


def test_the_line_tells_what_chance_says_of_the_rest(qtbot, panel, context, known, session):
    for number in (1, 2, 3):
        session.record_verdict(number, Opinion(verdict=Verdict.ACCEPT))
    session.record_verdict(4, Opinion(verdict=Verdict.REJECT))
    choose(panel, "learned:mixed")
    qtbot.waitUntil(lambda: context.current.queue.sort.key == "learned")
    sort, line = context.current.queue.sort, panel.learned
    with qtbot.waitSignal(context.current.reordered):
        line.learn()
    for number in list(matching_ids(session, EVERYTHING, sort))[4:10]:
        session.record_verdict(number, Opinion(verdict=Verdict.REJECT))
    context.current.go_to(list(matching_ids(session, EVERYTHING, sort))[10])
    qtbot.waitUntil(lambda: "At most" in line.text() and "Learned from 10" in line.text())
    assert "; of 1 at random, 0. At most 2 more in the 2 left (95 %)" in line.text()


def test_blind_mode_learns_without_the_agents(qtbot, panel, context, known):
    choose(panel, "learned:best")
    qtbot.waitUntil(lambda: context.current.queue.sort.key == "learned")
    context.current.blind_mode.set_on(True)
    assert context.current.queue.sort == LIST_ORDER  # what was learned from agents is not shown
    qtbot.waitUntil(lambda: context.current.queue.sort.key == "learned")


def test_a_flag_is_learned(qtbot, panel, context, known):
    choose(panel, "learned:best:flag=star")
    qtbot.waitUntil(lambda: context.current.queue.sort.target == "flag=star")
    assert panel.filters.order.text() == "learned: star ▾"


def test_where_it_cannot_be_learned_the_queue_stays(qtbot, panel, context, known, monkeypatch):
    def broken(*_):
        raise SessionError("the disk is full")

    monkeypatch.setattr("app.ui.session.candidate.current.begin", broken)
    with qtbot.waitSignal(context.current.failed):
        choose(panel, "learned:best")
        assert panel.learned.isVisible() and panel.learned.text().startswith("Learning")
    assert not panel.learned.isVisible() and context.current.queue.sort == LIST_ORDER
