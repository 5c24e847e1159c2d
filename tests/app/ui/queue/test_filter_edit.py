"""Suggestions and faults while a filter is typed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.core.queue import EVERYTHING, parse_filter
from app.ui.queue.filter_edit import CHOICES, column_before, completed, completions
from tests.app.ui.queue.conftest import type_filter


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
    (offered,) = completions("own.od", 6, ("odd name",))[:1] or ("",)
    assert offered == "" and completions("own", 3, ("odd name",))[0] == 'own."odd name"'
    text = 'snr>1 my_class:"M gi'
    choice = 'my_class:"M giant"'
    assert completed(text, len(text), choice)[0] == 'snr>1 my_class:"M giant"'
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


def test_words_are_offered_and_taken(qtbot, panel, context):
    context.commands.run("filter")
    qtbot.waitUntil(panel.filters.edit.hasFocus)
    qtbot.keyClicks(panel.filters.edit, "snr>1 verdict:unj")
    popup = panel.filters.edit.suggestions.popup
    qtbot.waitUntil(popup.isVisible)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert panel.filters.edit.text() == "snr>1 verdict:unjudged"


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


@pytest.mark.parametrize("name", ["survey", "own.survey"])
def test_values_of_a_column_are_offered(qtbot, panel, context, name):
    qtbot.waitUntil(lambda: bool(panel.filters.edit.own_columns))
    type_words(qtbot, panel, context, f"snr>1 {name}:l")
    popup = panel.filters.edit.suggestions.popup
    qtbot.waitUntil(popup.isVisible)
    model = panel.filters.edit.suggestions.model
    qtbot.waitUntil(lambda: model.stringList() == [f"{name}:LAMOST"])
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert panel.filters.edit.text() == f"snr>1 {name}:LAMOST"
