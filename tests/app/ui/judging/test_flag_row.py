"""Flags by letter, custom flags, chips and the star."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.ui.judging.flag_menu import FLAGS
from tests.app.ui.steps import show_painted

LEFT = Qt.MouseButton.LeftButton


def test_g_and_a_letter_set_a_flag_and_its_chip_removes_it(qtbot, box, context, session):
    show_painted(qtbot, context)
    context.commands.run("flags")
    qtbot.waitUntil(box.flags.menu.isVisible)
    qtbot.keyClick(box.flags.menu, Qt.Key.Key_N)
    assert not box.flags.menu.isVisible()
    assert session.judgement(1).opinion.flags == ("noisy",)
    qtbot.mouseClick(box.flags.chips["noisy"], LEFT)
    assert session.judgement(1).opinion.flags == ()
    assert box.flags.chips == {}


def test_a_custom_flag(qtbot, box, context, session):
    show_painted(qtbot, context)
    context.commands.run("flags")
    qtbot.waitUntil(box.flags.menu.isVisible)
    qtbot.keyClick(box.flags.menu, Qt.Key.Key_O)
    box.activateWindow()  # without a window manager nobody gives it back after a menu
    qtbot.waitUntil(box.flags.custom.hasFocus)
    qtbot.keyClicks(box.flags.custom, "ring  of fire")
    qtbot.keyClick(box.flags.custom, Qt.Key.Key_Return)
    assert session.judgement(1).opinion.flags == ("ring of fire",)
    assert box.flags.custom.isHidden()
    assert "ring of fire" in box.flags.chips


def test_an_unfinished_custom_flag_is_not_set(qtbot, box, context, session):
    show_painted(qtbot, context)
    box.flags._ask_custom()
    qtbot.waitUntil(box.flags.custom.hasFocus)
    qtbot.keyClicks(box.flags.custom, "half")
    context.current.go_to(2)
    assert session.judgement(1) is None
    assert session.judgement(2) is None
    assert box.flags.custom.text() == ""


def test_the_star(qtbot, box, context, session):
    show_painted(qtbot, context)
    context.commands.run("star")
    assert session.judgement(1).opinion.flags == ("star",)
    assert box.flags.star.isChecked()
    assert box.flags.chips == {}
    qtbot.mouseClick(box.flags.star, LEFT)
    assert session.judgement(1).opinion.flags == ()
    assert not box.flags.star.isChecked()


def test_many_flags_leave_room_for_the_comment(qtbot, box, context):
    show_painted(qtbot, context)
    for name in (*FLAGS, "a rather long name of an own flag"):
        context.current.toggle_flag(name)
    QApplication.processEvents()
    assert box.minimumSizeHint().width() <= 640
    assert box.edit.width() >= 140
    assert len(box.flags.chips) == 3
    assert box.flags.rest.text() == "+6"


def test_in_very_large_text_flags_are_counted(qtbot, box, context):
    show_painted(qtbot, context)
    for name in ("noisy", "calibration"):
        context.current.toggle_flag(name)
    assert list(box.flags.chips) == ["noisy", "calibration"]
    font = box.flags.font()
    font.setPointSizeF(24.0)
    box.flags.setFont(font)
    assert box.flags.chips == {}
    assert box.flags.rest.isVisible() and box.flags.rest.text() == "+2"
    assert box.flags.rest.toolTip() == "noisy, calibration"


def test_chips_take_no_more_room_than_there_is(qtbot, box, context):
    show_painted(qtbot, context)
    for name in ("noisy", "velocity", "calibration"):
        context.current.toggle_flag(name)
    flags = box.flags
    shown = set()
    for room in range(440, 30, -10):
        flags.set_room(room)
        assert flags.minimumSizeHint().width() <= flags.bare_px + max(room, 50)
        assert flags.rest.isHidden() == (len(flags.chips) == 3)
        shown.add(tuple(flags.chips))
    assert shown == {(), ("noisy",), ("noisy", "velocity"), ("noisy", "velocity", "calibration")}
    assert flags.rest.text() == "+3"
