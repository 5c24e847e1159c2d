"""The ways to an open session, and the pages that are on screen before there is one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QMessageBox, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from app.core.database.locations import shown_location
from app.core.errors import SessionHeldError
from app.core.session.session import Session
from app.core.session.spectra_folders import OutsideFoldersError, allow_folders, open_with_spectra
from app.ui.base.background.runner import Runner
from app.ui.base.crash_report import log_folder, make_report, write_report
from app.ui.base.settings.settings import reviewer_name
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.start.importing.given_paths import GivenKind, GivenPaths
from app.ui.start.importing.ready_made_sessions import lists_of, sample_session, spectrum_session
from app.ui.start.recent_list import remember
from app.ui.start.welcome_page import WelcomePage
from app.ui.widgets.file_dialogs import choose_folder, choose_lists, choose_session
from app.ui.widgets.labels import (
    Space,
    add_parts,
    card,
    narrow,
    one_line,
    row,
    short_label,
    wrapped_label,
)
from app.ui.widgets.page_parts import Logo

if TYPE_CHECKING:
    from app.ui.start.fetching.fetch_dialog import FetchDialog
    from app.ui.start.finding.find_dialog import FindDialog
    from app.ui.start.importing.import_page import ImportPage

MAX_SHOWN = 12
MAX_LENGTH = 200

WIDTH = 560


Given = ParamSpec("Given")


def asked_first(
    step: Callable[Concatenate[Opening, Given], object],
) -> Callable[Concatenate[Opening, Given], None]:
    """What closes the session that is open, after the question of the main window."""

    @wraps(step)
    def ask_first(self: Opening, /, *args: Given.args, **named: Given.kwargs) -> None:
        self.host.leave_then(partial(step, self, *args, **named))

    return ask_first


class OpeningHost(Protocol):
    """What the main window does for it."""

    view: Any  # the `SessionView` of the open session, or None

    def show_session(self, session: Session, first: int | None = None) -> None:
        """Show the session at candidate `first`; None: the first one to judge."""

    def close_session(self) -> None: ...

    def leave_then(self, go: Callable[[], object]) -> None:
        """Do what closes the session, perhaps after a question."""

    @property
    def is_new_person(self) -> bool: ...

    def take_tour(self) -> None: ...


class Opening(QObject):
    """Shows its pages in `stack`. At the end call `stop`, and `close` after the runner."""

    def __init__(
        self,
        host: OpeningHost,
        stack: QStackedWidget,
        settings: SettingsStore,
        current_theme: CurrentTheme,
        runner: Runner,
    ) -> None:
        assert isinstance(host, QWidget)
        super().__init__(host)
        self._window: QWidget = host
        self.host: OpeningHost = host
        self._stack, self._settings = stack, settings
        self._current_theme, self._runner = current_theme, runner
        self.opener = SessionOpener(runner, self)
        self.welcome = WelcomePage(settings, current_theme, runner)
        self.importing: ImportPage | None = None
        self.fetching: FetchDialog | None = None
        self.finding: FindDialog | None = None
        self.locked = LockedPage(current_theme)
        self._waiting = short_label("")
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for page in (self.welcome, self.locked, self._waiting):
            stack.addWidget(page)
        self.welcome.session_chosen.connect(self.open_session)
        self.welcome.sample_requested.connect(self.open_sample)
        self.welcome.list_button.clicked.connect(self.choose_list)
        self.welcome.folder_button.clicked.connect(self.choose_folder)
        self.welcome.session_button.clicked.connect(self.choose_session)
        self.welcome.drops.dropped.connect(self.open_given)
        self.locked.read_only_requested.connect(partial(self.open_session, read_only=True))
        self.locked.retry_requested.connect(self.open_session)
        self.locked.closed.connect(self.show_welcome)

    @asked_first
    def open_session(self, location: Path | str, *, read_only: bool = False) -> None:
        self.wait_for(self.tr("Opening {name}").replace("{name}", shown_location(location)))
        make = partial(open_with_spectra, location, self._reviewer(), read_only=read_only)
        failed = partial(self.on_session_failed, location, read_only)
        self.opener.open(OpenRequest(make, self.host.show_session, failed))

    @asked_first
    def open_sample(self, name: str = "sample", *, with_tour: bool = False) -> None:
        """Open a sample, with the tour for a new user or if wanted."""
        self.wait_for(self.tr("Opening the sample"))
        blind = self._settings.settings.blind
        make = partial(sample_session, self._reviewer(), name=name, blind=blind)
        is_shown = with_tour or self.host.is_new_person
        show = self._show_with_tour if is_shown else self.host.show_session
        self.opener.open(OpenRequest(make, show, self.on_failed))

    def begin_with_sample(self, name: str) -> None:
        self.welcome.name_prompt.ask_before(partial(self.open_sample, name))

    @asked_first
    def open_spectrum(self, path: Path) -> None:
        """Open one spectrum in a session of its own, stored with the program's data."""
        self.wait_for(self.tr("Opening {name}").replace("{name}", path.name))
        blind = self._settings.settings.blind
        make = partial(spectrum_session, path, self._reviewer(), blind=blind)
        self.opener.open(OpenRequest(make, self.host.show_session, self.on_failed))

    def reopen(self, location: Path | str, candidate_id: int | None) -> None:
        """Reopen a session that a crash left open, at the same candidate."""
        self.wait_for(self.tr("Opening {name}").replace("{name}", shown_location(location)))
        make = partial(open_with_spectra, location, self._reviewer())
        show = partial(self._show_left_open, candidate_id)
        self.opener.open(OpenRequest(make, show, self._on_reopen_failed))

    def open_given(self, given: GivenPaths) -> None:
        """Open what the command line, a file manager or a drop gave."""
        if given.kind is GivenKind.SESSION:
            self.open_session(given.paths[0])
        elif given.kind is GivenKind.SPECTRUM:
            self.open_spectrum(given.paths[0])
        elif given.kind is GivenKind.LIST:
            self.import_lists(list(given.paths))
        elif self.host.view is not None:
            self.host.view.context.current.message.emit(given.reason)
        else:
            self.on_failed(WorkbenchError(given.reason))

    @asked_first
    def import_lists(self, paths: list[Path], came_from: Session | None = None) -> None:
        from app.ui.start.importing.import_page import ImportPage

        self.opener.cancel()
        self.welcome.name_prompt.skip()
        if self.importing is None:
            shared = self._settings, self._current_theme, self._runner
            self.importing = ImportPage(*shared, self._stack)
            self.importing.session_created.connect(self.open_session)
            self.importing.cancelled.connect(self.show_welcome)
            self._stack.addWidget(self.importing)
            view = self.host.view
            if view is not None:  # closing it takes as long: it has a turn to itself
                QTimer.singleShot(1, view, partial(self.import_lists, paths, came_from))
                return
        self.importing.show_lists(paths, came_from)
        self.host.close_session()
        self._stack.setCurrentWidget(self.importing)

    def open_archive(self) -> None:
        """Ask for spectra of an archive, and open what came: a list of several, or the only one."""
        from app.ui.start.fetching.fetch_dialog import FetchDialog  # brings what the network needs

        if self.fetching is None:
            self.fetching = FetchDialog(self._runner, self._window)
            self.fetching.fetched.connect(self._open_fetched)
        self.fetching.open_page()

    def _open_fetched(self, path: Path) -> None:
        if path.suffix == ".csv":
            self.import_lists([path])
        else:
            self.open_spectrum(path)

    def find_in_folder(self) -> FindDialog:
        """Search a survey for members of classes, and open a session of the best."""
        from app.ui.start.finding.find_dialog import FindDialog  # brings what measures spectra

        if self.finding is None:
            shared = self._settings, self._current_theme, self._runner
            self.finding = FindDialog(*shared, self._window)
            self.finding.made.connect(self.open_session)
        self.finding.open_page()
        return self.finding

    def judge_other_class(self) -> None:
        """Import the lists of the open session anew, for another class."""
        view = self.host.view
        if view is not None and (lists := lists_of(view.session)):
            self.import_lists(list(lists), view.session)

    def choose_list(self) -> None:
        if paths := choose_lists(self._window):
            self.import_lists(paths)

    def choose_folder(self) -> None:
        if (folder := choose_folder(self._window)) is not None:
            self.import_lists([folder])

    def choose_session(self) -> None:
        if (location := choose_session(self._window)) is not None:
            self.open_session(location)

    @asked_first
    def show_welcome(self) -> None:
        self.opener.cancel()
        self.host.close_session()
        self.welcome.refresh()
        self._stack.setCurrentWidget(self.welcome)

    def wait_for(self, text: str) -> None:
        """Close the session and show a text in its place."""
        self.welcome.name_prompt.skip()
        self.host.close_session()
        self._waiting.setText(text)
        self._stack.setCurrentWidget(self._waiting)

    @property
    def is_importing(self) -> bool:
        return self.importing is not None and self._stack.currentWidget() is self.importing

    def remember(self, session: Session) -> None:
        """Put a session that is open first on the welcome page."""
        recent = remember(self._settings.settings.recent, str(session.location))
        self._settings.change(recent=recent)

    def go_back(self) -> None:
        """Go back a step in importing."""
        if self.importing is not None:
            self.importing.go_back()

    def refuse(self, session: Session, error: Exception) -> None:
        """Say that a session that was open already cannot be shown; of a bug, keep a report."""
        if not isinstance(error, WorkbenchError):
            write_report(make_report(type(error), error, error.__traceback__), log_folder())
            text = QCoreApplication.translate(
                "opening",
                "{name} cannot be shown: its contents are damaged or not known to this version. "
                "Open a backup, or send us the crash report (menu Help)",
            )
            error = WorkbenchError(text.replace("{name}", shown_location(session.location)))
        self.on_failed(error)

    def on_session_failed(self, place: Path | str, read_only: bool, error: WorkbenchError) -> None:
        again = partial(self.open_session, place, read_only=read_only)
        if isinstance(error, SessionHeldError):
            self.locked.show_holder(place, error)
            self._stack.setCurrentWidget(self.locked)
        elif ask_about_folders(self._window, error, again):
            self.show_welcome()
        else:
            self.on_failed(error)

    def on_failed(self, error: WorkbenchError) -> None:
        self.show_welcome()
        self.welcome.problem.show_error(error)

    def stop(self) -> None:
        if self.importing is not None:
            self.importing.stop()
        for dialog in (self.fetching, self.finding):
            if dialog is not None:
                dialog.reject()

    def close(self) -> None:
        self.opener.close()
        if self.finding is not None:
            self.finding.search.close()

    def _reviewer(self) -> str:
        return reviewer_name(self._settings.settings)

    def _show_with_tour(self, session: Session) -> None:
        self.host.show_session(session)
        view = self.host.view
        if view is not None:
            QTimer.singleShot(0, view, self.host.take_tour)  # after the first candidate is shown

    def _show_left_open(self, candidate_id: int | None, session: Session) -> None:
        self.host.show_session(session, candidate_id)
        text = self.tr("Reopened where you were: the program ended without closing this session")
        if self.host.view is not None:
            self.host.view.status.show_message(text)

    def _on_reopen_failed(self, error: WorkbenchError) -> None:
        self.show_welcome()
        if not isinstance(error, SessionHeldError):  # another window may have it open
            self.welcome.problem.show_error(error)


