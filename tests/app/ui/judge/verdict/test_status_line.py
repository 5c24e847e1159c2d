"""Messages lie over the page and fade; errors stay and can be copied."""

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from agent.errors import WorkbenchError
from app.core.errors import SessionError
from app.ui.judge.verdict.status_line import StatusLine
from tests.app.ui.steps import click, shown_in


@pytest.fixture
def line(qtbot, context):
    page = QWidget()
    strip = QWidget(page)
    strip.setGeometry(0, 460, 760, 40)
    shown_in(qtbot, page, 760, 500)
    made = StatusLine(context, page, strip)
    made.page, made.strip = page, strip
    return made


def test_an_error_keeps_its_details_to_be_copied(qtbot, line, context):
    error = SessionError("the disk is full: make room")
    error.__cause__ = OSError(28, "No space left")
    context.current.report_error(error)
    assert line.message.full_text == "! the disk is full: make room"
    context.current.message.emit("something harmless")
    click(qtbot, line.details)
    qtbot.waitUntil(line.popup.isVisible)
    click(qtbot, line.popup.copy)
    line.popup.close()
    copied = QGuiApplication.clipboard().text()
    assert "the disk is full" in copied and "No space left" in copied


def test_errors_of_background_work_are_shown(qtbot, line, context):
    def break_down():
        raise WorkbenchError("the worker is gone")

    context.runner.run(break_down)
    qtbot.waitUntil(lambda: "the worker is gone" in line.message.text())


def test_messages_are_plain_fade_and_stay_inside_the_page(qtbot, line, context):
    assert not line.isVisible()
    context.current.message.emit("short")
    assert line.isVisible() and line.width() < 300
    click(qtbot, line.close_button)
    assert not line.isVisible()
    context.current.message.emit("<b>not bold</b> & plain")
    assert line.message.text() == "<b>not bold</b> & plain" and not line.details.isVisible()
    context.current.message.emit("long " * 500)
    assert line.page.rect().contains(line.geometry())
    assert line.geometry().bottom() < line.strip.y() and line.message.full_text == "long " * 500
    line.page.resize(500, 400)
    line.strip.setGeometry(0, 360, 500, 40)
    assert line.page.rect().contains(line.geometry())
    context.current.message.emit("something harmless")
    line._fade.timeout.emit()
    assert not line.isVisible()
    context.current.report_error(SessionError("the disk is full: make room"))
    line._fade.timeout.emit()
    assert line.isVisible() and "the disk is full" in line.message.text()
    for number in range(50):
        context.current.failed.emit(f"error {number}", "")
    assert len(line.errors) == 20 and line.errors[-1].message == "error 49"


def test_it_leaves_the_strip_of_each_page_free(line, context):
    other = QWidget(line.page)
    other.setGeometry(0, 430, 760, 70)
    line.lie_above(other)
    context.current.message.emit("Saved: 5 changed")
    line.strip.hide()
    assert line.geometry().bottom() > 430
    other.show()
    assert line.geometry().bottom() < 430
    other.hide()
    line.strip.show()
    assert 430 < line.geometry().bottom() < 460
