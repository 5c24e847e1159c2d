"""Keys that judge, navigate and open things, pressed on the whole window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from app.core.session.records import Opinion, Verdict
from tests.app.ui.candidates import copied
from tests.app.ui.opinions import give_opinion
from tests.app.ui.whole_window import CTRL, SHIFT

Key = Qt.Key


# Verdicts


@pytest.mark.parametrize(("key", "verdict"), [("a", "ACCEPT"), ("x", "REJECT"), ("u", "UNSURE")])
def test_a_verdict_is_saved_and_the_next_unjudged_comes(person, key, verdict):
    person.session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
    person.press(key)
    person.sees(3)
    assert person.verdicts() == {1: verdict, 2: "REJECT"}
    person.press(key.upper(), SHIFT)
    person.press(key.upper(), SHIFT)
    assert person.number == 3
    assert person.verdicts() == {1: verdict, 2: "REJECT", 3: verdict}
    assert [entry.candidate_id for entry in person.log()] == [2, 1, 3]
    assert all(entry.seconds is not None and entry.seconds >= 0 for entry in person.log()[1:])


def test_confidence_goes_with_the_verdict_to_come(person):
    for number, digit in enumerate("43210", 1):
        person.press(digit)
        person.press("a")
        person.sees(number + 1)
    given = [person.opinion(number) for number in range(1, 6)]
    assert [each.confidence for each in given] == [4, 3, 2, 1, 0]
    person.press("b")
    person.sees(5)
    person.press("4")  # of the verdict that is there
    assert person.opinion(5) == Opinion(verdict=Verdict.ACCEPT, confidence=4)


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Enter])
def test_enter_takes_the_agents_proposal(person, key):
    give_opinion(person.session, 1, "YES", 0.9)
    give_opinion(person.session, 2, "NO", 0.2)
    person.press(key)
    person.sees(2)
    person.press(key)
    person.sees(3)
    person.press(key)
    assert "no proposal" in person.view.status.message.full_text
    assert person.verdicts() == {1: "ACCEPT", 2: "REJECT"}


def test_undo_and_redo_have_no_limit(person):
    for number, key in enumerate("axuax", 1):
        person.press(key)
        person.sees(number + 1)
    for number in (5, 4):
        person.press("z", CTRL)
        person.sees(number)
    for number in (3, 2, 1):
        person.press(Key.Key_Backspace)
        person.sees(number)
    assert person.verdicts() == {}
    person.press("z", CTRL)
    assert "Nothing to undo" in person.view.status.message.full_text
    for number in (1, 2, 3):
        person.press("z", CTRL | SHIFT)
        person.sees(number)
    for number in (4, 5):
        person.press("y", CTRL)
        person.sees(number)
    assert list(person.verdicts().values()) == ["ACCEPT", "REJECT", "UNSURE", "ACCEPT", "REJECT"]
    assert [entry.action for entry in person.log()] == ["set"] * 5 + ["undo"] * 5 + ["redo"] * 5


# Through the list


@pytest.mark.parametrize(("forth", "back"), [(Key.Key_N, Key.Key_B), (Key.Key_Right, Key.Key_Left)])
def test_next_and_previous_judge_nothing(person, forth, back):
    person.press(forth)
    person.sees(2)
    person.press(forth)
    person.sees(3)
    person.press(back)
    person.sees(2)
    assert person.log() == []


def test_slash_finds_an_object(person):
    name = person.session.candidate(7).object_id
    person.press("/")
    assert isinstance(person.target, QLineEdit)
    person.type(name)
    person.press(Key.Key_Return)
    person.sees(7)
    person.press("a")
    person.sees(8)
    assert person.verdicts() == {7: "ACCEPT"}


def test_the_filter_is_one_key_away(person):
    person.press("f", CTRL)
    person.type("id>4")
    person.press(Key.Key_Return)
    person.wait(lambda: person.view.judging.docks["queue"].part.model.rowCount() == 8)
    person.press(Key.Key_Escape)
    person.press("a")
    person.sees(5)
    assert person.verdicts() == {1: "ACCEPT"}


# Words and flags


def test_a_comment_and_back_to_the_plot(person):
    person.press("c")
    person.type("a broad line, x? u!")
    person.press(Key.Key_Escape)
    assert person.target is person.plot.plot
    assert person.opinion(1) == Opinion(comment="a broad line, x? u!")
    person.press("a")
    person.sees(2)
    assert person.opinion(1) == Opinion(verdict=Verdict.ACCEPT, comment="a broad line, x? u!")


def test_flags_by_letter_and_the_star(person):
    person.press("g")
    assert QApplication.activePopupWidget() is not None
    person.press("s")
    assert QApplication.activePopupWidget() is None
    person.press("*")
    assert set(person.opinion(1).flags) == {"sky", "star"}
    person.press("g")
    person.press("s")
    person.press("*")
    assert person.opinion(1).flags == ()
    assert person.number == 1


# The window


def test_the_keys_are_shown_and_put_away(person):
    person.press("?")
    assert person.window.keys.overlay.isVisible()
    person.press("a")
    assert not person.window.keys.overlay.isVisible()
    assert person.log() == []
    person.press("a")
    person.sees(2)


def test_full_screen_and_back(person):
    person.press(Key.Key_F11)
    assert person.window.isFullScreen()
    person.press(Key.Key_F11)
    assert not person.window.isFullScreen()


def test_commands_are_found_by_their_words(person):
    person.press("k", CTRL)
    person.type("no smoo")
    person.plot_view.change(smoothing=3)
    person.press(Key.Key_Return)
    assert person.options.smoothing == 0
    assert person.target is person.plot.plot
    assert person.log() == []


def test_settings_and_export_open_beside_the_judging(person):
    person.press(",", CTRL)
    assert person.window.settings_dialog.isVisible()
    person.window.settings_dialog.close()
    person.press("e", CTRL)
    assert person.view.dialogs.export.isVisible()
    person.view.dialogs.export.close()


def test_lists_and_sessions_are_opened_by_key(person, tmp_path, monkeypatch, sample):
    other = copied(sample, (tmp_path / "other").mkdir() or tmp_path / "other")
    asked = []
    monkeypatch.setattr("app.ui.start.opening.choose_session", lambda _: other)
    monkeypatch.setattr("app.ui.start.opening.choose_lists", lambda _: asked.append("list"))
    person.press("n", CTRL)
    assert asked == ["list"]
    former = person.view
    person.press("o", CTRL)
    person.wait(lambda: person.window.view is not None and person.view is not former)
    assert person.session.location == other
    person.sees(1)
    person.press("w", CTRL)
    assert person.window.view is None
    assert person.window.opening.welcome.isVisible()


def test_quitting_is_one_key(person):
    person.press("q", CTRL)
    assert not person.window.isVisible()
    assert person.window.view is None
