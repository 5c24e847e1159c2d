"""The page before a session is open: try the sample, begin one, or go on with one."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.actions.actions import ACTIONS
from app.ui.background.runner import Runner
from app.ui.importing.drop_zone import DropZone
from app.ui.importing.given_paths import GivenKind, GivenPaths
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.start import start_button
from app.ui.start.first_name import FirstName
from app.ui.start.recent_list import RecentList
from app.ui.start.start_button import StartButton
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.file_dialogs import choose_folder, choose_lists, choose_session
from app.ui.widgets.logo import Logo
from app.ui.widgets.problem_line import ProblemLine
from app.ui.widgets.reviewer_name import ReviewerName

PROGRAM = "Spec-o3 Workbench"
TOUR = "tour"
"""Among what a newcomer is told once."""
MAX_WIDTH = 1080
TITLE_SCALE = 1.9


class WelcomePage(QWidget):
    list_chosen = Signal(object)
    """Paths of lists, or of folders of spectra."""
    session_chosen = Signal(object)
    """A path, or a database's URL."""
    sample_wanted = Signal()
    spectrum_chosen = Signal(object)
    """The path of a single spectrum."""
    about_wanted = Signal()

    def __init__(
        self,
        settings: SettingsKeeper,
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
        self.first = FirstName(settings)
        self.first.answered.connect(self._begin)
        self.drops = DropZone(self, current_theme, runner)
        self.drops.given.connect(self.take)
        self._make_buttons()
        middle = QVBoxLayout()
        middle.setSpacing(16)
        middle.addStretch(2)
        middle.addLayout(self._heading())
        middle.addWidget(self.problem)
        middle.addWidget(self.first)
        middle.addLayout(self._choices())
        middle.addLayout(self._footer())
        middle.addStretch(3)
        column = QWidget()
        column.setMaximumWidth(MAX_WIDTH)
        column.setLayout(middle)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(24, 16, 24, 16)
        layout.addStretch(1)
        layout.addWidget(column, 100)
        layout.addStretch(1)
        settings.changed.connect(self._follow)
        self._follow(None)

    def refresh(self) -> None:
        """Sessions may have come, gone, or been worked on."""
        self.problem.clear()
        self.recent.refresh()

    def give_back(self) -> None:
        """Esc: the question of the first start is put off for good."""
        if self.first.field.hasFocus():
            self.first.leave()

    def show_problem(self, words: str) -> None:
        self.problem.say(words)

    def take(self, given: GivenPaths) -> None:
        """What was dropped, by what it holds."""
        self.problem.say(given.reason)
        if given.kind is GivenKind.SESSION:
            self.session_chosen.emit(given.paths[0])
        elif given.kind is GivenKind.SPECTRUM:
            self.spectrum_chosen.emit(given.paths[0])
        elif given.kind is GivenKind.LIST:
            self.list_chosen.emit(list(given.paths))

    def _heading(self) -> QHBoxLayout:
        name = QLabel(PROGRAM)
        font = QFont(name.font())
        font.setPointSizeF(font.pointSizeF() * TITLE_SCALE)
        font.setWeight(QFont.Weight.DemiBold)
        name.setFont(font)
        name.setObjectName("program_name")
        about = QLabel(
            self.tr("Vet candidates of rare stars by their spectra, with an agent that looks too.")
        )
        about.setProperty("role", "dim")
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addStretch(1)
        words.addWidget(name)
        words.addWidget(about)
        words.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(20)
        row.addWidget(Logo(72))
        row.addLayout(words, 1)
        return row

    def _make_buttons(self) -> None:
        current_theme = self._current_theme
        self.sample_button = StartButton(
            current_theme,
            start_button.spectrum,
            self.tr("Try the sample"),
            "",
            is_first=True,
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
            self.tr("Go on where you left it, or look at a colleague's"),
            self._key("open_session"),
        )
        self.sample_button.clicked.connect(self._want_sample)
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
        hint = QLabel(self.tr("Or drop lists, folders, spectra or a session anywhere here."))
        hint.setProperty("role", "dim")
        hint.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        ways.addSpacing(4)
        ways.addWidget(hint)
        ways.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addLayout(ways, 4)
        row.addWidget(self.recent, 5)
        return row

    def _footer(self) -> QHBoxLayout:
        offline = QLabel(self.tr("Works without a network."))
        offline.setProperty("role", "dim")
        about = QPushButton(self.tr("What this is, and what it is not"))
        about.setObjectName("about_link")
        about.setProperty("role", "quiet")
        about.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        about.clicked.connect(self.about_wanted)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.reviewer)
        row.addStretch(1)
        row.addWidget(offline)
        row.addWidget(about)
        return row

    def _follow(self, _: object) -> None:
        """One's name is asked for, or it is told, never both."""
        self.reviewer.setVisible(not self.first.is_asking)
        about = self.tr("60 simulated candidates of cataclysmic variables")
        if TOUR not in self._settings.settings.told:
            about = self.tr("60 simulated candidates, and a tour of five stops")
        self.sample_button.tell(about)

    def _begin(self) -> None:
        """Enter goes on to what newcomers should take."""
        self.sample_button.setFocus(Qt.FocusReason.TabFocusReason)

    def _key(self, name: str) -> str:
        keys = self._settings.settings.keys.get(name, ACTIONS[name].keys)
        return keys[0] if keys else ""

    def _want_sample(self) -> None:
        self.problem.clear()
        self.sample_wanted.emit()

    def _open_recent(self, place: str) -> None:
        self.session_chosen.emit(place if "://" in place else Path(place))

    def _ask_for_lists(self) -> None:
        if paths := choose_lists(self):
            self.list_chosen.emit(paths)

    def _ask_for_folder(self) -> None:
        if (folder := choose_folder(self)) is not None:
            self.list_chosen.emit([folder])

    def _ask_for_session(self) -> None:
        if (place := choose_session(self)) is not None:
            self.session_chosen.emit(place)
