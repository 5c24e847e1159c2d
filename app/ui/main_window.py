"""The main window: welcome, import and session pages."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget

from agent.errors import WorkbenchError
from app.core.database.locations import shown_location
from app.core.errors import SessionHeldError
from app.core.session.session import Session
from app.core.session.spectra_folders import open_with_spectra
from app.rooms import rooms
from app.ui.actions.commands import Commands
from app.ui.background.runner import Runner
from app.ui.crash.crash_report import log_folder, open_folder
from app.ui.fetching.archive_opener import ArchiveOpener
from app.ui.help.context_help import ABOUT, MODELS, add_help_key, help_page_for
from app.ui.importing.drop_zone import DropZone
from app.ui.importing.given_paths import GivenKind, GivenPaths
from app.ui.importing.ready_made_sessions import sample_session, spectrum_session
from app.ui.importing.same_lists import lists_of
from app.ui.keys.command_palette import CommandPalette
from app.ui.keys.key_filter import ANYWHERE, KeyFilter
from app.ui.keys.keymap import Keymap
from app.ui.keys.keys_overlay import KeysOverlay
from app.ui.menus.menu_row import MenuRow
from app.ui.samp.samp_desk import SampDesk
from app.ui.session_opener import OpenRequest, SessionOpener, reported
from app.ui.session_view import SessionView
from app.ui.settings.settings import reviewer_name
from app.ui.settings.settings_store import SettingsStore
from app.ui.settings_dialog.settings_dialog import SettingsDialog
from app.ui.sharing.known_hider import KnownHider
from app.ui.start.locked_page import LockedPage
from app.ui.start.outside_folders import ask_about_folders
from app.ui.start.recent import remember
from app.ui.start.welcome_page import WelcomePage
from app.ui.theme.theme import CurrentTheme
from app.ui.tour.tour import Tour
from app.ui.translation.data_texts import task_text
from app.ui.translation.languages import language_of
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.file_dialogs import choose_lists, choose_session
from app.ui.widgets.input_filter import InputFilter
from app.ui.widgets.labels import short_label
from app.ui.window_state import LeftOpen, WindowState

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from app.ui.help.about_dialog import AboutDialog
    from app.ui.help.guide_reader import GuideReader
    from app.ui.importing.import_page import ImportPage

TITLE = "Spec-o3 Workbench"


class MainWindow(QMainWindow):
    closing = Signal()
    """Rooms close with it, before what they use does."""

    def __init__(self, settings: SettingsStore, current_theme: CurrentTheme) -> None:
        super().__init__()
        self.setWindowTitle(TITLE)
        self.setMinimumSize(1024, 640)
        self.resize(QSize(1440, 900).boundedTo(self.screen().availableSize() - QSize(8, 40)))
        self.settings, self.current_theme = settings, current_theme
        self.runner = Runner(self)
        self.opener = SessionOpener(self.runner, self)
        self.commands = Commands(self)
        self.keymap = Keymap(settings, self)
        self.view: SessionView | None = None
        self._stack = QStackedWidget()
        self.setCentralWidget(self._stack)
        self.welcome = WelcomePage(settings, current_theme, self.runner)
        self.importing: ImportPage | None = None
        self.locked = LockedPage(current_theme)
        self._waiting = short_label("")
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for page in (self.welcome, self.locked, self._waiting):
            self._stack.addWidget(page)
        self.overlay = KeysOverlay(self.keymap, self)
        self.command_palette = CommandPalette(self.commands, self.keymap, self, self.is_available)
        self.command_palette.closed.connect(self.focus_plot)
        self.settings_dialog: SettingsDialog | None = None
        self.guide: GuideReader | None = None
        self._language = language_of(settings.settings.language)  # until the window is closed
        self.key_filter = KeyFilter(
            self.commands, self.keymap, self, self._leave_field, self.is_available
        )
        self.input_filter = InputFilter(self, self.key_filter.handlers)
        self.menu_row = MenuRow(self, settings, self.commands, self.keymap)
        self.menu_row.ask(self.is_available, self.open_session)
        self.tour = Tour(self, self.keymap, settings, current_theme)
        self.about: AboutDialog | None = None
        self.archives = ArchiveOpener(self.runner, self, self.import_lists, self.open_spectrum)
        self.known = KnownHider(self)
        self.state = WindowState(self, settings)
        self.drop_zone = DropZone(self, current_theme, self.runner)
        self.drop_zone.dropped.connect(self.open_given)
        self.samp = SampDesk(settings, self.commands, self)
        self.samp.given.connect(self.open_given)
        self.welcome.list_chosen.connect(self.import_lists)
        self.welcome.session_chosen.connect(self.open_session)
        self.welcome.sample_requested.connect(self.open_sample)
        self.welcome.spectrum_chosen.connect(self.open_spectrum)
        self.welcome.about_requested.connect(self.show_about)
        self.locked.read_only_requested.connect(partial(self.open_session, read_only=True))
        self.locked.retry_requested.connect(self.open_session)
        self.locked.closed.connect(self.show_welcome)
        self.runner.failed.connect(self._report_error)
        for fault in (settings.write_failed, self.samp.failed):
            fault.connect(self.show_error)
        self._reset_commands()
        self._repeat_fault = bool(settings.fault)
        self.welcome.show_problem(settings.fault)

    def open_session(self, location: Path | str, *, read_only: bool = False) -> None:
        self.wait_for(self.tr("Opening {name}").replace("{name}", shown_location(location)))
        make = partial(open_with_spectra, location, self._reviewer(), read_only=read_only)
        failed = partial(self.on_session_failed, location, read_only)
        self.opener.open(OpenRequest(make, self.show_session, failed))

    def open_sample(self, *, with_tour: bool = False) -> None:
        """Open the sample, with the tour for a new user or if wanted."""
        self.wait_for(self.tr("Opening the sample"))
        make = partial(sample_session, self._reviewer(), blind=self.settings.settings.blind)
        show = self._show_with_tour if with_tour or self.tour.is_new else self.show_session
        self.opener.open(OpenRequest(make, show, self._on_open_failed))

    def begin_with_sample(self) -> None:
        self.welcome.name_prompt.ask_before(self.open_sample)

    def open_spectrum(self, path: Path) -> None:
        """Open one spectrum in a session of its own, stored with the program's data."""
        self.wait_for(self.tr("Opening {name}").replace("{name}", path.name))
        make = partial(spectrum_session, path, self._reviewer(), blind=self.settings.settings.blind)
        self.opener.open(OpenRequest(make, self.show_session, self._on_open_failed))

    def reopen(self) -> bool:
        """Reopen a session that a crash left open; return False if there is none."""
        left = self.state.take_left_open()
        if left is None:
            return False
        self.wait_for(self.tr("Opening {name}").replace("{name}", shown_location(left.location)))
        make = partial(open_with_spectra, left.location, self._reviewer())
        show = partial(self._show_left_open, left)
        self.opener.open(OpenRequest(make, show, self._on_reopen_failed))
        return True

    def open_given(self, given: GivenPaths) -> None:
        """Open what the command line, a file manager or a drop gave."""
        if given.kind is GivenKind.SESSION:
            self.open_session(given.paths[0])
        elif given.kind is GivenKind.SPECTRUM:
            self.open_spectrum(given.paths[0])
        elif given.kind is GivenKind.LIST:
            self.import_lists(list(given.paths))
        elif self.view is not None:
            self.view.context.current.message.emit(given.reason)
        else:
            self._on_open_failed(WorkbenchError(given.reason))

    def import_lists(self, paths: list[Path], came_from: Session | None = None) -> None:
        from app.ui.importing.import_page import ImportPage

        self.opener.cancel()
        self.welcome.name_prompt.skip()
        if self.importing is None:
            self.importing = ImportPage(self.settings, self.current_theme, self.runner, self._stack)
            self.importing.session_created.connect(self.open_session)
            self.importing.cancelled.connect(self.show_welcome)
            self._stack.addWidget(self.importing)
            if self.view is not None:  # closing it takes as long: it has a turn to itself
                QTimer.singleShot(1, self.view, partial(self.import_lists, paths, came_from))
                return
        self.importing.show_lists(paths, came_from)
        self.close_session()
        self._stack.setCurrentWidget(self.importing)

    def _judge_other_class(self) -> None:
        if self.view is not None and (lists := lists_of(self.view.session)):
            self.import_lists(list(lists), self.view.session)

    def show_welcome(self) -> None:
        self.opener.cancel()
        self.close_session()
        self.welcome.refresh()
        self._stack.setCurrentWidget(self.welcome)

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
        self.welcome.dismiss_prompt()
        self.focus_plot()

    def is_available(self, name: str) -> bool:
        """Whether the page on screen offers this command."""
        if name in ANYWHERE or self.commands.is_overridden(name):
            return True
        page = "" if self.view is None else self.view.page
        return page == "judging_page" or (page == "history_page" and name in ("undo", "redo"))

    def _reset_commands(self) -> None:
        self.commands.clear()
        for name, call in (
            ("help", self.show_guide),
            ("keys", self.overlay.toggle),
            ("palette", self.command_palette.toggle),
            ("full_screen", self._toggle_full_screen),
            ("tour", self.take_tour),
            ("about", self.show_about),
            ("crash_reports", partial(open_folder, log_folder(), self.show_error)),
            ("settings", self._show_settings),
            ("services", partial(self._show_settings, services=True)),
            ("open_list", self._choose_list),
            ("open_session", self._choose_session),
            ("open_archive", self.archives.open),
            ("welcome", self.show_welcome),
            ("quit", self.close),
            ("escape", self._escape),
        ):
            self.commands.add(name, call)
        self.samp.add_commands()
        for name, room in rooms().items():
            self.commands.add(name, partial(self._open_room, room))

    def show_guide(self, page: str = "") -> None:
        """Open the guide at this page, by default at one about what is on screen."""
        from app.ui.help.guide_reader import GuideReader  # slow to import

        if self.guide is None:
            self.guide = GuideReader(self._language, self.current_theme)
        if not page and self.view is not None:
            page = help_page_for(self.view.page, in_agent=self.view.judging.is_at_agent)
        is_importing = self._stack.currentWidget() is self.importing
        self.guide.open_at(page or help_page_for("", is_importing=is_importing))

    def _open_room(self, room: EntryPoint) -> None:
        room.load()(self)

    def take_tour(self) -> None:
        if self.view is None:
            self.open_sample(with_tour=True)
        else:
            self.tour.start(self.view)

    def show_about(self) -> None:
        from app.ui.help.about_dialog import AboutDialog

        if self.about is None:
            self.about = AboutDialog(self.commands, self.current_theme, self.runner, self)
            add_help_key(self.about, ABOUT, self.show_guide)
        self.about.show_models()

    def _choose_list(self) -> None:
        if paths := choose_lists(self):
            self.import_lists(paths)

    def _choose_session(self) -> None:
        if (location := choose_session(self)) is not None:
            self.open_session(location)

    def _escape(self) -> None:
        if self.importing is not None and self._stack.currentWidget() is self.importing:
            self.importing.go_back()
        elif self.view is not None and self.view.page == "judging_page":
            self.view.context.agent.stop()

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _show_settings(self, *, services: bool = False) -> None:
        if self.settings_dialog is None:
            self.settings_dialog = SettingsDialog(self.settings, self.keymap, self.runner, self)
            add_help_key(self.settings_dialog.agent, MODELS, self.show_guide)
        self.settings_dialog.open_page(self.settings_dialog.services if services else None)

    def _reviewer(self) -> str:
        return reviewer_name(self.settings.settings)

    def wait_for(self, text: str) -> None:
        self.welcome.name_prompt.skip()
        self.close_session()
        self._waiting.setText(text)
        self._stack.setCurrentWidget(self._waiting)

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
        QTimer.singleShot(0, self.view, partial(self.view.start, first))

    def _build_view(self, session: Session) -> None:
        self.view = SessionView(
            session,
            commands=self.commands,
            keymap=self.keymap,
            settings=self.settings,
            current_theme=self.current_theme,
            runner=self.runner,
            view=self.state.view,
            parent=self._stack,
        )
        self.view.help_requested.connect(self.show_guide)
        self._stack.addWidget(self.view)
        self._stack.setCurrentWidget(self.view)
        self.setWindowTitle(f"{session.name} · {task_text(session.task.name)} · {TITLE}")
        self.settings.change(recent=remember(self.settings.settings.recent, str(session.location)))
        self.state.attach(self.view)
        self.samp.attach(self.view)
        self.known.attach(self.view)
        self.commands.add("other_class", self._judge_other_class)
        self.menu_row.follow(self.view)

    def _refuse(self, session: Session, error: Exception) -> None:
        self.close_session()
        for half_built in self._stack.findChildren(SessionView):
            half_built.close_session()
            half_built.deleteLater()
        self._reset_commands()
        self._on_open_failed(reported(error, session.location))

    def _show_with_tour(self, session: Session) -> None:
        self.show_session(session)
        if self.view is not None:
            QTimer.singleShot(0, self.view, self.take_tour)  # after the first candidate is shown

    def _show_left_open(self, left: LeftOpen, session: Session) -> None:
        self.show_session(session, left.candidate_id)
        if self.view is not None:
            self.view.status.show_message(
                self.tr("Reopened where you were: the program ended without closing this session")
            )

    def _on_reopen_failed(self, error: WorkbenchError) -> None:
        self.show_welcome()
        if not isinstance(error, SessionHeldError):  # another window may have it open
            self.welcome.show_problem(translate_message(str(error)))

    def on_session_failed(self, place: Path | str, read_only: bool, error: WorkbenchError) -> None:
        if isinstance(error, SessionHeldError):
            self.locked.show_holder(place, error)
            self._stack.setCurrentWidget(self.locked)
        elif ask_about_folders(self, error, partial(self.open_session, place, read_only=read_only)):
            self.show_welcome()
        else:
            self._on_open_failed(error)

    def _on_open_failed(self, error: WorkbenchError) -> None:
        self.show_welcome()
        self.welcome.show_problem(translate_message(str(error)))

    def _report_error(self, error: WorkbenchError) -> None:
        if self.view is None:  # else the status line shows it
            self.show_error(translate_message(str(error)))

    def show_error(self, text: str) -> None:
        show = self.welcome.show_problem if self.view is None else self.view.status.show_error
        show(text)

    def closeEvent(self, event: QCloseEvent) -> None:
        # Nothing to ask: everything is saved already.
        self.state.save()
        if self.guide is not None:
            self.guide.close()
            self.guide.deleteLater()
            self.guide = None
        self.close_session()
        if self.importing is not None:
            self.importing.stop()
        self.closing.emit()
        parts = (self.archives, self.samp, self.runner, self.opener)
        for part in (*parts, self.key_filter, self.input_filter, self.settings):
            part.close()
        super().closeEvent(event)
