"""Flags by letter, custom flags, chips and the star."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.ui.judge.verdict.flag_row import FLAGS, FlagMenu
from tests.app.ui.steps import click, show_painted, start_over


def test_flags_by_letter_and_the_star(qtbot, box, context, session):
    show_painted(qtbot, context)
    context.commands.run("star")
    assert session.judgement(1).opinion.flags == ("star",) and box.flags.star.isChecked()
    assert box.flags.chips == {}
    click(qtbot, box.flags.star)
    assert session.judgement(1).opinion.flags == () and not box.flags.star.isChecked()
    start_over(qtbot, context)  # G and a letter set a flag, and its chip removes it
    context.commands.run("flags")
    qtbot.waitUntil(box.flags.menu.isVisible)
    qtbot.keyClick(box.flags.menu, Qt.Key.Key_N)
    assert not box.flags.menu.isVisible() and session.judgement(1).opinion.flags == ("noisy",)
    click(qtbot, box.flags.chips["noisy"])
    assert session.judgement(1).opinion.flags == () and box.flags.chips == {}


def test_a_custom_flag(qtbot, box, context, session):
    show_painted(qtbot, context)
    context.commands.run("flags")
    qtbot.waitUntil(box.flags.menu.isVisible)
    qtbot.keyClick(box.flags.menu, Qt.Key.Key_O)
    box.activateWindow()  # without a window manager nobody gives it back after a menu
    qtbot.waitUntil(box.flags.custom.hasFocus)
    qtbot.keyClicks(box.flags.custom, "ring  of fire")
    qtbot.keyClick(box.flags.custom, Qt.Key.Key_Return)
    assert session.judgement(1).opinion.flags == ("ring of fire",) and box.flags.custom.isHidden()
    assert "ring of fire" in box.flags.chips


def test_an_unfinished_custom_flag_is_not_set(qtbot, box, context, session):
    show_painted(qtbot, context)
    box.flags.custom.ask()
    qtbot.waitUntil(box.flags.custom.hasFocus)
    qtbot.keyClicks(box.flags.custom, "half")
    context.current.go_to(2)
    assert session.judgement(1) is None and session.judgement(2) is None
    assert box.flags.custom.text() == ""


def test_many_flags_leave_room_and_are_counted(qtbot, box, context):
    show_painted(qtbot, context)
    for name in (*FLAGS, "a rather long name of an own flag"):
        context.current.toggle_flag(name)
    QApplication.processEvents()
    assert box.minimumSizeHint().width() <= 640 and box.edit.width() >= 140
    assert len(box.flags.chips) == 3 and box.flags.rest.text() == "+6"
    start_over(qtbot, context)
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
    flags.set_room(440)
    start_over(qtbot, context)
    for name in ("noisy", "calibration"):
        context.current.toggle_flag(name)
    assert list(box.flags.chips) == ["noisy", "calibration"]
    font = box.flags.font()
    font.setPointSizeF(24.0)
    box.flags.setFont(font)
    assert box.flags.chips == {} and box.flags.rest.isVisible() and box.flags.rest.text() == "+2"
    assert box.flags.rest.toolTip() == "noisy, calibration"


def test_every_flag_has_a_letter_and_other_letters_none(qtbot, context):
    letters = [letter for letter, _ in FLAGS.values()]
    assert len(set(letters)) == len(letters) and "O" not in letters
    menu = FlagMenu()
    qtbot.addWidget(menu)
    menu.show_flags(())
    chosen = []
    menu.chosen.connect(chosen.append)
    qtbot.keyClick(menu, Qt.Key.Key_Q)
    assert chosen == []
