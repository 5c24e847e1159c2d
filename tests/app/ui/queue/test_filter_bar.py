"""Filters and orders of the queue, typed or pressed."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.core.inspections.store import add_inspection
from app.core.queue import EVERYTHING, parse_sort, sort_text
from app.core.session.records import Opinion, Verdict
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.ui.queue.conftest import current_rows, names, objects, type_filter
from tests.app.ui.steps import click, heard


def test_filters_are_typed_or_pressed(qtbot, panel, context, session):
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    type_filter(qtbot, panel, context, "verdict:accept or id>10")
    qtbot.waitUntil(lambda: names(panel) == objects(session, (2, 11, 12)))
    assert panel.card.note.text() == "3" and current_rows(panel) == []
    panel.filters.edit.clear()  # by hand: nothing happens until Enter
    qtbot.keyClick(panel.filters.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 12)
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    button = panel.filters.quick["verdict:accept"]
    click(qtbot, button)
    qtbot.waitUntil(lambda: names(panel) == objects(session, (2,)))
    assert button.isChecked() and panel.filters.edit.text() == "verdict:accept"
    click(qtbot, button)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 12)
    assert not button.isChecked()
    by_snr = sorted(range(1, 13), key=lambda number: -session.candidate(number).snr)
    action = next(each for each in panel.filters.menu.actions() if each.data() == "snr:down")
    action.trigger()
    qtbot.waitUntil(lambda: names(panel) == objects(session, by_snr))
    assert panel.filters.order.text().startswith(action.text())
    qtbot.waitUntil(lambda: current_rows(panel) == [by_snr.index(1)])


def test_where_two_agents_differ_comes_first(qtbot, panel, context, session):
    """The order from the menu; blind mode refuses it, because it reveals the agents."""
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
    assert "Blind" in heard(qtbot, context.current.message, lambda: click(qtbot, button))
    assert not button.isChecked() and panel.filters.edit.text() == ""
    action = next(each for each in panel.filters.menu.actions() if each.data() == "p_yes:down")
    action.trigger()
    assert context.current.queue.sort.key == "list"
    assert panel.filters.order.text() == "as listed ▾"
