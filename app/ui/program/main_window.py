"""The main window: welcome, import and session pages."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QMainWindow, QMessageBox, QStackedWidget

from agent.errors import WorkbenchError
from app.core.session.session import Session
from app.rooms import rooms
from app.ui.base.actions.commands import Commands
from app.ui.base.background.runner import Runner
from app.ui.base.crash_report import log_folder, open_folder
from app.ui.base.keys.keymap import Keymap
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.message_texts import translate_message
from app.ui.exchange.sharing.known_hider import KnownHider
from app.ui.program.help.help_windows import HelpWindows
from app.ui.program.help.pages import FINDING, MODELS, add_help_key, help_page_for
from app.ui.program.menus import MenuRow
from app.ui.program.samp.window_samp import WindowSamp
from app.ui.program.session_view import SessionView
from app.ui.program.settings_dialog.settings_dialog import SettingsDialog
from app.ui.program.tour import Tour
from app.ui.program.window_keys import WindowKeys
from app.ui.session.candidate.view_options import View, ViewOptions
from app.ui.session.session_context import WindowContext
from app.ui.start.importing.drop_zone import DropZone
from app.ui.start.opening import Opening
from app.ui.widgets.input_filter import InputFilter

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

TITLE = "Spec-o3 Workbench"


class MainWindow(QMainWindow):
    closing = Signal()  # rooms close with it, before what they use does

    def __init__(self, settings: SettingsStore, current_theme: CurrentTheme) -> None:
        super().__init__()
        self.setWindowTitle(TITLE)
        self.setMinimumSize(1024, 640)
        self.resize(QSize(1440, 900).boundedTo(self.screen().availableSize() - QSize(8, 40)))
        self.settings, self.current_theme = settings, current_theme
        self.runner = Runner(self)
        self.commands = Commands(self)
        self.keymap = Keymap(settings, self)
        self.view: SessionView | None = None
        self._stack = QStackedWidget()
        self.setCentralWidget(self._stack)
        self.opening = Opening(self, self._stack, settings, current_theme, self.runner)
        self.keys = WindowKeys(
            self, self.commands, self.keymap, self.focus_plot, self._leave_field, self._page
        )
        self.settings_dialog: SettingsDialog | None = None
        language, open_session = settings.settings.language, self.opening.open_session
        self.help = HelpWindows(
            self, language, self.commands, current_theme, self.runner, self._help_page
        )
        self.input_filter = InputFilter(self, self.keys.filter.handlers)
        self.menu_row = MenuRow(
            self, settings, self.commands, self.keymap, self.keys.is_available, open_session
        )
        self.tour = Tour(self, self.keymap, settings, current_theme)
        self.known = KnownHider(self.opening)
        self.state = WindowState(self, settings)
        self.leaving = Leaving(self, self.state)
        self.drop_zone = DropZone(self, current_theme, self.runner)
        self.drop_zone.dropped.connect(self.opening.open_given)
        self.samp = WindowSamp(settings, self.commands, self)
        self.samp.given.connect(self.opening.open_given)
        self.opening.welcome.about.clicked.connect(self.help.show_about)
        self.opening.welcome.find_button.clicked.connect(self._find_in_folder)
        self.runner.failed.connect(self._report_error)
        for fault in (settings.write_failed, self.samp.failed):
            fault.connect(self.show_error)
        self._reset_commands()
        self._repeat_fault = bool(settings.fault)
        self.opening.welcome.problem.show_problem(settings.fault)

    def reopen(self) -> bool:
        """Reopen a session that a crash left open; return False if there is none."""
        left = self.state.take_left_open()
        if left is None:
            return False
        self.opening.reopen(*left)
        return True

    def close_session(self) -> None:
        if self.view is None:
            return
        self.tour.end()
        self.menu_row.leave()
        self.state.detach()
        self.samp.detach()
        view, self.view = self.view, None
        self._reset_commands()
        view.close_session()
        self._stack.removeWidget(view)
        view.deleteLater()
        self.setWindowTitle(TITLE)

    def focus_plot(self) -> None:
        if self.view is not None:
            self.view.focus_page()

    def _leave_field(self) -> None:
        self.opening.welcome.dismiss_prompt()
        self.focus_plot()

    def _page(self) -> str:
        return "" if self.view is None else self.view.page

    def _help_page(self) -> str:
        """The page of the guide about what is on screen."""
        if self.opening.is_importing or self.view is None:
            return help_page_for("", is_importing=self.opening.is_importing)
        return help_page_for(self.view.page, in_agent=self.view.judging.is_at_agent)

    def _reset_commands(self) -> None:
        self.commands.clear()
        for name, call in (
            ("help", self.help.show_guide),
            ("keys", self.keys.overlay.toggle),
            ("palette", self.keys.palette.toggle),
            ("full_screen", self._toggle_full_screen),
            ("tour", self.take_tour),
            ("about", self.help.show_about),
            ("crash_reports", lambda: open_folder(log_folder(), self.show_error)),
            ("settings", self._show_settings),
            ("services", partial(self._show_settings, services=True)),
            ("open_list", self.opening.choose_list),
            ("open_folder", self.opening.choose_folder),
            ("open_session", self.opening.choose_session),
            ("open_archive", self.opening.open_archive),
            ("find_in_folder", self._find_in_folder),
            ("welcome", self.opening.show_welcome),
            ("quit", self.close),
            ("escape", self._escape),
        ):
            self.commands.add(name, call)
        self.samp.add_commands()
        for name, room in rooms().items():
            self.commands.add(name, partial(self._open_room, room))

    def show_guide(self, page: str = "") -> None:
        self.help.show_guide(page)

    @property
    def is_new_person(self) -> bool:
        return self.tour.is_new

    def _open_room(self, room: EntryPoint) -> None:
        room.load()(self)

    def take_tour(self) -> None:
        if self.view is None:
            self.opening.open_sample(with_tour=True)
        else:
            self.tour.start(self.view)

    def _escape(self) -> None:
        if self.opening.is_importing:
            self.opening.go_back()
        elif self.view is not None and self.view.page == "judging_page":
            self.view.context.agent.stop()

    def _find_in_folder(self) -> None:
        is_new = self.opening.finding is None
        dialog = self.opening.find_in_folder()
        if is_new:
            add_help_key(dialog, FINDING, self.show_guide)

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _show_settings(self, *, services: bool = False) -> None:
        if self.settings_dialog is None:
            self.settings_dialog = SettingsDialog(self.settings, self.keymap, self.runner, self)
            add_help_key(self.settings_dialog.agent, MODELS, self.show_guide)
        self.settings_dialog.open_page(self.settings_dialog.services if services else None)

    def show_session(self, session: Session, first: int | None = None) -> None:
        """Show the session at candidate `first`; None: the first one to judge."""
        try:
            self._build_view(session)
        except Exception as error:  # a stranger's session may hold what no check foresees
            self._refuse(session, error)
            return
        assert self.view is not None
        if self._repeat_fault:
            self._repeat_fault = False
            self.view.status.show_error(self.settings.fault)
        QTimer.singleShot(0, self.view, partial(self._start, self.view, first))

    def _start(self, view: SessionView, first: int | None) -> None:
        view.start(first)
        self.leaving.go_on(view)

    def leave_then(self, go: Callable[[], object]) -> None:
        """Do what closes the session, after a question where the agent is inspecting its list."""
        if self.leaving.may_leave(self.view, go):
            go()

    def _build_view(self, session: Session) -> None:
        shared = WindowContext(
            commands=self.commands,
            keymap=self.keymap,
            settings=self.settings,
            current_theme=self.current_theme,
            runner=self.runner,
            view=self.state.view,
        )
        self.view = SessionView(session, shared, self._stack)
        self.view.dialogs.help_requested.connect(self.show_guide)
        self._stack.addWidget(self.view)
        self._stack.setCurrentWidget(self.view)
        self.setWindowTitle(f"{session.name} · {task_text(session.task.name)} · {TITLE}")
        self.opening.remember(session)
        self.state.attach(self.view)
        self.samp.attach(self.view)
        self.known.attach(self.view)
        self.commands.add("other_class", self.opening.judge_other_class)
        self.menu_row.follow(self.view)

    def _refuse(self, session: Session, error: Exception) -> None:
        self.close_session()
        for half_built in self._stack.findChildren(SessionView):
            half_built.close_session()
            half_built.deleteLater()
        self._reset_commands()
        self.opening.refuse(session, error)

    def _report_error(self, error: WorkbenchError) -> None:
        if self.view is None:  # else the status line shows it
            self.show_error(translate_message(str(error)))

    def show_error(self, text: str) -> None:
        if self.view is None:
            self.opening.welcome.problem.show_problem(text)
        else:
            self.view.status.show_error(text)

    def closeEvent(self, event: QCloseEvent) -> None:
        # Everything is saved already; only a list that is being inspected is asked about.
        if not self.leaving.may_leave(self.view, self.close):
            event.ignore()
            return
        self.state.save()
        self.help.close()
        self.close_session()
        self.opening.stop()
        self.closing.emit()
        parts = (self.samp, self.runner, self.opening, self.keys.filter)
        for part in (*parts, self.input_filter, self.settings):
            part.close()
        super().closeEvent(event)


# Asks before a list that the agent is inspecting is left, and goes on with it later.
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


# Stores the state of the window: geometry, panels, view options and the open session.
# It is saved as it changes, so that a crash loses nothing.
SAVE_AFTER_MS = 1000
# The candidate changes all the time, and each save takes a few milliseconds.
SAVE_CANDIDATE_AFTER_MS = 5000
MAX_SCREENS = 20
MAX_RUNS = 12
MAX_NUMBER = 2**63 - 1
SAVED_OPTIONS = (
    *("lines", "labels", "errors", "mask", "rest_axis", "smoothing"),
    *("keep_window", "keep_velocity"),
)
_WINDOW_EVENTS = frozenset({QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.WindowStateChange})


LeftOpen = tuple[str, int | None]
"""Where a session is that was open when the program crashed, and the candidate on screen."""


class WindowState(QObject):
    def __init__(self, window: QMainWindow, settings: SettingsStore) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self._session: SessionView | None = None
        self.view = View(_options(settings.settings.view), self)
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)
        self._candidate_timer = QTimer(self, singleShot=True, interval=SAVE_CANDIDATE_AFTER_MS)
        self._candidate_timer.timeout.connect(self.save)
        self.view.changed.connect(self._save_soon)
        layout = _decoded(settings.settings.layout)
        if geometry := _bytes(layout.get("geometry")):
            window.restoreGeometry(QByteArray(geometry))
        self._docks = _docks(layout.get("docks"))
        """State of the docks by the size of the screen, as it fits no other."""
        self.left_open = _left_open(layout.get("open"))  # None if the program was closed normally
        self._runs = _runs(layout.get("runs"))
        """Sessions that were left while the agent was inspecting their lists."""
        window.installEventFilter(self)

    def attach(self, session: SessionView) -> None:
        """Restore the panels, and reset options that depend on the session's objects."""
        self._session = session
        self.view.set_window(None)
        fresh = ViewOptions()
        self.view.change(z=fresh.z, template=fresh.template, line_sets=fresh.line_sets)
        if state := self._docks.get(self._screen()):
            session.judging.dock_area.restore(QByteArray(state))
        session.judging.dock_area.layout_changed.connect(self._save_soon)
        session.context.current.candidate_changed.connect(self._save_candidate_later)
        self._save_soon()

    def detach(self) -> None:
        """Save the state before the session is closed normally."""
        self.save()
        self._session = None
        self.save()

    def take_left_open(self) -> LeftOpen | None:
        """The session that a crash left open; a second crash will not open it again."""
        left, self.left_open = self.left_open, None
        if left is not None:
            self.save()
            self._settings.flush()
        return left

    def note_run(self, location: str) -> None:
        self._runs = (location, *(each for each in self._runs if each != location))[:MAX_RUNS]
        self.save()

    def take_run(self, location: str) -> bool:
        """Whether the agent was inspecting this list when it was left; told once."""
        is_there = location in self._runs
        self._runs = tuple(each for each in self._runs if each != location)
        return is_there

    def save(self) -> None:
        self._timer.stop()
        self._candidate_timer.stop()
        session = self._session
        if session is not None:
            self._docks[self._screen()] = bytes(session.judging.dock_area.state().data())
        layout = {
            "geometry": _text(bytes(self._window.saveGeometry().data())),
            "docks": {size: _text(state) for size, state in self._docks.items()},
            "open": _open(session),
            "runs": self._runs,
        }
        options, defaults = asdict(self.view.options), asdict(ViewOptions())
        changed = {name: options[name] for name in SAVED_OPTIONS if options[name] != defaults[name]}
        encoded = base64.b64encode(json.dumps(layout).encode()).decode()
        self._settings.change(layout=encoded, view=changed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _WINDOW_EVENTS and self._window.isVisible():
            self._save_soon()
        return False

    def _screen(self) -> str:
        size = self._window.screen().size()
        return f"{size.width()}x{size.height()}"

    def _save_soon(self) -> None:
        if not self._timer.isActive():  # restarting it could delay saving forever
            self._timer.start()

    def _save_candidate_later(self) -> None:
        if not self._candidate_timer.isActive():
            self._candidate_timer.start()


def _open(session: SessionView | None) -> Mapping[str, object] | None:
    if session is None or session.session.is_read_only:
        return None
    location, number = session.session.location, session.context.current.candidate_id
    if not isinstance(location, Path):
        return None  # a session on a server is not reopened without asking
    return {"place": str(location.absolute()), "candidate": number}


def _text(state: bytes) -> str:
    return base64.b64encode(state).decode()


# The settings file may be damaged or come from somebody else, so each value is checked.


def _decoded(text: str) -> Mapping[str, Any]:
    try:
        layout = json.loads(base64.b64decode(text, validate=True) or b"{}")
    except (ValueError, RecursionError, binascii.Error):
        return {}
    return layout if isinstance(layout, dict) else {}


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except (ValueError, binascii.Error):
        return b""


def _left_open(value: Any) -> LeftOpen | None:
    if not isinstance(value, dict) or not isinstance(value.get("place"), str):
        return None
    number = value.get("candidate")
    is_number = type(number) is int and 0 < number <= MAX_NUMBER
    return value["place"], number if is_number else None


def _runs(value: Any) -> tuple[str, ...]:
    found = value[:MAX_RUNS] if isinstance(value, list) else []
    return tuple(each for each in found if isinstance(each, str))


def _docks(value: Any) -> dict[str, bytes]:
    entries = list(value.items())[:MAX_SCREENS] if isinstance(value, dict) else []
    return {size: state for size, text in entries if (state := _bytes(text))}


def _options(saved: Any) -> ViewOptions:
    usual, view = ViewOptions(), View()
    for name, value in dict(saved).items():
        if name in SAVED_OPTIONS and type(value) is type(getattr(usual, name)):
            view.change(**{name: value})
    return view.options
