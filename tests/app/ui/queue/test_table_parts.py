"""Both tables of candidates have the same parts, each with columns of its own."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget

from app.core.queue import Sort
from app.ui.queue.column_store import ColumnStore
from app.ui.queue.columns import AGENT, OBJECT, SNR
from app.ui.queue.filter_bar import FilterBar
from app.ui.queue.table_parts import TableParts
from app.ui.widgets.candidate_table import CandidateTable
from tests.app.ui.steps import shown_in


@pytest.fixture
def parts(qtbot, context):
    """The parts of two tables beside one another."""
    page = shown_in(qtbot, QWidget(), 900, 400)
    store = ColumnStore(context.bridge.session, context.runner, page)

    def made(name):
        table = CandidateTable(context.current_theme, page)
        return TableParts(context, table, FilterBar(context, page), store, name)

    yield made("queue"), made("overview"), store


def test_one_order_and_columns_of_their_own(qtbot, parts, context):
    first, second, store = parts
    for each in parts[:2]:
        context.current.queue_changed.connect(each.filter_and_order.show_queue)
    first.header_sort.sort_requested.emit(Sort("object"))
    assert context.current.queue.sort == Sort("object")
    assert first.model.sorted_column == second.model.sorted_column == OBJECT
    store.show("queue", "snr", True)
    store.show("overview", "snr", False)
    assert first.columns.is_shown(SNR)
    assert not second.columns.is_shown(SNR)


def test_blind_mode_hides_the_agent_in_both(parts, context):
    first, second, store = parts
    for name in ("queue", "overview"):
        store.show(name, "agent", True)
    assert first.columns.is_shown(AGENT) and second.columns.is_shown(AGENT)
    context.current.blind_mode.set_on(True)
    assert not first.columns.is_shown(AGENT) and not second.columns.is_shown(AGENT)


def test_what_scrolled_away_is_no_longer_waited_for(parts, monkeypatch):
    first, _, _ = parts
    forgotten = []
    monkeypatch.setattr(first.sparklines, "forget_waiting", lambda: forgotten.append(True))
    bar = first.columns.parent().verticalScrollBar()
    bar.setRange(0, 100)
    bar.setValue(50)
    assert forgotten
