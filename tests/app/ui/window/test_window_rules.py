"""Rules that are easy to break, and broken spectra and settings, on the whole window."""

import shutil
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.judge.agent.trajectories import record
from tests.app.ui.whole_window import CTRL, PLAIN, SHIFT, before_window

Key = Qt.Key


def test_nothing_unseen_is_judged(person):
    person.current.go_to(9)
    person.press("a")
    assert "not drawn yet" in person.view.status.message.full_text and person.log() == []
    person.sees(9)
    person.press("a", sees=10)
    assert person.verdicts() == {9: "ACCEPT"}
    person.start_over()  # Quick keys judge only what was seen
    for _ in range(5):
        person.press("a")
    assert len(person.log()) == 1
    person.sees(2)
    person.start_over()  # What was shown is recorded without blind mode
    add_inspection(person.session, 1, record())
    person.press("a", sees=2)
    person.press("a", sees=3)
    first, second = person.log()
    assert (first.shown["verdict"], first.shown["model"]) == ("YES", "spec-o3-7b")
    assert dict(second.shown) == {}


def test_the_view_stays_from_candidate_to_candidate(person):
    for key, held in (("l", PLAIN), ("l", SHIFT), ("s", PLAIN), ("m", PLAIN), (Key.Key_F2, PLAIN)):
        person.press(key, held)
    person.press(Key.Key_Right, SHIFT)
    options, window = replace(person.options, z=0.0), person.plot_view.window
    drawn = person.plot.window_now
    assert drawn == pytest.approx(window)
    for key in ("n", "a", "x", "b", Key.Key_Right):
        person.press(key)
        person.wait(lambda: person.current.is_painted)
        assert (replace(person.options, z=0.0), person.plot_view.window) == (options, window)
        assert person.plot.window_now == pytest.approx(drawn)
        assert person.plot.plot.trace.smoothing_px == options.smoothing_px
        assert not person.plot.plot.marks.isVisible() and not person.plot.plot.shades.isVisible()
    assert person.number > 1
    person.start_over()  # The window is reset if the person wants that
    person.plot_view.change(keep_window=False)
    person.press(Key.Key_F2)
    person.press("n", sees=2)
    assert person.plot_view.window is None
    assert person.plot.window_now == pytest.approx(person.plot.whole)
    person.start_over()  # A double click on a row goes there
    queue = person.view.judging.docks["queue"].part
    at = queue.table.visualRect(queue.model.index(4, 0)).center()
    QTest.mouseClick(queue.table.viewport(), Qt.MouseButton.LeftButton, PLAIN, at)
    QTest.mouseDClick(queue.table.viewport(), Qt.MouseButton.LeftButton, PLAIN, at)
    QTest.mouseRelease(queue.table.viewport(), Qt.MouseButton.LeftButton, PLAIN, at)
    person.sees(5)
    assert person.log() == []


@pytest.mark.parametrize(
    ("key", "held", "name"), [("/", PLAIN, "Find an object"), ("f", CTRL, "Filter the list")]
)
def test_a_key_for_a_hidden_field_shows_its_panel(person, key, held, name):
    person.press("h")
    person.wait(lambda: not person.view.judging.dock_area.shows_panels)
    person.press(key, held)
    person.wait(lambda: person.target.accessibleName() == name)
    assert person.view.judging.dock_area.shows_panels


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
        person.press("x", sees=2)
        person.press("b", sees=1)
        person.wait(lambda: agent.shown.trajectory is not None)  # it has its verdict
        assert "YES" in bar.proposal.text() and "0.93" in bar.proposal.toolTip()
        person.press("u")  # in its knowledge now
        person.wait(lambda: len(person.log()) == 2)
        first, second = person.log()
        assert dict(first.shown) == {}
        assert (second.shown["verdict"], second.shown["p_yes"]) == ("YES", 0.93)


def test_undo_returns_object_and_former_verdict_after_a_restart(qtbot, place):
    with before_window(qtbot, place) as person:
        person.press("4")
        person.press("a", sees=2)
        person.press("b", sees=1)
        person.press("x", sees=2)
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
        person.press("n", sees=6)
        assert not message.isVisible()
        person.go(1)
        person.press("a")
        person.sees(6)  # judging goes on with what can be read
        assert person.verdicts() == {1: "ACCEPT"}
        person.wait(lambda: all(person.session.candidate(n).fault for n in range(2, 6)))
    assert len(set(reasons)) == 4 and "missing.fits" in reasons[1]


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
            person.press("a", sees=2)
        else:
            assert person.reads("reset to their defaults") and person.reads("settings.toml.bak")
    assert path.with_name("settings.toml.bak").read_text(encoding="utf-8") == text
