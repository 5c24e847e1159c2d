"""Filters and orders of the queue, typed or pressed."""

import pytest
from PySide6.QtCore import Qt

from app.core.inspections.store import add_inspection
from app.core.queue import EVERYTHING, parse_filter, parse_sort, sort_text
from app.core.session.records import Opinion, Verdict
from app.ui.judge.queue.columns import AGENT, MEMBERS, VERDICT
from app.ui.judge.queue.filter_bar import CHOICES, column_before, completed, completions
from app.ui.widgets.candidate_table import CELL
from tests.app.core.inspected import MEASURED, NANO, panel_said, said
from tests.app.ui.judge.queue.conftest import current_rows, names, objects, type_filter
from tests.app.ui.steps import click, heard


def test_filters_are_typed_or_pressed(qtbot, panel, context, session):
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    type_filter(qtbot, panel, context, "verdict:accept or id>10")
    qtbot.waitUntil(lambda: names(panel) == objects(session, (2, 11, 12)))
    assert panel.card.note.text() == "3" and current_rows(panel) == []
    panel.filters.edit.clear()  # by hand: nothing happens until Enter
    qtbot.keyClick(panel.filters.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 12)
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


def test_where_members_of_the_panel_disagree_is_told_and_filtered(qtbot, panel, context, session):
    add_inspection(session, 3, panel_said("NO", "YES", 3))
    add_inspection(session, 4, panel_said("YES", "YES", 4))
    cell = lambda row, column: panel.model.index(row, column).data(CELL)  # noqa: E731
    qtbot.waitUntil(lambda: cell(3, AGENT).text == "YES" and cell(3, MEMBERS).text == "")
    type_filter(qtbot, panel, context, "disagree:members")
    qtbot.waitUntil(lambda: names(panel) == objects(session, (3,)))
    cells = [cell(0, column) for column in (AGENT, MEMBERS)]
    assert [each.text for each in cells] == ["YES ≠", "nano NO, measured YES"]
    assert {each.colour for each in cells} == {context.current_theme.theme.warning}
    panel.resize(600, panel.height())
    qtbot.waitUntil(lambda: not panel.table.isColumnHidden(AGENT))
    qtbot.waitUntil(lambda: cell(0, VERDICT).text == "")
    panel.resize(170, panel.height())
    qtbot.waitUntil(lambda: cell(0, VERDICT).text == "≠")
    assert panel.table.isColumnHidden(AGENT)
    type_filter(qtbot, panel, context, "id:3")
    qtbot.waitUntil(lambda: context.current.queue.tree == parse_filter("id:3"))
    qtbot.waitUntil(lambda: names(panel) == objects(session, (3,)))
    context.current.blind_mode.set_on(True)
    qtbot.waitUntil(lambda: not panel.model.marks_conflict)
    qtbot.waitUntil(lambda: names(panel) == objects(session, (3,)))
    assert cell(0, VERDICT).text == ""


def test_blind_mode_refuses_what_tells_and_shows_what_is_walked(qtbot, panel, context):
    context.current.blind_mode.set_on(True)
    button = panel.filters.quick["disagree:agent"]
    assert "Blind" in heard(qtbot, context.current.message, lambda: click(qtbot, button))
    assert not button.isChecked() and panel.filters.edit.text() == ""
    action = next(each for each in panel.filters.menu.actions() if each.data() == "p_yes:down")
    action.trigger()
    assert context.current.queue.sort.key == "list"
    assert panel.filters.order.text() == "as listed ▾"


def test_words_that_are_offered_and_what_is_typed_in_front_of_them():
    for text, offered in [
        ("verd", "verdict:unjudged"),
        ("snr>10 fl", "flag:star"),
        ("(-has:", "has:fault"),
        ("acc", "verdict:accept"),
        ("OWN.m", "own.mag_r"),
        ("mag", "mag_r"),
    ]:
        assert offered in completions(text, len(text), ("mag_r",))
    for text in ["", "snr>10 ", "x", "verdict:unjudged"]:
        assert "verdict:unjudged" not in completions(text, len(text))
    for choice in [each for each in CHOICES if each[-1] not in ":<>"]:
        parse_filter(choice)
    text = "snr>10 -fl other"
    assert completed(text, 10, "flag:star") == ("snr>10 -flag:star other", 17)
    assert not completions("own.od", 6, ("odd name",))
    assert completions("own", 3, ("odd name",))[0] == 'own."odd name"'
    text = 'snr>1 my_class:"M gi'
    assert completed(text, len(text), 'my_class:"M giant"')[0] == 'snr>1 my_class:"M giant"'
    for text, found in [
        ("mag_r:", ("mag_r", "mag_r:", "")),
        ("-mag_r=1", ("mag_r", "mag_r=", "1")),
        ('own."odd name":"M g', ("odd name", 'own."odd name":', "M g")),
        ('snr>1 "odd name":M', ("odd name", '"odd name":', "M")),
        ("snr:1", None),
        ("own.snr:1", ("snr", "own.snr:", "1")),
        ("colour:b", None),
        ("mag_r", None),
    ]:
        assert column_before(text, len(text), ("mag_r", "odd name", "snr")) == found


