"""Steps that tests of the window share."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, QPointF, Qt, QTranslator
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from sqlalchemy import update

from app.core.database.tables import candidates
from app.core.queue.filters import EVERYTHING
from app.core.queue.sorts import LIST_ORDER
from app.core.session.records import Change
from app.core.session.session import Session
from app.ui.base.translation.languages import install_translators
from app.ui.session.session_context import SessionContext
from tests.processes import LONG_S


def show_painted(qtbot, context: SessionContext, number: int = 1) -> None:
    """Show a candidate and note its spectrum as painted, as the plot does."""
    current = context.current
    if current.candidate is None or current.candidate.id != number:
        current.go_to(number)
    painted(qtbot, context, number)


def painted(qtbot, context: SessionContext, number: int) -> None:
    current = context.current
    qtbot.waitUntil(lambda: current.candidate is not None and current.candidate.id == number)
    qtbot.waitUntil(lambda: current.spectrum is not None)
    current.note_painted(number)


def shown_in(qtbot, widget, width: int = 640, height: int = 480):
    """Show the widget in an active window, with nothing focused."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    widget.activateWindow()
    qtbot.waitExposed(widget)
    return widget


def activated(qtbot, window: QWidget) -> None:
    """Wait until this is the active window."""

    def is_active() -> bool:
        # Asked again: the offscreen platform forgets it while another window is being closed.
        if not window.isActiveWindow():
            window.activateWindow()
        return window.isActiveWindow()

    qtbot.waitUntil(is_active, timeout=round(1000 * LONG_S))


def let_go(qtbot, button=Qt.MouseButton.LeftButton):
    """Let go of a button that a double click of QTest leaves pressed; a field takes it silently."""
    field = QLineEdit()
    qtbot.addWidget(field)
    QTest.mouseRelease(field, button)


def heard(qtbot, signal, act):
    """The first thing that a signal tells when this is done; `act` is called."""
    with qtbot.waitSignal(signal) as signals:
        act()
    return signals.args[0]


def start_over(qtbot, context: SessionContext) -> None:
    """As when the session was opened: nothing judged, the first candidate painted."""
    current = context.current
    if (current.queue.tree, current.queue.sort) != (EVERYTHING, LIST_ORDER):
        current.set_queue(EVERYTHING, LIST_ORDER)
    current.go_to(1)  # which saves a comment that was typed
    while context.bridge.session.undo() is not None:
        pass
    qtbot.waitUntil(lambda: not current._search.is_busy)
    show_painted(qtbot, context, 1)


@contextmanager
def speaking(language: str) -> Iterator[list[QTranslator]]:
    """The window speaks this language meanwhile."""
    application = QApplication.instance()
    translators = install_translators(application, language)
    try:
        yield translators
    finally:
        for each in translators:
            application.removeTranslator(each)


def give_opinion(session: Session, number: int, verdict: str | None, p_yes: float | None) -> None:
    """Store the opinion of the model nano on a candidate."""
    said = {"agent_verdict": verdict, "agent_p_yes": p_yes, "agent_model": "nano"}
    values = {**said, "agent_stopped_by": "answer"}
    with session.database.writing() as connection:
        connection.execute(update(candidates).where(candidates.c.id == number).values(values))
    session.changed.emit(Change(aspect="inspection", candidate_ids=frozenset({number})))


def is_there(pid: int) -> bool:
    """Whether a process is."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def write(qtbot, field, text: str, key=Qt.Key.Key_Return) -> None:
    """Write over what is in the field, and press a key."""
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, key)


def click(qtbot, widget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def press_tool(qtbot, tools, name) -> None:
    """Open a control of the plot by its button, or under "More" where it stands while unused."""
    if tools.buttons[name].isHidden():
        click(qtbot, tools.buttons["links"])
        click(qtbot, tools.entries[name])
    else:
        click(qtbot, tools.buttons[name])


def said(qtbot, context: SessionContext, act) -> str:
    """The message that a command leads to, by its name, or anything else that is called."""
    call = partial(context.commands.run, act) if isinstance(act, str) else act
    return heard(qtbot, context.current.message, call)


def turn_wheel(widget, notches: float, at=None, held=Qt.KeyboardModifier.NoModifier) -> None:
    """Turn the wheel over a widget, or its viewport, as a person does."""
    at = widget.rect().center() if at is None else at
    QApplication.sendEvent(
        widget,
        QWheelEvent(
            QPointF(at), widget.mapToGlobal(QPointF(at)), QPoint(), QPoint(0, round(120 * notches)),
            Qt.MouseButton.NoButton, held, Qt.ScrollPhase.NoScrollPhase, False
        )
    )  # fmt: skip


def texts_of(widget: QWidget) -> Iterator[str]:
    """What the widget says: on screen, in tips and to a screen reader."""
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
    yield from (widget.windowTitle(), widget.statusTip(), widget.whatsThis())
    if isinstance(widget, (QPlainTextEdit, QTextEdit)):
        yield widget.toPlainText()
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        model = widget.model()
        for row in range(min(model.rowCount(), 200)):
            for column in range(model.columnCount(QModelIndex())):
                yield str(model.index(row, column).data(Qt.ItemDataRole.DisplayRole) or "")
    elif isinstance(widget, (QLabel, QLineEdit)) or callable(getattr(widget, "text", None)):
        text = widget.text()
        yield text if isinstance(text, str) else ""
    for name in ("texts", "caption", "full_text"):  # painted
        value = getattr(widget, name, None)
        if isinstance(value, str):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (each for each in value if isinstance(each, str))
