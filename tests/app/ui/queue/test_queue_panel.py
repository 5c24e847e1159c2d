"""The queue on screen: where one stands, what was decided, filters and orders."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QAbstractItemModelTester
from sqlalchemy import func, insert, select

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, lists
from app.core.inspections.store import add_inspection, mark_fault
from app.core.queue import EVERYTHING, parse_filter, parse_sort, sort_text
from app.core.session.records import Change, Opinion, Verdict
from app.core.session.session import new_session
from app.ui.queue.queue_blocks import HELD
from app.ui.queue.queue_model import AGENT, FLAGS, OBJECT, P_YES, SCORE, SNR, VERDICT
from app.ui.queue.queue_panel import QueuePanel
from app.ui.widgets.candidate_table import CELL, PAD
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.ui.conftest import opened_context
from tests.app.ui.opinions import give_opinion
from tests.app.ui.steps import painted, put_on_desk, shown_in

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot, context):
    put_on_desk(qtbot, context)
    made = shown_in(qtbot, QueuePanel(context), 320, 500)
    QAbstractItemModelTester(made.model, made)
    ready(qtbot, made)
    return made


def ready(qtbot, panel):
    """Counted, and what is on screen is there."""
    qtbot.waitUntil(lambda: not panel.loader.is_counting)
    qtbot.waitUntil(lambda: "…" not in [row[OBJECT] for row in on_screen(panel)])


def on_screen(panel):
    model, table = panel.model, panel.table
    first = max(table.rowAt(0), 0)
    last = table.rowAt(table.viewport().height() - 1)
    last = model.rowCount() - 1 if last < 0 else last
    return [
        [model.index(row, column).data() or "" for column in range(7)]
        for row in range(first, last + 1)
    ]


def names(panel):
    return [row[OBJECT] for row in on_screen(panel)]


def current_rows(panel):
    model = panel.model
    return [row for row in range(model.rowCount()) if model.index(row, 0).data(CELL).is_current]


def objects(session, numbers):
    return [session.candidate(number).object_id for number in numbers]


def click(qtbot, panel, row, column=OBJECT):
    place = panel.table.visualRect(panel.model.index(row, column)).center()
    qtbot.mouseClick(panel.table.viewport(), LEFT, pos=place)


def test_the_list_and_where_one_stands(qtbot, panel, context, session):
    assert names(panel) == objects(session, range(1, 13))
    assert current_rows(panel) == [0]
    assert panel.card.note.text() == "12"
    context.current.go_to(9)
    assert current_rows(panel) == [8]


def test_a_click_goes_there(qtbot, panel, context):
    click(qtbot, panel, 5)
    assert context.current.candidate.id == 6
    click(qtbot, panel, 2, SNR)
    assert context.current.candidate.id == 3


def test_enter_goes_there_and_letters_pass_through(qtbot, panel, context):
    panel.table.setFocus()
    panel.table.setCurrentIndex(panel.model.index(4, 0))
    qtbot.keyClick(panel.table, Qt.Key.Key_A)
    assert context.current.candidate.id == 1
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert context.current.candidate.id == 5


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
    hidden = [column for column in range(7) if panel.table.isColumnHidden(column)]
    assert hidden == [SCORE, AGENT, P_YES, FLAGS]
    give_opinion(session, 2, "YES", 0.87)
    qtbot.waitUntil(lambda: not panel.table.isColumnHidden(AGENT))
    assert on_screen(panel)[1][AGENT : P_YES + 1] == ["YES", "0.87"]


@pytest.mark.parametrize("width", [314, 340, 500])
def test_names_are_whole_before_words_of_verdicts(qtbot, panel, context, session, width):
    """Where there is no room, marks alone, and numbers told elsewhere go; hints say all."""
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


def test_blind_mode_hides_what_the_agent_says(qtbot, panel, context, session):
    give_opinion(session, 2, "YES", 0.87)
    qtbot.waitUntil(lambda: not panel.table.isColumnHidden(AGENT))
    context.current.blind_mode.set_on(True)
    assert panel.table.isColumnHidden(AGENT)
    assert panel.table.isColumnHidden(P_YES)
    context.current.blind_mode.set_on(False)
    assert not panel.table.isColumnHidden(AGENT)


def type_filter(qtbot, panel, context, text):
    context.commands.run("filter")
    qtbot.waitUntil(panel.filters.edit.hasFocus)
    panel.filters.edit.clear()
    qtbot.keyClicks(panel.filters.edit, text)
    qtbot.keyClick(panel.filters.edit, Qt.Key.Key_Return)


def test_a_filter_by_its_words(qtbot, panel, context, session):
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    type_filter(qtbot, panel, context, "verdict:accept or id>10")
    qtbot.waitUntil(lambda: names(panel) == objects(session, (2, 11, 12)))
    assert panel.card.note.text() == "3"
    assert current_rows(panel) == []
    panel.filters.edit.clear()  # by hand: nothing happens until Enter
    qtbot.keyClick(panel.filters.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 12)


def test_a_faulty_filter_says_what_and_where_and_changes_nothing(qtbot, panel, context):
    type_filter(qtbot, panel, context, "snr>10 p_yes>high")
    assert "compared with a number" in panel.filters.fault.text()
    assert panel.filters.edit._fault_at == 7
    assert context.current.queue.tree == EVERYTHING
    panel.filters.edit.grab()  # the mark under the word is drawn
    type_filter(qtbot, panel, context, "snr>0")
    assert not panel.filters.fault.isVisible()


def test_words_are_offered_and_taken(qtbot, panel, context):
    context.commands.run("filter")
    qtbot.waitUntil(panel.filters.edit.hasFocus)
    qtbot.keyClicks(panel.filters.edit, "snr>1 verdict:unj")
    popup = panel.filters.edit.suggestions.popup
    qtbot.waitUntil(popup.isVisible)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert panel.filters.edit.text() == "snr>1 verdict:unjudged"


def test_quick_filters_are_pressed_and_pressed_again(qtbot, panel, context, session):
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    button = panel.filters.quick["verdict:accept"]
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: names(panel) == objects(session, (2,)))
    assert button.isChecked()
    assert panel.filters.edit.text() == "verdict:accept"
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 12)
    assert not button.isChecked()


def test_orders(qtbot, panel, context, session):
    by_snr = sorted(range(1, 13), key=lambda number: -session.candidate(number).snr)
    action = next(each for each in panel.filters.menu.actions() if each.data() == "snr:down")
    action.trigger()
    qtbot.waitUntil(lambda: names(panel) == objects(session, by_snr))
    assert panel.filters.order.text().startswith(action.text())
    qtbot.waitUntil(lambda: current_rows(panel) == [by_snr.index(1)])


def test_where_two_agents_differ_comes_first(qtbot, panel, context, session):
    """From the menu of orders; to a blind person it would tell."""
    add_inspection(session, 5, said("YES", 0.9, model=NANO, number=5))
    add_inspection(session, 5, said("NO", 0.2, model=MEASURED, number=5))
    add_inspection(session, 8, said("YES", 0.6, model=NANO, number=8))
    order = parse_sort("disagreeing")
    action = next(each for each in panel.filters.menu.actions() if each.data() == sort_text(order))
    action.trigger()
    qtbot.waitUntil(lambda: context.current.queue.sort == order)
    qtbot.waitUntil(lambda: names(panel)[:2] == objects(session, (5, 8)))
    assert panel.filters.order.text() == "agents disagree first ▾"
    context.current.set_queue(EVERYTHING, parse_sort("list"))
    context.current.blind_mode.set_on(True)
    action.trigger()
    assert context.current.queue.sort == parse_sort("list")


def test_blind_mode_refuses_what_tells_and_shows_what_is_walked(qtbot, panel, context):
    context.current.blind_mode.set_on(True)
    button = panel.filters.quick["disagree:agent"]
    with qtbot.waitSignal(context.current.message) as told:
        qtbot.mouseClick(button, LEFT)
    assert "Blind" in told.args[0]
    assert not button.isChecked()
    assert panel.filters.edit.text() == ""
    action = next(each for each in panel.filters.menu.actions() if each.data() == "p_yes:down")
    action.trigger()
    assert context.current.queue.sort.key == "list"
    assert panel.filters.order.text() == "as listed ▾"


def test_what_is_judged_leaves_the_unjudged(qtbot, panel, context, session):
    context.current.set_queue(parse_filter("verdict:unjudged"), parse_sort("list"))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 12)
    painted(qtbot, context, 1)
    context.current.judge(Verdict.ACCEPT)
    qtbot.waitUntil(lambda: names(panel) == objects(session, range(2, 13)))
    assert panel.card.note.text() == "11"
    qtbot.waitUntil(lambda: current_rows(panel) == [0])
    context.current.undo()
    qtbot.waitUntil(lambda: names(panel) == objects(session, range(1, 13)))


def test_nothing_is_like_that(qtbot, panel, context):
    type_filter(qtbot, panel, context, "flag:star")
    qtbot.waitUntil(panel.message.isVisible)
    assert "No candidate matches the filter" in panel.message.text()


def test_the_row_on_the_desk_is_where_the_focus_begins(qtbot, panel, context):
    context.current.go_to(4)
    panel.table.setFocus()
    qtbot.waitUntil(panel.table.hasFocus)
    assert panel.table.focused_row == 3
    context.current.go_to(8)
    assert panel.table.focused_row == 7


def test_a_second_click_changes_nothing(qtbot, panel, context):
    click(qtbot, panel, 5)
    context.current.set_confidence(3)
    moved = []
    context.current.candidate_changed.connect(moved.append)
    place = panel.table.visualRect(panel.model.index(5, OBJECT)).center()
    qtbot.mouseDClick(panel.table.viewport(), LEFT, pos=place)
    assert (moved, context.current.opinion.confidence) == ([], 3)


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


def fill(session, count):
    """So many candidates without spectra, as an import leaves them."""
    with session.database.writing() as connection:
        values = {"name": "l", "path": "/l", "sha256": "", "format": "csv", "rows_read": 0}
        more = {"rows_used": 0, "roles": "{}", "columns": "[]", "imported_at": ""}
        there = connection.execute(select(func.count()).select_from(lists)).scalar_one()
        connection.execute(insert(lists).values(values | more | {"id": there + 1}))
        blank = {"list_id": there + 1, "path": "", "row": 0, "label": "", "own": "{}"}
        rows = [
            {"line": n, "object_id": f"J{n:06d}", "snr": float(n % 97), **blank}
            for n in range(1, count + 1)
        ]
        connection.execute(insert(candidates), rows)
    session.changed.emit(Change(aspect="list"))


@pytest.fixture
def long_session(tmp_path):
    with new_session(tmp_path / "long", find_task("CV"), "Ada") as session:
        fill(session, 30_000)
        yield session


def test_a_long_list_is_scrolled_without_holding_it(qtbot, long_session):
    with opened_context(long_session) as context:
        panel = shown_in(qtbot, QueuePanel(context), 320, 500)
        context.current.start()
        ready(qtbot, panel)
        assert panel.model.rowCount() == 30_000
        bar = panel.table.verticalScrollBar()
        for part in (0.5, 0.1, 0.9, 1.0, 0.25):
            bar.setValue(round(part * bar.maximum()))
            ready(qtbot, panel)
            first = panel.table.rowAt(0)
            assert names(panel)[0] == f"J{first + 1:06d}"
        for part in range(100):
            bar.setValue(part * bar.maximum() // 100)
            panel.table.viewport().repaint()
        ready(qtbot, panel)
        blocks = panel.model.blocks
        assert sum(blocks.holds(block) for block in range(blocks.count)) <= HELD


def test_one_far_away_is_brought_into_view(qtbot, long_session):
    with opened_context(long_session) as context:
        panel = shown_in(qtbot, QueuePanel(context), 320, 500)
        context.current.start()
        ready(qtbot, panel)
        context.current.go_to(27_123)
        qtbot.waitUntil(lambda: "J027123" in names(panel))
        context.current.set_queue(EVERYTHING, parse_sort("snr"))
        qtbot.waitUntil(lambda: panel.model.blocks.sort.key == "snr")
        qtbot.waitUntil(lambda: "J027123" in names(panel))


def test_counting_in_pieces_comes_to_the_whole(qtbot, long_session, monkeypatch):
    monkeypatch.setattr("app.core.queue.landmarks.ROWS_A_CALL", 3000)
    with opened_context(long_session) as context:
        panel = shown_in(qtbot, QueuePanel(context), 320, 500)
        QAbstractItemModelTester(panel.model, panel)
        context.current.set_queue(parse_filter("snr>=50"), parse_sort("list"))
        expected = sum(n % 97 >= 50 for n in range(1, 30_001))
        qtbot.waitUntil(lambda: not panel.loader.is_counting and panel.model.rowCount() == expected)
        assert panel.card.note.text() == f"{expected:,}"
