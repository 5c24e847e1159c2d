"""Asks before a list that the agent is inspecting is left, and goes on with it later."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QMessageBox

from app.ui.program.session_view import SessionView
from app.ui.program.window_state import WindowState


class Leaving(QObject):
    """Which lists were left is kept with the state of the window, never in the session."""

    def __init__(self, window: QMainWindow, state: WindowState) -> None:
        super().__init__(window)
        self._window, self._state = window, state
        self.question: QMessageBox | None = None

    def may_leave(self, view: SessionView | None, go: Callable[[], object]) -> bool:
        """Whether nothing is running; otherwise ask, and call `go` once the person agrees."""
        if view is None or not view.context.agent.is_on_list:
            return True
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication) and application.isSavingSession():
            self._stop(view)  # the computer is shutting down: nobody answers
            return True
        if self.question is None:
            self.question = self._ask(view, go)
        self.question.open()
        return False

    def go_on(self, view: SessionView) -> None:
        """Go on with the list if it was left while it was being inspected."""
        agent = view.context.agent
        if not view.session.is_read_only and self._state.take_run(str(view.session.location)):
            agent.toggle_list_run()
            text = self.tr("The agent goes on with the list, which was left while it was running")
            view.status.show_message(text)

    def _ask(self, view: SessionView, go: Callable[[], object]) -> QMessageBox:
        state, question = view.context.agent.list_run.state, QMessageBox(self._window)
        question.setIcon(QMessageBox.Icon.Question)
        text = self.tr("The agent is inspecting the list: {done} done, {left} to go.")
        left = "…" if state.left is None else f"{state.left:,}"
        question.setText(text.replace("{done}", f"{state.done:,}").replace("{left}", left))
        later = self.tr("Leaving stops it. It goes on when you open this session again.")
        if state.is_of_selected:
            later = self.tr("Leaving stops it. What it has so far is saved.")
        question.setInformativeText(later)
        leave = question.addButton(self.tr("Stop and leave"), QMessageBox.ButtonRole.AcceptRole)
        stay = question.addButton(self.tr("Stay"), QMessageBox.ButtonRole.RejectRole)
        question.setDefaultButton(stay)
        question.setEscapeButton(stay)

        def answered() -> None:
            self.question = None
            question.deleteLater()
            if question.clickedButton() is leave:
                self._stop(view)
                go()

        question.finished.connect(answered)
        return question

    def _stop(self, view: SessionView) -> None:
        run = view.context.agent.list_run
        if run.state.is_running and not run.state.is_of_selected:
            self._state.note_run(str(view.session.location))
        run.stop()