# Opens one session at a time; of requests made meanwhile only the last one is opened.
@dataclass(frozen=True)
class OpenRequest:
    open: Callable[[], Session]  # Any thread
    done: Callable[[Session], None]
    failed: Callable[[WorkbenchError], None]


class SessionOpener(QObject):
    """Closes a session that is no longer wanted before opening the next, maybe the same file.

    Close it after the runner.
    """

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._opening: Future[Session] | None = None
        self._request: OpenRequest | None = None

    def open(self, request: OpenRequest) -> None:
        self._request = request
        if self._opening is None or _crashed(self._opening):
            self._start(request)

    def cancel(self) -> None:
        """Close the session when it is open, without calling `done`."""
        self._request = None

    def close(self) -> None:
        """Close a session that was opened but never shown."""
        opening, self._opening, self._request = self._opening, None, None
        if opening is None or opening.cancelled() or not opening.done():
            return
        if opening.exception() is None:
            opening.result().close()

    def _start(self, request: OpenRequest) -> None:
        finish = partial(self._finish, request)
        self._opening = self._runner.run(request.open, finish, finish, owner=self)

    def _finish(self, request: OpenRequest, outcome: Session | WorkbenchError) -> None:
        latest, self._opening = self._request, None
        if latest is not request:
            if isinstance(outcome, Session):
                outcome.close()
            if latest is not None:
                self._start(latest)
            return
        self._request = None
        if isinstance(outcome, Session):
            request.done(outcome)
        else:
            request.failed(outcome)


