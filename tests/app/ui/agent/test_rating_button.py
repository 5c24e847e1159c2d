"""An inspection is rated with one key on the judging page, and the rating is in the session."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from agent.ratings.rubric import MEANINGS
from app.core.inspections.ratings import all_ratings
from app.core.inspections.store import add_inspection
from app.core.session.session import open_session
from tests.app.ui.agent.conftest import kept
from tests.app.ui.agent.trajectories import NANO, record
from tests.app.ui.scripted_agent import show_candidate
from tests.app.ui.steps import click

ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def said(context):
    messages = []
    context.current.message.connect(messages.append)
    return messages


def stored(session):
    return [(number, each.by, each.overall) for number, each in all_ratings(session)]


def test_one_key_rates_takes_back_and_stays_with_its_record(qtbot, context, keyed, session, said):
    kept(qtbot, context, record())
    assert keyed.rating.isVisible() and keyed.rating.text() == "Rate"
    qtbot.keyClick(keyed, Qt.Key.Key_2, ALT)
    assert stored(session) == [(1, "Ada", 2)] and keyed.rating.text() == "Rated 2"
    assert said == [f"Rated 2: {MEANINGS['overall'][2]}"]
    qtbot.keyClick(keyed, Qt.Key.Key_5, ALT)
    assert stored(session) == [(1, "Ada", 5)]
    qtbot.keyClick(keyed, Qt.Key.Key_5, ALT)
    assert stored(session) == [] and keyed.rating.text() == "Rate"
    assert said[-1] == "Rating taken back"
    qtbot.keyClick(keyed, Qt.Key.Key_4, ALT)
    with open_session(session.location, "Ben", read_only=True) as again:
        assert stored(again) == [(1, "Ada", 4)]
    click(qtbot, keyed.rating)
    menu = keyed.rating.findChild(QMenu)
    texts = [action.text() for action in menu.actions()]
    assert texts[0] == f"5: {MEANINGS['overall'][5]}\tAlt+5" and len(texts) == 6
    menu.actions()[5].trigger()
    menu.close()
    assert stored(session) == [(1, "Ada", 0)]


def test_each_record_has_its_own_rating(qtbot, context, keyed, session):
    other = record(model=NANO, replies=("another",))
    kept(qtbot, context, record(), other)
    qtbot.keyClick(keyed, Qt.Key.Key_1, ALT)
    shown = context.agent.shown
    first = shown.trajectory
    shown.show(next(each for each in shown.records.trajectories if each != first))
    assert keyed.rating.text() == "Rate"
    qtbot.keyClick(keyed, Qt.Key.Key_5, ALT)
    assert sorted(score for _, _, score in stored(session)) == [1, 5]
    shown.show(first)
    assert keyed.rating.text() == "Rated 1"


def test_what_is_not_there_or_hidden_cannot_be_rated(qtbot, context, keyed, session, said):
    show_candidate(qtbot, context)
    qtbot.keyClick(keyed, Qt.Key.Key_3, ALT)
    assert said == ["There is no finished inspection to rate here"] and stored(session) == []
    said.clear()
    context.current.blind_mode.set_on(True)
    add_inspection(session, 1, record())
    show_candidate(qtbot, context)
    qtbot.keyClick(keyed, Qt.Key.Key_3, ALT)
    assert stored(session) == [] and len(said) == 1
    context.commands.run("reveal")
    qtbot.waitUntil(lambda: keyed.timeline.cards != ())
    qtbot.keyClick(keyed, Qt.Key.Key_3, ALT)
    assert stored(session) == [(1, "Ada", 3)]
