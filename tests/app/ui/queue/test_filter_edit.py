"""Suggestions and faults while a filter is typed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.core.queue import EVERYTHING, parse_filter
from app.ui.queue.filter_edit import CHOICES, completed, completions
from tests.app.ui.queue.conftest import type_filter


@pytest.mark.parametrize(
    "text, offered",
    [
        ("verd", "verdict:unjudged"),
        ("snr>10 fl", "flag:star"),
        ("(-has:", "has:fault"),
        ("acc", "verdict:accept"),
        ("OWN.m", "own.mag_r"),
    ],
)
def test_for_the_word_in_front_of_the_cursor(text, offered):
    assert offered in completions(text, len(text), ("mag_r",))


@pytest.mark.parametrize("text", ["", "snr>10 ", "x", "verdict:unjudged"])
def test_nothing_where_nothing_is_meant(text):
    assert "verdict:unjudged" not in completions(text, len(text))


def test_a_choice_replaces_the_word_and_no_more():
    text = "snr>10 -fl other"
    assert completed(text, 10, "flag:star") == ("snr>10 -flag:star other", 17)


@pytest.mark.parametrize("choice", [each for each in CHOICES if each[-1] not in ":<>"])
def test_what_is_offered_can_be_read(choice):
    parse_filter(choice)


def test_odd_names_of_columns_are_quoted():
    (offered,) = completions("own.od", 6, ("odd name",))[:1] or ("",)
    assert offered == ""
    assert completions("own", 3, ("odd name",))[0] == 'own."odd name"'


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
