"""Rules that are easy to break, checked on the whole window with real keys."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session
from app.ui.settings.settings import Settings
from app.ui.settings.settings_store import SettingsStore
from tests.app.ui.agent.trajectories import record
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.whole_window import CTRL, PLAIN, SHIFT, before_window
from tests.app.ui.window.forty import person, place, sample

__all__ = ["person", "place", "sample"]
Key = Qt.Key


# Held keys


def repeat(person, key, text, held=PLAIN, times=25):
    """Send auto-repeated key events, as the window system does for a held key."""
    for _ in range(times):
        for kind in (QEvent.Type.KeyRelease, QEvent.Type.KeyPress):
            QApplication.sendEvent(person.target, QKeyEvent(kind, key, held, text, True))
        QApplication.processEvents()


@pytest.mark.parametrize(
    ("key", "text", "held"),
    [
        (Key.Key_A, "a", PLAIN),
        (Key.Key_X, "x", PLAIN),
        (Key.Key_U, "u", PLAIN),
        (Key.Key_A, "A", SHIFT),
        (Key.Key_Return, "\r", PLAIN),
    ],
)
def test_a_held_verdict_judges_once(person, key, text, held):
    for number in range(1, 6):
        add_inspection(person.session, number, record())
    person.current.go_to(1)
    person.sees(1)
    QTest.keyPress(person.target, key, held)
    repeat(person, key, text, held)
    person.wait(lambda: person.current.is_painted)
    repeat(person, key, text, held)
    QTest.keyRelease(person.target, key, held)
    assert len(person.log()) == 1
    person.go(5)
    QTest.keyClick(person.target, key, held)
    assert set(person.verdicts()) == {1, 5}


def test_a_held_undo_takes_one_thing_back(person):
    for number in (1, 2, 3):
        person.press("a")
        person.sees(number + 1)
    QTest.keyPress(person.target, Key.Key_Z, CTRL)
    repeat(person, Key.Key_Z, "\x1a", CTRL)
    QTest.keyRelease(person.target, Key.Key_Z, CTRL)
    assert set(person.verdicts()) == {1, 2}


def test_a_held_next_key_moves_on(person):
    QTest.keyPress(person.target, Key.Key_N)
    repeat(person, Key.Key_N, "n", times=5)
    QTest.keyRelease(person.target, Key.Key_N)
    assert person.number > 2
    assert person.log() == []


# Rows of tables


def test_enter_on_a_row_goes_there_and_takes_no_proposal(person):
    for number in range(1, 8):
        add_inspection(person.session, number, record())
    table = person.view.judging.queue.table
    table.setFocus(Qt.FocusReason.TabFocusReason)
    person.wait(table.hasFocus)
    options = person.options
    for _ in range(3):
        person.press(Key.Key_Down)
    QTest.keyPress(person.target, Key.Key_Return)
    repeat(person, Key.Key_Return, "\r")
    person.sees(4)
    repeat(person, Key.Key_Return, "\r")
    QTest.keyRelease(person.target, Key.Key_Return)
    person.press(Key.Key_Up)
    person.press(Key.Key_Enter)
    person.sees(3)
    assert person.verdicts() == {}
    assert person.plot_view.window is None and person.options == options
    person.press("a")
    person.sees(4)
    assert person.verdicts() == {3: "ACCEPT"}
    person.press(Key.Key_Escape)
    person.press(Key.Key_Return)
    person.sees(5)
    assert person.verdicts() == {3: "ACCEPT", 4: "ACCEPT"}


def test_a_double_click_on_a_row_goes_there(person):
    queue = person.view.judging.queue
    at = queue.table.visualRect(queue.model.index(4, 0)).center()
    QTest.mouseClick(queue.table.viewport(), Qt.MouseButton.LeftButton, PLAIN, at)
    QTest.mouseDClick(queue.table.viewport(), Qt.MouseButton.LeftButton, PLAIN, at)
    person.sees(5)
    assert person.log() == []


@pytest.mark.parametrize(
    ("key", "held", "name"), [("/", PLAIN, "Find an object"), ("f", CTRL, "Filter the list")]
)
def test_a_key_for_a_hidden_field_shows_its_panel(person, key, held, name):
    person.press("h")
    person.wait(lambda: not person.view.judging.shows_panels)
    person.press(key, held)
    person.wait(lambda: person.target.accessibleName() == name)
    assert person.view.judging.shows_panels


# Nothing unseen is judged


def test_a_verdict_before_it_is_painted_is_refused(person):
    person.current.go_to(9)
    person.press("a")
    assert "not drawn yet" in person.view.status.message.full_text
    assert person.log() == []
    person.sees(9)
    person.press("a")
    person.sees(10)
    assert person.verdicts() == {9: "ACCEPT"}


def test_quick_keys_judge_only_what_was_seen(person):
    for _ in range(5):
        person.press("a")
    assert len(person.log()) == 1
    person.sees(2)


# From object to object


def test_view_options_stay_from_candidate_to_candidate(person):
    for key, held in (("l", PLAIN), ("l", SHIFT), ("s", PLAIN), ("m", PLAIN), (Key.Key_F2, PLAIN)):
        person.press(key, held)
    person.press(Key.Key_Right, SHIFT)
    options, window = person.options, person.plot_view.window
    drawn = person.plot.window_now
    assert drawn == pytest.approx(window)
    for number, key in enumerate(("n", "a", "x", "b", Key.Key_Right), 2):
        person.press(key)
        person.wait(lambda: person.current.is_painted)
        assert (person.options, person.plot_view.window) == (options, window), number
        assert person.plot.window_now == pytest.approx(drawn)
        assert person.plot.plot.trace.smoothing_px == options.smoothing_px
        assert not person.plot.plot.marks.isVisible()
        assert not person.plot.plot.shades.isVisible()
    assert person.number > 1


def test_the_window_is_reset_if_the_person_wants_that(person):
    person.plot_view.change(keep_window=False)
    person.press(Key.Key_F2)
    person.press("n")
    person.sees(2)
    assert person.plot_view.window is None
    assert person.plot.window_now == pytest.approx(person.plot.whole)


# Blind


def test_blind_mode_shows_nothing_until_the_verdict_on_the_whole_window(qtbot, place):
    with before_window(qtbot, place) as person:
        person.current.blind_mode.set_on(True)
        for number in (1, 2):
            add_inspection(person.session, number, record())
        person.current.go_to(2)
        person.sees(2)
        person.current.go_to(1)
        person.sees(1)
        agent, bar = person.view.context.agent, person.view.judging.verdicts
        QApplication.processEvents()
        assert agent.shown.trajectory is None and agent.shown.steps == ()
        assert "0.93" not in bar.proposal.toolTip() and "YES" not in bar.proposal.text()
        assert not person.reads("0.93") and not person.reads("Hβ and He II 4686")
        person.press(Key.Key_Space)
        person.press(Key.Key_Return)
        assert person.log() == []
        person.press("x")
        person.sees(2)
        person.press("b")
        person.sees(1)
        person.wait(lambda: agent.shown.trajectory is not None)  # it has its verdict
        assert "YES" in bar.proposal.text() and "0.93" in bar.proposal.toolTip()
        person.press("u")  # in its knowledge now
        person.wait(lambda: len(person.log()) == 2)
        first, second = person.log()
        assert dict(first.shown) == {}
        assert (second.shown["verdict"], second.shown["p_yes"]) == ("YES", 0.93)


def test_what_was_shown_is_recorded_without_blind_mode(person):
    add_inspection(person.session, 1, record())
    person.press("a")
    person.sees(2)
    person.press("a")
    person.sees(3)
    first, second = person.log()
    assert (first.shown["verdict"], first.shown["model"]) == ("YES", "spec-o3-7b")
    assert dict(second.shown) == {}


# Undo over a restart


def test_undo_returns_object_and_former_verdict_after_a_restart(qtbot, place):
    with before_window(qtbot, place) as person:
        person.press("4")
        person.press("a")
        person.sees(2)
        person.press("b")
        person.sees(1)
        person.press("x")
        person.sees(2)
    with before_window(qtbot, place) as person:
        assert person.number == 2
        person.press("z", CTRL)
        person.wait(lambda: person.number == 1)
        assert person.opinion(1) == Opinion(verdict=Verdict.ACCEPT, confidence=4)
        assert person.view.judging.verdicts.buttons[Verdict.ACCEPT].isChecked()
        while "Nothing" not in person.view.status.message.full_text:
            person.press("z", CTRL)
        assert person.opinion(1) is None or person.opinion(1).verdict is None
        person.press("z", CTRL | SHIFT)
        assert person.opinion(1).verdict is Verdict.ACCEPT
        kept = len(person.log())
    with before_window(qtbot, place) as person:
        assert len(person.log()) == kept
        person.press("z", CTRL | SHIFT)
        person.wait(lambda: person.verdicts() == {1: "REJECT"})


# What is broken


@pytest.fixture
def broken(tmp_path):
    """Six files: valid, truncated, missing, empty, no spectrum, valid."""
    whole = sorted((SAMPLE / "spectra").rglob("spec-9*.fits.gz"))[:2]
    first, last = (shutil.copy(each, tmp_path / each.name) for each in whole)
    cut = tmp_path / "cut.fits.gz"
    cut.write_bytes(whole[0].read_bytes()[:3000])
    (tmp_path / "empty.fits").touch()
    (tmp_path / "words.fits").write_text("not a spectrum")
    names = (first, cut, "missing.fits", "empty.fits", "words.fits", last)
    listed = tmp_path / "list.csv"
    rows = "".join(f"{number},{tmp_path / name}\n" for number, name in enumerate(names, 1))
    listed.write_text(f"object_id,file\n{rows}", encoding="utf-8")
    place = tmp_path / "broken.speco3"
    with new_session(place, find_task("CV"), "Ada") as session:
        import_list(session, listed)
        assert session.count() == 6
    return place


def test_a_broken_spectrum_says_why_and_is_passed(qtbot, broken):
    reasons = []
    with before_window(qtbot, broken) as person:
        message = person.plot.empty_message
        for number in range(2, 6):
            person.press("n")
            person.wait(lambda wanted=number: person.number == wanted and person.current.fault)
            assert message.isVisible()
            reasons.append(person.current.fault)
            assert person.reads(reasons[-1])
            for key in "axu":
                person.press(key)
            assert "cannot be read" in person.view.status.message.full_text
            assert not person.view.judging.verdicts.buttons[Verdict.ACCEPT].isEnabled()
            person.press("*")  # but noted it can be
        person.press("n")
        person.sees(6)
        assert not message.isVisible()
        person.go(1)
        person.press("a")
        person.sees(6)  # judging goes on with what can be read
        assert person.verdicts() == {1: "ACCEPT"}
        person.wait(lambda: all(person.session.candidate(n).fault for n in range(2, 6)))
    assert len(set(reasons)) == 4
    assert "missing.fits" in reasons[1]


# Settings


@pytest.mark.parametrize("is_at_once", [False, True])
def test_faulty_settings_are_set_aside_and_reported(qtbot, tmp_path, place, is_at_once):
    path = tmp_path / "config" / "settings.toml"
    path.parent.mkdir()
    text = 'theme = "pink"\nlayout = "%%%"\nview = 3\nkeys = ["A"'
    path.write_text(text, encoding="utf-8")
    settings = SettingsStore(path)
    assert settings.settings == Settings()
    with before_window(qtbot, place if is_at_once else None, settings) as person:
        if is_at_once:
            assert any("defaults" in each.message for each in person.view.status.errors)
            person.press("a")
            person.sees(2)
        else:
            assert person.reads("reset to their defaults")
            assert person.reads("settings.toml.bak")
    assert path.with_name("settings.toml.bak").read_text(encoding="utf-8") == text
