"""The welcome page: try the sample, start a session, or continue a recent one."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.core.database.locations import shown_location
from app.ui.actions.actions import ACTIONS
from app.ui.background.runner import Runner
from app.ui.importing.drop_zone import DropZone
from app.ui.importing.given_paths import GivenKind, GivenPaths
from app.ui.settings.settings_store import SettingsStore
from app.ui.start import start_button
from app.ui.start.name_prompt import NamePrompt
from app.ui.start.recent_list import RecentList
from app.ui.start.start_button import StartButton
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.file_dialogs import choose_folder, choose_lists, choose_session
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import column, flow, row, short_label, wrapped_label
from app.ui.widgets.page_parts import Logo, PageScrollArea
from app.ui.widgets.problem_line import ProblemLine
from app.ui.widgets.reviewer_name import ReviewerName
from app.ui.widgets.text_width import MostWidth

PROGRAM = "Spec-o3 Workbench"
TOUR = "tour"
"""Entry in `Settings.told`."""
MAX_WIDTH = 1080


class WelcomePage(QWidget):
    list_chosen = Signal(object)
    """Paths of lists, or of folders of spectra."""
    session_chosen = Signal(object)
    """A path, or a database's URL."""
    sample_requested = Signal()
    spectrum_chosen = Signal(object)
    """The path of a single spectrum."""
    about_requested = Signal()

    def __init__(
        self,
        settings: SettingsStore,
        current_theme: CurrentTheme,
        runner: Runner,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings, self._current_theme = settings, current_theme
        self.problem = ProblemLine()
        self.recent = RecentList(settings, current_theme, runner)
        self.recent.chosen.connect(self._open_recent)
        self.reviewer = ReviewerName(settings)
        self.name_prompt = NamePrompt(settings)
        self.name_prompt.answered.connect(self._focus_sample)
        self.drops = DropZone(self, current_theme, runner)
        self.drops.dropped.connect(self.open_dropped)
        self._make_buttons()
        middle = column(
            2,
            self._heading(),
            self.problem,
            self.name_prompt,
            self._choices(),
            self._footer(),
            3,
            spacing=16,
        )
        inner = QWidget()
        inner.setLayout(middle)
        area = PageScrollArea(inner)  # large text on a small screen
        MostWidth(area, MAX_WIDTH)
        row(1, (area, 100), 1, spacing=None, margins=(24, 16, 24, 16), parent=self)
        settings.changed.connect(self._follow)
        self._follow(None)

    def refresh(self) -> None:
        """Reread the recent sessions, which may have changed."""
        self.problem.clear()
        self.recent.refresh()

    def dismiss_prompt(self) -> None:
        """Esc in the question for the name: do not ask again."""
        if self.name_prompt.field.hasFocus():
            self.name_prompt.dismiss()

    def show_problem(self, text: str) -> None:
        self.problem.show_problem(text)

    def open_dropped(self, given: GivenPaths) -> None:
        """Open dropped files according to their contents."""
        self.problem.show_problem(given.reason)
        if given.kind is GivenKind.SESSION:
            self.session_chosen.emit(given.paths[0])
        elif given.kind is GivenKind.SPECTRUM:
            self.spectrum_chosen.emit(given.paths[0])
        elif given.kind is GivenKind.LIST:
            self.list_chosen.emit(list(given.paths))

    def _heading(self) -> QHBoxLayout:
        name = short_label(PROGRAM, "name")
        name.setObjectName("program_name")
        text = self.tr(
            "Vet rare-star candidates by their spectra, with an agent that inspects them too."
        )
        texts = column(1, name, wrapped_label(text, "dim"), 1, spacing=4)
        return row(Logo(72), (texts, 1), spacing=20)

    def _make_buttons(self) -> None:
        make = partial(StartButton, self._current_theme)
        title = self.tr("Try the sample")
        self.sample_button = make(start_button.spectrum, title, "", is_first=True)
        title, about = self.tr("Open a list"), self.tr("CSV, ECSV, FITS, VOTable or Parquet")
        self.list_button = make(start_button.table, title, about, self._key("open_list"))
        title = self.tr("Open a folder of spectra")
        about = self.tr("LAMOST, SDSS, DESI and other FITS or text spectra")
        self.folder_button = make(start_button.folder, title, about)
        title = self.tr("Open a session")
        about = self.tr("Continue where you left off, or view a colleague's session")
        self.session_button = make(start_button.session, title, about, self._key("open_session"))
        self.sample_button.clicked.connect(self._request_sample)
        self.list_button.clicked.connect(self._ask_for_lists)
        self.folder_button.clicked.connect(self._ask_for_folder)
        self.session_button.clicked.connect(self._ask_for_session)

    def _choices(self) -> QHBoxLayout:
        ways = column(self.sample_button, self.list_button, self.folder_button, self.session_button)
        text = self.tr("Or drop lists, folders, spectra or a session anywhere on this page.")
        hint = wrapped_label(text, "dim")
        hint.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        ways.addSpacing(4)
        ways.addWidget(hint)
        ways.addStretch(1)
        return row((ways, 4), (self.recent, 5), spacing=16)

    def _footer(self) -> FlowLayout:
        offline = short_label(self.tr("Works offline."), "dim")
        about = QPushButton(self.tr("What this is, and what it is not"))
        about.setObjectName("about_link")
        about.clicked.connect(self.about_requested)
        about.setProperty("role", "quiet")
        about.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return flow(self.reviewer, offline, about, spacing=8)

    def _follow(self, _: object) -> None:
        """Show either the question for the name or the name itself."""
        self.reviewer.setVisible(not self.name_prompt.is_needed)
        about = self.tr("60 simulated cataclysmic-variable candidates")
        if TOUR not in self._settings.settings.told:
            about = self.tr("60 simulated candidates and a five-step tour")
        self.sample_button.set_description(about)

    def _focus_sample(self) -> None:
        """Focus the sample, so that Enter opens it."""
        self.sample_button.setFocus(Qt.FocusReason.TabFocusReason)

    def _key(self, name: str) -> str:
        keys = self._settings.settings.keys.get(name, ACTIONS[name].keys)
        return keys[0] if keys else ""

    def _request_sample(self) -> None:
        self.problem.clear()
        self.sample_requested.emit()

    def _open_recent(self, location: str) -> None:
        # Older versions noted *** in place of a password, which no server takes.
        is_address = "://" in location
        self.session_chosen.emit(shown_location(location) if is_address else Path(location))

    def _ask_for_lists(self) -> None:
        if paths := choose_lists(self):
            self.list_chosen.emit(paths)

    def _ask_for_folder(self) -> None:
        if (folder := choose_folder(self)) is not None:
            self.list_chosen.emit([folder])

    def _ask_for_session(self) -> None:
        if (location := choose_session(self)) is not None:
            self.session_chosen.emit(location)
