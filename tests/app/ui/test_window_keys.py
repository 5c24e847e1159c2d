"""Every key, pressed on the whole window: what is in the database, or in view, then."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui import session_view
from app.ui.candidate.view_options import RV_FINE_KMS, RV_STEP_KMS
from app.ui.inspection.controller import InspectionController
from tests.app.ui.opinions import give_opinion
from tests.app.ui.scripted_agent import COMMAND, on_desk
from tests.app.ui.whole_window import (
    ALT,
    CTRL,
    LONG_MS,
    PLAIN,
    SHIFT,
    before_window,
    copied,
    sample_file,
)

Key = Qt.Key


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    return sample_file(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def person(qtbot, tmp_path, sample):
    with before_window(qtbot, copied(sample, tmp_path)) as before:
        yield before


@pytest.fixture
def scripted(monkeypatch):
    """The agent does what the object is called."""
    monkeypatch.setattr(
        session_view, "InspectionController", partial(InspectionController, command=COMMAND)
    )


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


def test_undo_and_redo_know_no_end(person):
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
    person.wait(lambda: person.view.judging.queue.model.rowCount() == 8)
    person.press(Key.Key_Escape)
    person.press("a")
    person.sees(5)
    assert person.verdicts() == {1: "ACCEPT"}


# Looking


def test_the_windows_of_the_class_one_after_the_other(person):
    labels = [window.label for window in person.session.task.windows]
    person.press(".")
    assert person.plot_view.window_name == labels[0]
    assert person.plot.window_now == pytest.approx(person.session.task.windows[0].range)
    person.press(".")
    assert person.plot_view.window_name == labels[1]
    person.press(",")
    person.press(",")
    assert person.plot_view.window_name != labels[0]
    person.press(Key.Key_F2)
    assert person.plot_view.window_name == labels[0]
    person.press(Key.Key_F3)
    assert person.plot_view.window_name == labels[1]
    person.press("w")
    assert person.plot_view.window is None
    assert person.plot.window_now == pytest.approx(person.plot.whole)


def test_zoom_and_pan_by_key_and_wheel(person):
    def width():
        low, high = person.plot.window_now
        return high - low

    whole = width()
    for closer, farther in (("+", "-"), (Key.Key_Equal, Key.Key_Minus), (Key.Key_Up, Key.Key_Down)):
        person.press(closer)
        assert width() < 0.8 * whole
        person.press(farther)
        assert width() == pytest.approx(whole, rel=0.01)
    turn_wheel(person, 120)
    assert width() < 0.95 * whole
    turn_wheel(person, -240)
    assert width() == pytest.approx(whole, rel=0.01)
    person.press("+")
    person.press("+")
    low, high = person.plot.window_now
    person.press("]")
    assert person.plot.window_now[0] > low and width() == pytest.approx(high - low)
    person.press("[")
    person.press("[")
    assert person.plot.window_now[0] < low


def turn_wheel(person, delta):
    plot = person.plot.plot
    at = QPointF(plot.rect().center())
    QApplication.sendEvent(
        plot.viewport(),
        QWheelEvent(
            at,
            plot.mapToGlobal(at),
            QPoint(),
            QPoint(0, delta),
            Qt.MouseButton.NoButton,
            PLAIN,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )


def test_reset_forgets_all_and_autoscale_only_the_height(person):
    plot = person.plot.plot
    person.press(".")
    flux = plot.stage.ranges[1]
    plot.show_flux(flux[0] - 50.0, flux[1] + 50.0)
    person.press("y")
    assert plot.stage.ranges[1] == pytest.approx(flux)
    assert person.plot_view.window is not None
    for key, held in (("s", PLAIN), ("f", PLAIN), (Key.Key_Right, SHIFT)):
        person.press(key, held)
    person.press("r")
    options = person.options
    assert (person.plot_view.window, options.smoothing, options.z, options.rest_axis) == (
        None,
        0,
        0.0,
        False,
    )


def test_peek_lasts_as_long_as_the_key_is_held(person):
    person.press(".")
    window = person.plot.window_now
    QTest.keyPress(person.target, Key.Key_Z)
    assert person.plot.window_now == pytest.approx(person.plot.whole)
    QTest.keyRelease(person.target, Key.Key_Z)
    assert person.plot.window_now == pytest.approx(window)


# On the spectrum


@pytest.mark.parametrize(
    ("key", "held", "option", "layer"),
    [
        ("l", PLAIN, "lines", "marks"),
        ("l", SHIFT, "labels", ""),
        ("e", PLAIN, "errors", "errors"),
        ("m", PLAIN, "mask", "shades"),
        ("f", PLAIN, "rest_axis", ""),
    ],
)
def test_what_is_drawn_is_switched(person, key, held, option, layer):
    before = getattr(person.options, option)
    drawn = person.plot.plot
    for wanted in (not before, before):
        person.press(key, held)
        assert getattr(person.options, option) is wanted
        if layer:
            assert getattr(drawn, layer).isVisible() is wanted
        elif option == "labels":
            assert drawn.marks.has_names is wanted
        else:
            assert ("at rest" in drawn.frame.x_title) is wanted


def test_template(person):
    person.press("t")
    person.wait(lambda: person.plot.plot.template.isVisible())
    assert person.options.template
    assert "Template" in person.plot.header.note.text()
    person.press("t")
    assert person.options.template == ""
    person.wait(lambda: not person.plot.plot.template.isVisible())


def test_smoothing_is_stated_with_its_width(person):
    person.press("s")
    person.press("s")
    assert person.options.smoothing == 2
    assert "3 px" in person.plot.header.note.text() and "km/s" in person.plot.header.note.text()
    person.press("d")
    assert person.options.smoothing_px == 2.0
    person.press("s", SHIFT)
    assert person.options.smoothing == 0
    assert "Smoothed" not in person.plot.header.note.text()


def test_velocity_in_two_steps(person):
    person.press(Key.Key_Right, SHIFT)
    assert person.options.velocity_kms == pytest.approx(RV_STEP_KMS)
    person.press(Key.Key_Right, SHIFT | ALT)
    assert person.options.velocity_kms == pytest.approx(RV_STEP_KMS + RV_FINE_KMS)
    person.press(Key.Key_Left, SHIFT | ALT)
    for _ in range(2):
        person.press(Key.Key_Left, SHIFT)
    assert person.options.velocity_kms == pytest.approx(-RV_STEP_KMS)
    assert person.view.judging.operation.velocity.speed.value == pytest.approx(-RV_STEP_KMS)
    assert person.number == 1


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


# The agent


def test_the_agent_runs_and_escape_stops_it(qtbot, scripted, person):
    on_desk(qtbot, person.view.context, 1, "endless")
    person.press("v")
    agent = person.view.context.agent
    person.wait(lambda: agent.shown.run is not None and agent.shown.run.partial_text)
    with qtbot.waitSignal(agent.finished, timeout=LONG_MS) as ended:
        person.press(Key.Key_Escape)
    assert ended.args[1].stopped_by == "cancelled"
    assert agent.shown.run is None


def test_escape_in_a_field_gives_the_plot_back_and_leaves_the_agent_at_work(
    qtbot, scripted, person
):
    on_desk(qtbot, person.view.context, 1, "endless")
    person.press("v")
    agent = person.view.context.agent
    person.wait(lambda: agent.shown.run is not None and agent.shown.run.partial_text)
    person.press("c")
    person.press(Key.Key_Escape)
    assert agent.shown.run is not None and not agent.shown.run.is_stopping


def test_the_agent_is_held_and_let_go_on(qtbot, scripted, person):
    on_desk(qtbot, person.view.context, 1, "steered")
    person.press("v")
    agent = person.view.context.agent
    person.press("p")
    assert agent.is_paused
    person.press("p")
    assert not agent.is_paused
    person.wait(lambda: agent.shown.run is None)


def test_the_list_is_inspected_and_stopped_with_one_key(scripted, person):
    agent = person.view.context.agent
    person.press("r", CTRL)
    assert agent.list_run.state.is_running
    person.press("r", CTRL)
    person.wait(lambda: not agent.list_run.state.is_running)


@pytest.fixture(scope="module")
def inspected(sample, tmp_path_factory):
    """The first candidate, as the measured inspector has it."""
    place = copied(sample, tmp_path_factory.mktemp("inspected"))
    with open_session(place, "Ada") as session:
        seen = session.candidate(1)
        spectrum = read_numbered(str(seen.path), seen.row or 0)
        record = run(MeasuredInspector().inspect(spectrum, find_task("CV")))
        add_inspection(session, 1, record)
    return place, record


def test_space_steps_through_the_evidence(qtbot, tmp_path, inspected):
    place, record = inspected
    with before_window(qtbot, copied(place, tmp_path)) as person:
        person.wait(lambda: person.view.context.agent.shown.trajectory is not None)
        seen = []
        for _ in record.looks:
            person.press(Key.Key_Space)
            seen.append(person.plot_view.window_name)
        assert seen == [look.label for look in record.looks]
        person.press(Key.Key_Escape)  # back to where the person was
        assert person.plot_view.window is None


def test_shift_v_reveals_in_blind_mode(qtbot, tmp_path, inspected):
    place, record = inspected
    with before_window(qtbot, copied(place, tmp_path)) as person:
        person.current.blind_mode.set_on(True)
        person.press(Key.Key_Return)
        assert "Blind mode" in person.view.status.message.full_text
        assert person.view.context.agent.shown.trajectory is None
        person.press("v", SHIFT)
        person.wait(lambda: person.view.context.agent.shown.trajectory is not None)
        person.press("a")
        person.sees(2)
        (entry,) = person.log()
        assert entry.shown["revealed"] is True
        assert entry.shown["verdict"] == record.verdict


# The window


def test_the_keys_are_shown_and_put_away(person):
    person.press("?")
    assert person.window.overlay.isVisible()
    person.press("a")
    assert not person.window.overlay.isVisible()
    assert person.log() == []
    person.press("a")
    person.sees(2)


def test_full_screen_and_back(person):
    person.press(Key.Key_F11)
    assert person.window.isFullScreen()
    person.press(Key.Key_F11)
    assert not person.window.isFullScreen()


def test_the_panels_go_and_come_with_their_widths(person):
    judging = person.view.judging
    before = judging.columns.sizes()
    person.press("/")  # the focus may be in what is about to go
    person.press(Key.Key_Escape)
    person.press("h")
    assert not judging.left.isVisible() and not judging.right.isVisible()
    person.press("a")
    person.sees(2)
    person.press("h")
    assert judging.left.isVisible() and judging.right.isVisible()
    person.wait(lambda: judging.columns.sizes() == before)
    assert person.verdicts() == {1: "ACCEPT"}


def test_commands_are_found_by_their_words(person):
    person.press("k", CTRL)
    person.type("no smoo")
    person.plot_view.change(smoothing=3)
    person.press(Key.Key_Return)
    assert person.options.smoothing == 0
    assert person.target is person.plot.plot
    assert person.log() == []


def test_the_pages_and_back(person):
    pages = ("disagreement_page", "agreement_page", "history_page")
    for digit, page in zip("234", pages, strict=True):
        person.press(digit, CTRL)
        assert person.view.page == page
        person.press("a")
        person.press("x")
        assert person.log() == []
    person.press("1", CTRL)
    assert person.view.page == "judging_page"
    person.press("a")
    person.sees(2)


def test_undo_on_the_history_page_goes_back_to_the_object(person):
    person.press("a")
    person.sees(2)
    person.press("4", CTRL)
    person.press("z", CTRL)
    person.sees(1)
    assert person.view.page == "judging_page"
    assert person.verdicts() == {}


def test_settings_and_export_open_beside_the_judging(person):
    person.press(",", CTRL)
    assert person.window.settings_dialog.isVisible()
    person.window.settings_dialog.close()
    person.press("e", CTRL)
    assert person.view.export_dialog.isVisible()
    person.view.export_dialog.close()


def test_a_picture_of_the_plot_and_its_numbers(person, tmp_path, monkeypatch):
    place = tmp_path / "plot.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    person.press("s", CTRL)
    assert place.read_bytes().startswith(b"\x89PNG")
    QGuiApplication.clipboard().clear()
    person.press("c", CTRL)
    person.wait(lambda: "Å" in QGuiApplication.clipboard().text())


def test_lists_and_sessions_are_opened_by_key(person, tmp_path, monkeypatch, sample):
    other = copied(sample, (tmp_path / "other").mkdir() or tmp_path / "other")
    asked = []
    monkeypatch.setattr("app.ui.main_window.choose_session", lambda _: other)
    monkeypatch.setattr("app.ui.main_window.choose_lists", lambda _: asked.append("list"))
    person.press("n", CTRL)
    assert asked == ["list"]
    former = person.view
    person.press("o", CTRL)
    person.wait(lambda: person.window.view is not None and person.view is not former)
    assert person.session.location == other
    person.sees(1)
    person.press("w", CTRL)
    assert person.window.view is None
    assert person.window.welcome.isVisible()


def test_quitting_is_one_key(person):
    person.press("q", CTRL)
    assert not person.window.isVisible()
    assert person.window.view is None