def _crashed(opening: Future[Session]) -> bool:
    """Whether it ended with a bug, which calls neither `done` nor `failed`."""
    if not opening.done() or opening.cancelled():
        return False
    error = opening.exception()
    return error is not None and not isinstance(error, WorkbenchError)


# The question whether a session may read spectra outside its own folder.
def ask_about_folders(
    parent: QWidget, error: WorkbenchError, open_again: Callable[[], None]
) -> bool:
    """Ask if that was the reason not to open a session; False if it was another reason."""
    if not isinstance(error, OutsideFoldersError):
        return False
    for earlier in parent.findChildren(FoldersQuestion):  # the session was opened twice
        earlier.close()
    question = FoldersQuestion(error, parent)
    question.allowed.clicked.connect(open_again)
    question.open()
    return True


class FoldersQuestion(QMessageBox):
    """Does not block; asked once for each session, as the answer is kept on this computer."""

    def __init__(self, error: OutsideFoldersError, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setIcon(QMessageBox.Icon.Question)
        self.setText(self.tr("This session names spectra outside its own folder."))
        more = ["…"] if len(error.folders) > MAX_SHOWN else []
        shown = [printable(each, MAX_LENGTH) for each in error.folders[:MAX_SHOWN]]
        about = self.tr(
            "Read them only if you trust where the session comes from: what you export or pack "
            "may contain them."
        )
        self.setInformativeText("\n".join([*shown, *more, "", about]))
        self.allowed = self.addButton(self.tr("Read them"), QMessageBox.ButtonRole.AcceptRole)
        cancel = self.addButton(QMessageBox.StandardButton.Cancel)
        self.setEscapeButton(cancel)
        self.setDefaultButton(cancel)  # so that nobody agrees by mistake
        self.allowed.clicked.connect(partial(allow_folders, error.session_id, error.folders))


class LockedPage(QWidget):
    """The page shown when another program has the session open."""

    read_only_requested = Signal(object)  # path or URL of the session
    retry_requested = Signal(object)
    closed = Signal()

    def __init__(self, current_theme: CurrentTheme) -> None:
        super().__init__()
        self._location: Path | str = ""
        self.title = narrow(wrapped_label("", "title"))
        self.holder = narrow(wrapped_label("", ""))
        text = self.tr(
            "Only one program can write to a session at a time, so that no verdict "
            "is lost. Close the session there, or open it here read-only."
        )
        about = narrow(wrapped_label(text, "dim"))
        self.read_only_button = self._button(
            self.tr("Open read-only"), lambda: self.read_only_requested.emit(self._location)
        )
        self.read_only_button.setProperty("role", "primary")
        self.retry_button = self._button(
            self.tr("Try again"), lambda: self.retry_requested.emit(self._location)
        )
        self.other_button = self._button(self.tr("Choose another session"), self.closed.emit)
        buttons = row(self.read_only_button, self.retry_button, 1, self.other_button)
        texts = Logo(44), Space(4), self.title, self.holder, about, Space(8), buttons
        shown = card(*texts, spacing=12, margins=(24, 24, 24, 20))
        shown.setFixedWidth(WIDTH)
        layout = QVBoxLayout(self)
        add_parts(layout, 2, (shown, 0, Qt.AlignmentFlag.AlignHCenter), 3)

    def show_holder(self, location: Path | str, error: SessionHeldError) -> None:
        self._location = location
        name = location.name if isinstance(location, Path) else shown_location(location)
        text = self.tr("{name} is open in another program")
        self.title.setText(text.replace("{name}", one_line(name)))
        self.holder.setText(self.tr("In use by: {who}").replace("{who}", one_line(error.holder)))

    def _button(self, text: str, call: Callable[[], object]) -> QPushButton:
        made = QPushButton(text)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(call)
        return made