def test_faults_and_columns_of_the_list(qtbot, panel, context, session):
    type_filter(qtbot, panel, context, "snr>10 p_yes>high")
    assert "compared with a number" in panel.filters.fault.text()
    assert panel.filters.edit._fault_at == 7 and context.current.queue.tree == EVERYTHING
    panel.filters.edit.grab()  # the mark under the word is drawn
    type_filter(qtbot, panel, context, "snr>0")
    assert not panel.filters.fault.isVisible()
    qtbot.waitUntil(lambda: bool(panel.filters.edit.own_columns))
    type_filter(qtbot, panel, context, "survey:sdss")
    wanted = [n for n in range(1, 13) if session.candidate(n).own["survey"] == "SDSS"]
    qtbot.waitUntil(lambda: panel.model.rowCount() == len(wanted))
    type_filter(qtbot, panel, context, "surve:sdss")
    assert "columns of the list: survey" in panel.filters.fault.text()


def type_words(qtbot, panel, context, text):
    context.commands.run("filter")
    qtbot.waitUntil(panel.filters.edit.hasFocus)
    qtbot.keyClicks(panel.filters.edit, text)


def test_a_filter_works_while_it_is_typed(qtbot, panel, context, session):
    """After a pause; the text and the focus stay as they are."""
    ratios = {number: session.candidate(number).snr for number in range(1, 13)}
    middle = sorted(ratios.values())[6]
    type_words(qtbot, panel, context, f"snr>{middle:.0f}")
    over = sum(ratio > round(middle) for ratio in ratios.values())
    qtbot.waitUntil(lambda: panel.model.rowCount() == over)
    assert panel.filters.edit.text() == f"snr>{middle:.0f}" and panel.filters.edit.hasFocus()
    for _ in range(10):
        qtbot.keyClick(panel.filters.edit, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 12)


def test_half_a_filter_changes_and_says_nothing(qtbot, panel, context):
    type_words(qtbot, panel, context, "snr>0 verdict:may")
    typed = []
    panel.filters.edit.typed.connect(typed.append)
    qtbot.waitUntil(lambda: not panel.filters.edit._pause.isActive())
    assert not typed and context.current.queue.tree == EVERYTHING
    assert not panel.filters.fault.isVisible()


def test_blind_mode_lets_type_what_it_refuses(qtbot, panel, context):
    context.current.blind_mode.set_on(True)
    told = []
    context.current.message.connect(told.append)
    with qtbot.waitSignal(panel.filters.edit.typed):
        type_words(qtbot, panel, context, "agent:yes")
    assert panel.filters.edit.text() == "agent:yes" and context.current.queue.tree == EVERYTHING
    assert not told
    qtbot.keyClick(panel.filters.edit, Qt.Key.Key_Return)
    assert told


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("verdict:unj", "verdict:unjudged"), ("survey:l", "survey:LAMOST"),
     ("own.survey:l", "own.survey:LAMOST")],
)  # fmt: skip
def test_words_and_values_of_a_column_are_offered_and_taken(qtbot, panel, context, typed, offered):
    qtbot.waitUntil(lambda: bool(panel.filters.edit.own_columns))
    type_words(qtbot, panel, context, f"snr>1 {typed}")
    popup = panel.filters.edit.suggestions.popup
    qtbot.waitUntil(popup.isVisible)
    model = panel.filters.edit.suggestions.model
    qtbot.waitUntil(lambda: model.stringList() == [offered])
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert panel.filters.edit.text() == f"snr>1 {offered}"
