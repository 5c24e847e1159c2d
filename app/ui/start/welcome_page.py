"""The welcome page: try the sample, start a session, or continue a recent one."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

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
from app.ui.widgets.labels import short_label, wrapped_label
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
        middle = QVBoxLayout()
        middle.setSpacing(16)
        middle.addStretch(2)
        middle.addLayout(self._heading())
        middle.addWidget(self.problem)
        middle.addWidget(self.name_prompt)
        middle.addLayout(self._choices())
        middle.addLayout(self._footer())
        middle.addStretch(3)
        column = QWidget()
        column.setLayout(middle)
        area = PageScrollArea(column)  # large text on a small screen
        MostWidth(area, MAX_WIDTH)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(24, 16, 24, 16)
        layout.addStretch(1)
        layout.addWidget(area, 100)
        layout.addStretch(1)
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
        about = wrapped_label(
            self.tr(
                "Vet rare-star candidates by their spectra, with an agent that inspects them too."
            ),
            "dim",
        )
        texts = QVBoxLayout()
        texts.setSpacing(4)
        texts.addStretch(1)
        texts.addWidget(name)
        texts.addWidget(about)
        texts.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(20)
        row.addWidget(Logo(72))
        row.addLayout(texts, 1)
        return row

    def _make_buttons(self) -> None:
        current_theme = self._current_theme
        self.sample_button = StartButton(
            current_theme, start_button.spectrum, self.tr("Try the sample"), "", is_first=True
        )
        self.list_button = StartButton(
            current_theme,
            start_button.table,
            self.tr("Open a list"),
            self.tr("CSV, ECSV, FITS, VOTable or Parquet"),
            self._key("open_list"),
        )
        self.folder_button = StartButton(
            current_theme,
            start_button.folder,
            self.tr("Open a folder of spectra"),
            self.tr("LAMOST, SDSS, DESI and other FITS or text spectra"),
        )
        self.session_button = StartButton(
            current_theme,
            start_button.session,
            self.tr("Open a session"),
            self.tr("Continue where you left off, or view a colleague's session"),
            self._key("open_session"),
        )
        self.sample_button.clicked.connect(self._request_sample)
        self.list_button.clicked.connect(self._ask_for_lists)
        self.folder_button.clicked.connect(self._ask_for_folder)
        self.session_button.clicked.connect(self._ask_for_session)

    def _choices(self) -> QHBoxLayout:
        ways = QVBoxLayout()
        ways.setSpacing(8)
        for button in (
            self.sample_button,
            self.list_button,
            self.folder_button,
            self.session_button,
        ):
            ways.addWidget(button)
        hint = wrapped_label(
            self.tr("Or drop lists, folders, spectra or a session anywhere on this page."), "dim"
        )
        hint.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        ways.addSpacing(4)
        ways.addWidget(hint)
        ways.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addLayout(ways, 4)
        row.addWidget(self.recent, 5)
        return row

    def _footer(self) -> FlowLayout:
        offline = short_label(self.tr("Works offline."), "dim")
        about = QPushButton(self.tr("What this is, and what it is not"))
        about.setObjectName("about_link")
        about.setProperty("role", "quiet")
        about.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        about.clicked.connect(self.about_requested)
        row = FlowLayout(spacing=8)
        row.addWidget(self.reviewer)
        row.addWidget(offline)
        row.addWidget(about)
        return row

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
