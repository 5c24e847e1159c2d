"""Lines measured by hand on the plot: by a drag, by a key, kept, shown again and removed."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.core.session.measurements import measurements_of, withdraw_measurement
from app.ui.judge.plot import measure_tool
from tests.app.ui.late_answer import LateAnswer
from tests.app.ui.whole_window import CTRL, LEFT

Key = Qt.Key
HALPHA = 6564.6


@pytest.fixture
def person(person):
    person.plot_view.set_window((6400.0, 6750.0))
    return person


def place(person, wavelength):
    """The pixel of a wavelength in the middle of the plot."""
    plot, stage = person.plot.plot, person.plot.plot.stage
    scale, box = stage.scale_now, stage.geometry()
    return QPoint(round(box.left() + scale.x(wavelength)), round(box.center().y())), plot.viewport()


def drag(person, low, high, held=CTRL):
    start, target = place(person, low)
    end, _ = place(person, high)
    QTest.mousePress(target, LEFT, held, start)
    QTest.mouseMove(target, (start + end) / 2)
    QTest.mouseMove(target, end)
    QTest.mouseRelease(target, LEFT, held, end)


def measured(person):
    return [each.measurement for each in measurements_of(person.session, person.number)]


def test_an_older_answer_that_comes_late_does_not_hide_a_newer_measurement(person, monkeypatch):
    late = LateAnswer(monkeypatch, measure_tool, "measurements_of")
    drag(person, HALPHA - 60.0, HALPHA + 60.0)
    late.wait_until_known(person.qtbot)
    drag(person, HALPHA - 50.0, HALPHA + 50.0)
    person.wait(lambda: len(person.plot.plot.measured.shown) == 2)
    late.arrive(person.qtbot, person.view.context.runner)
    assert len(person.plot.plot.measured.shown) == 2
    forget(person)


def test_lines_are_measured_by_drag_or_key_kept_and_removed(person):
    drag(person, HALPHA, HALPHA + 1.0)
    assert measured(person) == []
    forget(person)  # A ctrl drag measures and keeps
    window = person.plot_view.window
    drag(person, HALPHA - 60.0, HALPHA + 60.0)
    (found,) = measured(person)
    assert found.left[0] == pytest.approx(HALPHA - 60.0, abs=1.0)
    assert found.right[0] == pytest.approx(HALPHA + 60.0, abs=1.0)
    assert found.ew_error > 0 and found.snr > 0
    assert person.plot_view.window == window  # nothing was panned
    assert "EW" in person.view.status.message.full_text
    layer = person.plot.plot.measured
    person.wait(lambda: [each.line for each in layer.shown] == [found.line])
    assert person.verdicts() == {}
    forget(person)  # Escape forgets the first point
    position, target = place(person, HALPHA)
    QTest.mouseMove(target, position)
    person.wait(lambda: person.plot.under_mouse is not None)
    person.press("i")
    assert person.plot.plot.measured.dragged is not None
    person.press(Key.Key_Escape)
    assert person.plot.plot.measured.dragged is None and measured(person) == []
    forget(person)  # A key at two places measures the same
    for at in (HALPHA - 60.0, HALPHA + 60.0):
        position, target = place(person, at)
        QTest.mouseMove(target, position)
        person.wait(lambda here=at: abs((person.plot.under_mouse or 0.0) - here) < 1.0)
        person.press("i")
    (found,) = measured(person)
    assert found.left[0] < HALPHA < found.right[0] and person.plot.plot.measured.dragged is None
    forget(person)  # It is there again with its object
    layer = person.plot.plot.measured
    drag(person, HALPHA - 60.0, HALPHA + 60.0)
    person.wait(lambda: len(layer.shown) == 1)
    person.press("n", sees=2)
    person.wait(lambda: len(layer.shown) == 0)
    person.press("b", sees=1)
    person.wait(lambda: len(layer.shown) == 1)
    forget(person)  # The last one is removed
    layer = person.plot.plot.measured
    drag(person, HALPHA - 60.0, HALPHA + 60.0)
    drag(person, HALPHA - 40.0, HALPHA + 40.0)
    person.wait(lambda: len(layer.shown) == 2)
    person.window.commands.run("withdraw_measurement")
    person.wait(lambda: len(layer.shown) == 1)
    assert measured(person)[0].left[0] == pytest.approx(HALPHA - 60.0, abs=1.0)
    person.window.commands.run("withdraw_measurement")
    person.wait(lambda: len(layer.shown) == 0)
    person.window.commands.run("withdraw_measurement")
    assert "nothing" in person.view.status.message.full_text


def forget(person, number=1):
    """As at first: nothing was measured."""
    person.start_over()
    person.go(number)
    for each in measurements_of(person.session, number):
        withdraw_measurement(person.session, each.id)
    person.wait(lambda: not person.plot.plot.measured.shown)
    person.plot_view.set_window((6400.0, 6750.0))
