"""The window: a page before a session is open, and the session after."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QStackedWidget

from agent.errors import WorkbenchError
from app.core.errors import SessionHeldError
from app.core.session.session import Session, open_session
from app.ui.actions.commands import Commands
from app.ui.background.runner import Runner
from app.ui.crash.crash_report import log_folder, open_folder
from app.ui.help.where import ABOUT, EXPORT, MODELS, offer_guide, page_for
from app.ui.importing.drop_zone import DropZone
from app.ui.importing.given_paths import GivenKind, GivenPaths
from app.ui.importing.import_page import ImportPage
from app.ui.importing.ready_made_sessions import sample_session, spectrum_session
from app.ui.keys.command_palette import CommandPalette
from app.ui.keys.key_filter import ANYWHERE, KeyFilter
from app.ui.keys.keymap import Keymap
from app.ui.keys.keys_overlay import KeysOverlay
from app.ui.keys.menus import Menus
from app.ui.session_opener import OpenRequest, SessionOpener
from app.ui.session_view import SessionView
from app.ui.settings.reviewer import reviewer_name
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.settings_dialog.settings_dialog import SettingsDialog
from app.ui.start.locked_page import LockedPage
from app.ui.start.recent import remember
from app.ui.start.welcome_page import WelcomePage
from app.ui.theme.theme import CurrentTheme
from app.ui.tour.tour import Tour
from app.ui.translation.languages import language_of
from app.ui.translation.text_pairs import task_words
from app.ui.widgets.file_dialogs import choose_lists, choose_session
from app.ui.window_state import LeftOpen, WindowState

if TYPE_CHECKING:
    from app.ui.help.about_dialog import AboutDialog
    from app.ui.help.reader import GuideReader

TITLE = "Spec-o3 Workbench"


class MainWindow(QMainWindow):
    """One session at a time."""

    def __init__(self, settings: SettingsKeeper, current_theme: CurrentTheme) -> None:
        super().__init__()
        self.setWindowTitle(TITLE)
        self.resize(1440, 900)
        self.settings, self.current_theme = settings, current_theme
        self.runner = Runner(self)
        self.opener = SessionOpener(self.runner, self)
        self.commands = Commands(self)
        self.keymap = Keymap(settings, self)
        self.view: SessionView | None = None
        self._stack = QStackedWidget()
        self.setCentralWidget(self._stack)
        self.welcome = WelcomePage(settings, current_theme, self.runner)
        self.importing = ImportPage(settings, current_theme, self.runner)
        self.held = LockedPage(current_theme)
        for page in (self.welcome, self.importing, self.held):
            self._stack.addWidget(page)
        self._waiting = QLabel()
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._waiting.setTextFormat(Qt.TextFormat.PlainText)
        self._stack.addWidget(self._waiting)
        self.overlay = KeysOverlay(self.keymap, self)
        self.finder = CommandPalette(self.commands, self.keymap, self, self._makes_sense)
        self.finder.closed.connect(self.give_back)
        self.settings_dialog: SettingsDialog | None = None
        self.guide: GuideReader | None = None
        self._language = language_of(settings.settings.language)  # of this window, to its end
        self.key_filter = KeyFilter(
            self.commands, self.keymap, self, self._leave_field, self._makes_sense
        )
        self.menus = Menus(self.menuBar(), self.commands, self.keymap.label, self._makes_sense)
        self.tour = Tour(self, self.keymap, settings, current_theme)
        self.about: AboutDialog | None = None
        self.state = WindowState(self, settings)
        self.dropping = DropZone(self, current_theme, self.runner)
        self.dropping.given.connect(self.open_given)
        self.welcome.list_chosen.connect(self.import_lists)
        self.welcome.session_chosen.connect(self.open_session)
        self.welcome.sample_wanted.connect(self.open_sample)
        self.welcome.spectrum_chosen.connect(self.open_spectrum)
        self.welcome.about_wanted.connect(self.show_about)
        self.importing.session_made.connect(self.open_session)
        self.importing.left.connect(self.show_welcome)
        self.held.read_only_wanted.connect(self.open_read_only)
        self.held.retried.connect(self.open_session)
        self.held.left.connect(self.show_welcome)
        self.runner.failed.connect(self._tell)
        settings.said.connect(self.say)
        self._add_commands()
        self._has_untold_fault = bool(settings.fault)
        if settings.fault:
            self.welcome.show_problem(settings.fault)

    # Opening

    def open_session(self, place: Path | str) -> None:
        self._open(place, read_only=False)

    def open_read_only(self, place: Path | str) -> None:
        self._open(place, read_only=True)

    def open_sample(self) -> None:
        """Who is new here is led around it."""
        self._open_sample(with_tour=self.tour.is_new)

    def begin_with_sample(self) -> None:
        """As the program starts: who has no name here yet is asked for it before."""
        first, once = self.welcome.first, Qt.ConnectionType.SingleShotConnection
        if not first.is_asking:
            self.open_sample()
            return
        first.answered.connect(self.open_sample, once)
        first.put_off.connect(self.open_sample, once)

    def _open_sample(self, *, with_tour: bool) -> None:
        self._wait_for(self.tr("Opening the sample"))
        make = partial(sample_session, self._reviewer(), blind=self.settings.settings.blind)
        show = self._show_and_lead if with_tour else self._show_session
        self.opener.want(OpenRequest(make, show, self._not_opened))

    def open_spectrum(self, path: Path) -> None:
        """One spectrum alone: a session of one candidate, kept with the program's own data."""
        self._wait_for(self.tr("Opening {name}").replace("{name}", path.name))
        blind = self.settings.settings.blind
        make = partial(spectrum_session, path, self._reviewer(), blind=blind)
        self.opener.want(OpenRequest(make, self._show_session, self._not_opened))

    def reopen(self) -> bool:
        """What was open when the program ended without closing it; False: nothing was."""
        left, self.state.left_open = self.state.left_open, None
        if left is None:
            return False
        self.state.save()
        self.settings.flush()  # should it end so again, it starts with the welcome page
        self._wait_for(self.tr("Opening {name}").replace("{name}", left.location))
        make = partial(open_session, left.location, self._reviewer())
        self.opener.want(OpenRequest(make, partial(self._show_left, left), self._not_reopened))
        return True

    def open_given(self, given: GivenPaths) -> None:
        """What the command line, a file manager or a drop named."""
        if given.kind is GivenKind.SESSION:
            self.open_session(given.paths[0])
        elif given.kind is GivenKind.SPECTRUM:
            self.open_spectrum(given.paths[0])
        elif given.kind is GivenKind.LIST:
            self.import_lists(list(given.paths))
        elif self.view is not None:
            self.view.context.current.said.emit(given.reason)
        else:
            self._not_opened(WorkbenchError(given.reason))

    def import_lists(self, paths: list[Path]) -> None:
        self.opener.forget()
        self.welcome.first.go_on()
        self.close_session()
        self.importing.show_lists(paths)
        self._stack.setCurrentWidget(self.importing)

    def show_welcome(self) -> None:
        self.opener.forget()
        self.close_session()
        self.welcome.refresh()
        self._stack.setCurrentWidget(self.welcome)

    def close_session(self) -> None:
        if self.view is None:
            return
        self.tour.end()
        self.state.leave_session()
        view, self.view = self.view, None
        self.commands.forget()
        self._add_commands()
        view.close_session()
        self._stack.removeWidget(view)
        view.deleteLater()
        self.setWindowTitle(TITLE)

    def give_back(self) -> None:
        """The keys belong to the plot."""
        if self.view is not None:
            self.view.judging.give_back()

    def _leave_field(self) -> None:
        """Esc was pressed."""
        self.welcome.give_back()
        self.give_back()

    # What the window itself answers to

    def _makes_sense(self, name: str) -> bool:
        """Judging is for the page that shows the spectrum; undoing for the history, too."""
        if name in ANYWHERE or self.commands.is_lent(name):
            return True
        page = "" if self.view is None else self.view.page
        return page == "judging_page" or (page == "history_page" and name in ("undo", "redo"))

    def _add_commands(self) -> None:
        for name, call in (
            ("help", self.show_guide),
            ("keys", self.overlay.flip),
            ("palette", self.finder.ask),
            ("full_screen", self._flip_full_screen),
            ("tour", self.take_tour),
            ("about", self.show_about),
            ("crash_reports", self._open_reports),
            ("settings", self._show_settings),
            ("open_list", self._choose_list),
            ("open_session", self._choose_session),
            ("welcome", self.show_welcome),
            ("quit", self.close),
            ("escape", self._step_back),
        ):
            self.commands.add(name, call)

    def show_guide(self, page: str = "") -> None:
        """At that page; else at the one that fits where the person is."""
        from app.ui.help.reader import GuideReader  # not before it is asked for

        if self.guide is None:
            self.guide = GuideReader(self._language, self.current_theme)
        self.guide.open_at(page or self._fitting_page())

    def _fitting_page(self) -> str:
        if self.view is None:
            return page_for("", is_importing=self._stack.currentWidget() is self.importing)
        panel, focus = self.view.judging.agent, QApplication.focusWidget()
        in_agent = panel.underMouse() or (focus is not None and panel.isAncestorOf(focus))
        return page_for(self.view.page, in_agent=in_agent)

    def take_tour(self) -> None:
        """On what is open; else on the sample."""
        if self.view is None:
            self._open_sample(with_tour=True)
        else:
            self.tour.start(self.view)

    def show_about(self) -> None:
        from app.ui.help.about_dialog import AboutDialog

        if self.about is None:
            self.about = AboutDialog(self.commands, self.current_theme, self.runner, self)
            offer_guide(self.about, ABOUT, self.show_guide)
        self.about.open_page()

    def _open_reports(self) -> None:
        open_folder(log_folder(), self.say)

    def _choose_list(self) -> None:
        if paths := choose_lists(self):
            self.import_lists(paths)

    def _choose_session(self) -> None:
        if (place := choose_session(self)) is not None:
            self.open_session(place)

    def _step_back(self) -> None:
        if self._stack.currentWidget() is self.importing:
            self.importing.step_back()
        elif self.view is not None and self.view.page == "judging_page":
            self.view.context.agent.stop()

    def _flip_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _show_settings(self) -> None:
        if self.settings_dialog is None:
            self.settings_dialog = SettingsDialog(self.settings, self.keymap, self.runner, self)
            offer_guide(self.settings_dialog.agent, MODELS, self.show_guide)
        self.settings_dialog.open_page()

    def _reviewer(self) -> str:
        return reviewer_name(self.settings.settings)

    def _open(self, place: Path | str, *, read_only: bool) -> None:
        self._wait_for(self.tr("Opening {name}").replace("{name}", str(place)))
        make = partial(open_session, place, self._reviewer(), read_only=read_only)
        self.opener.want(OpenRequest(make, self._show_session, partial(self._not_open, place)))

    def _wait_for(self, words: str) -> None:
        self.welcome.first.go_on()
        self.close_session()
        self._waiting.setText(words)
        self._stack.setCurrentWidget(self._waiting)

    def _show_session(self, session: Session, first: int | None = None) -> None:
        """`first`: the candidate to begin with; None: the first one to judge."""
        self.view = SessionView(
            session,
            commands=self.commands,
            keymap=self.keymap,
            settings=self.settings,
            current_theme=self.current_theme,
            runner=self.runner,
            view=self.state.view,
        )
        offer_guide(self.view.export_dialog, EXPORT, self.show_guide)
        self._stack.addWidget(self.view)
        self._stack.setCurrentWidget(self.view)
        self.setWindowTitle(f"{session.name} · {task_words(session.task.name)} · {TITLE}")
        self.settings.change(recent=remember(self.settings.settings.recent, str(session.location)))
        self.state.meet_session(self.view)
        if self._has_untold_fault:
            self._has_untold_fault = False
            self.view.status.say_trouble(self.settings.fault)
        QTimer.singleShot(0, self.view, partial(self.view.start, first))

    def _show_and_lead(self, session: Session) -> None:
        self._show_session(session)
        assert self.view is not None
        QTimer.singleShot(0, self.view, self.take_tour)  # the first candidate comes before it

    def _show_left(self, left: LeftOpen, session: Session) -> None:
        self._show_session(session, left.candidate_id)
        if self.view is not None:
            words = self.tr("The program ended without closing this session: here you were")
            self.view.status.say(words)

    def _not_reopened(self, error: WorkbenchError) -> None:
        """Another window may have it: that is no fault."""
        self.show_welcome()
        if not isinstance(error, SessionHeldError):
            self.welcome.show_problem(str(error))

    def _not_open(self, place: Path | str, error: WorkbenchError) -> None:
        if isinstance(error, SessionHeldError):
            self.held.show_holder(place, error)
            self._stack.setCurrentWidget(self.held)
            return
        self._not_opened(error)

    def _not_opened(self, error: WorkbenchError) -> None:
        self.show_welcome()
        self.welcome.show_problem(str(error))

    def _tell(self, error: WorkbenchError) -> None:
        if self.view is None:  # else its status line hears of it, too
            self.say(str(error))

    def say(self, words: str) -> None:
        """Wherever there is a place for it just now."""
        if self.view is None:
            self.welcome.show_problem(words)
        else:
            self.view.status.say_trouble(words)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Nothing is asked: everything is kept already."""
        self.state.save()
        if self.guide is not None:
            self.guide.close()
            self.guide.deleteLater()
            self.guide = None
        self.close_session()
        self.importing.stop()
        self.runner.close()
        self.opener.close()
        self.key_filter.close()
        self.settings.close()
        super().closeEvent(event)
