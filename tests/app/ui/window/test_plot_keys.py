"""Keys that change the view of the spectrum."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from app.ui.session.candidate.view_options import RV_FINE_KMS, RV_STEP_KMS
from tests.app.ui.steps import turn_wheel
from tests.app.ui.whole_window import ALT, CTRL, PLAIN, SHIFT

Key = Qt.Key


def test_keys_move_the_window(person):
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
    person.start_over()  # Zoom and pan by key and wheel

    def width():
        low, high = person.plot.window_now
        return high - low

    whole = width()
    for closer, farther in (("+", "-"), (Key.Key_Equal, Key.Key_Minus), (Key.Key_Up, Key.Key_Down)):
        person.press(closer)
        assert width() < 0.8 * whole
        person.press(farther)
        assert width() == pytest.approx(whole, rel=0.01)
    turn_wheel(person.plot.plot.viewport(), 1)
    assert width() < 0.95 * whole
    turn_wheel(person.plot.plot.viewport(), -2)
    assert width() == pytest.approx(whole, rel=0.01)
    person.press("+")
    person.press("+")
    low, high = person.plot.window_now
    person.press("]")
    assert person.plot.window_now[0] > low and width() == pytest.approx(high - low)
    person.press("[")
    person.press("[")
    assert person.plot.window_now[0] < low
    person.start_over()  # Reset resets all and autoscale only the height
    plot = person.plot.plot
    person.press(".")
    flux = plot.stage.ranges[1]
    plot.show_flux(flux[0] - 50.0, flux[1] + 50.0)
    person.press("y")
    assert plot.stage.ranges[1] == pytest.approx(flux) and person.plot_view.window is not None
    for key, held in (("s", PLAIN), ("f", PLAIN), (Key.Key_Right, SHIFT)):
        person.press(key, held)
    person.press("r")
    options = person.options
    assert (person.plot_view.window, options.smoothing, options.rest_axis) == (None, 0, False)
    assert round(options.velocity_kms) == 20  # that of the object, which stays
    person.start_over()  # Peek lasts as long as the key is held
    person.press(".")
    window = person.plot.window_now
    QTest.keyPress(person.target, Key.Key_Z)
    assert person.plot.window_now == pytest.approx(person.plot.whole)
    assert person.plot_view.window == person.session.task.windows[0].range
    QTest.keyRelease(person.target, Key.Key_Z)
    assert person.plot.window_now == pytest.approx(window)


def test_keys_change_what_is_drawn(person, tmp_path, monkeypatch):
    for key, held, option, layer in [
        ("l", PLAIN, "lines", "marks"),
        ("l", SHIFT, "labels", ""),
        ("e", PLAIN, "errors", "errors"),
        ("m", PLAIN, "mask", "shades"),
        ("f", PLAIN, "rest_axis", ""),
    ]:
        person.start_over()
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
                assert ("Rest" in drawn.wavelength_axis.title) is wanted
    person.start_over()  # Template
    person.press("t")
    person.wait(lambda: person.plot.plot.template.isVisible())
    assert person.options.template and "Template" in person.plot.header.note.toolTip()
    person.press("t")
    assert person.options.template == ""
    person.wait(lambda: not person.plot.plot.template.isVisible())
    person.start_over()  # Smoothing is stated with its width
    person.press("s")
    person.press("s")
    assert person.options.smoothing == 2 and "3 px" in person.plot.header.note.toolTip()
    assert "km/s" in person.plot.header.note.toolTip()
    person.press("d")
    assert person.options.smoothing_px == 2.0
    person.press("s", SHIFT)
    assert person.options.smoothing == 0 and "Smoothed" not in person.plot.header.note.text()
    person.start_over()  # Velocity in two steps
    person.press(Key.Key_Right, SHIFT)
    assert person.options.velocity_kms == pytest.approx(RV_STEP_KMS)
    person.press(Key.Key_Right, SHIFT | ALT)
    assert person.options.velocity_kms == pytest.approx(RV_STEP_KMS + RV_FINE_KMS)
    person.press(Key.Key_Left, SHIFT | ALT)
    for _ in range(2):
        person.press(Key.Key_Left, SHIFT)
    assert person.options.velocity_kms == pytest.approx(-RV_STEP_KMS)
    assert person.view.judging.tools.velocity.speed.value == pytest.approx(-RV_STEP_KMS)
    assert person.number == 1
    person.start_over()  # A picture of the plot and its numbers
    place = tmp_path / "plot.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    person.press("s", CTRL)
    assert place.read_bytes().startswith(b"\x89PNG")
    QGuiApplication.clipboard().clear()
    person.press("c", CTRL)
    person.wait(lambda: "Å" in QGuiApplication.clipboard().text())
