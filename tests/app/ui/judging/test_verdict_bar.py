"""The verdict bar: buttons record verdicts and show the saved one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.core.session.records import Verdict
from app.core.session.session import open_session
from app.ui.judging.verdict_bar import VerdictBar
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import painted, show_painted, shown_in

LEFT = Qt.MouseButton.LeftButton


def test_a_click_before_the_spectrum_is_drawn_marks_nothing(qtbot, bar, context, session):
    context.current.go_to(1)
    qtbot.mouseClick(bar.buttons[Verdict.ACCEPT], LEFT)
    assert session.judgement(1) is None
    assert not bar.buttons[Verdict.ACCEPT].isChecked()


def test_undo_and_redo_by_click(qtbot, bar, context, session):
    show_painted(qtbot, context)
    context.commands.run("accept")
    painted(qtbot, context, 2)
    qtbot.mouseClick(bar.undo, LEFT)
    assert session.judgement(1) is None
    qtbot.mouseClick(bar.redo, LEFT)
    assert session.judgement(1).opinion.verdict is Verdict.ACCEPT


def test_buttons_show_rebound_keys(qtbot, bar, context):
    assert bar.buttons[Verdict.ACCEPT].key == "A"
    context.keymap.rebind("accept", ["J"])
    assert bar.buttons[Verdict.ACCEPT].key == "J"


def test_an_unreadable_spectrum_disables_the_verdict_buttons(
    qtbot, bar, context, session, tmp_path
):
    show_painted(qtbot, context)
    context.current._set_spectrum(None, "no such file")
    assert not any(each.isEnabled() for each in bar.buttons.values())
    assert "unreadable" in bar.state.verdict.text()
    show_painted(qtbot, context, 2)
    assert all(each.isEnabled() for each in bar.buttons.values())


def test_a_read_only_session_disables_all_buttons(qtbot, session, tmp_path):
    session.close()
    with (
        open_session(tmp_path / "night.speco3", "Ada", read_only=True) as closed,
        opened_context(closed) as context,
    ):
        bar = shown_in(qtbot, VerdictBar(context))
        show_painted(qtbot, context)
        assert "read-only" in bar.state.saved.full_text
        assert not any(each.isEnabled() for each in (*bar.buttons.values(), bar.undo))
        with qtbot.waitSignal(context.current.failed):
            context.commands.run("blind")


def test_it_fits_a_small_laptop(qtbot, bar):
    assert bar.minimumSizeHint().width() <= 620


@pytest.mark.parametrize("width", [1280, 1440, 1600])
def test_three_flags_need_no_second_row(qtbot, context, width):
    bar = shown_in(qtbot, VerdictBar(context), width, 40)
    show_painted(qtbot, context)
    assert bar.heightForWidth(width) < 50
    flags = bar.comment.flags
    for name in ("noisy", "velocity", "calibration"):
        context.current.toggle_flag(name)
        parts = (*flags.chips.values(), flags.rest)
        qtbot.waitUntil(lambda parts=parts: any(each.isVisible() for each in parts))
        QApplication.processEvents()
        assert bar.heightForWidth(width) < 50
    assert len(flags.chips) == 3 or flags.rest.isVisible()
    bar.resize(560, 200)
    qtbot.waitUntil(lambda: len(flags.chips) == 3)  # in rows of their own there is room
