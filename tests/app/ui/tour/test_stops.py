"""The texts of the stops name the current keys, in every language."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.ui.translation.languages import install_translators
from tests.app.ui.tour.tour_user import TITLES, title, tour
from tests.app.ui.whole_window import before_window


def test_keys_are_told_as_they_are_now(person):
    person.press(Qt.Key.Key_Return)
    person.press(Qt.Key.Key_Return)
    assert "A accepts, X rejects" in tour(person).bubble.text.text()
    person.window.keymap.rebind("accept", ["J"])
    assert "J accepts, X rejects" in tour(person).bubble.text.text()


def test_a_hidden_list_says_how_it_is_shown(person):
    person.window.resize(1280, 720)
    person.window.commands.run("tour")
    assert "Q or a click here shows the list" in tour(person).bubble.text.text()
    person.window.resize(1700, 800)
    person.window.commands.run("tour")
    assert "click a row to go to it" in tour(person).bubble.text.text()


def test_in_chinese(qtbot, qapp, place):
    translators = install_translators(qapp, "zh")
    try:
        with before_window(qtbot, place) as person:
            person.window.commands.run("tour")
            seen = []
            while title(person):
                seen.append(title(person))
                text = tour(person).bubble.text.text()
                assert "{" not in text and any("一" <= letter <= "鿿" for letter in text)
                assert person.window.rect().contains(tour(person).bubble.geometry())
                QTest.keyClick(person.target, Qt.Key.Key_Return)
            assert len(seen) == 5
            assert all(words not in TITLES for words in seen)
    finally:
        for each in translators:
            qapp.removeTranslator(each)
