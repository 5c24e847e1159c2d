"""The welcome page: try the sample, start a session, or continue a recent one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.core.database.locations import shown_location
from app.core.reviewer_name import name_from_environment
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.background.runner import Runner
from app.ui.base.settings.settings import reviewer_name
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme, Theme
from app.ui.start.importing.drop_zone import DropZone
from app.ui.start.recent_list import RIGHT, RecentList
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import Space, button, column, flow, row, short_label, wrapped_label
from app.ui.widgets.page_parts import Logo, PageScrollArea, ProblemLine
from app.ui.widgets.painted_button import RowButton, smooth_painter, translucent
from app.ui.widgets.reviewer_name import MAX_NAME, CancellableField, ReviewerName
from app.ui.widgets.text_width import MostWidth

PROGRAM = "Spec-o3 Workbench"
TOUR = "tour"  # entry in `Settings.told`
MAX_WIDTH = 1080

NAME_ASKED = "name"  # entry in `Settings.told`
FIELD_PX = 240

Icon = Callable[[QPainter], None]  # draws into a 24 x 24 square with the pen that is set


class WelcomePage(QWidget):
    """`Opening` listens to its buttons, and opens what is dropped."""

    session_chosen = Signal(object)  # a path, or a database's URL
    sample_requested = Signal(str)  # its folder in resources

    def __init__(
        self, settings: SettingsStore, current_theme: CurrentTheme, runner: Runner
    ) -> None:
        super().__init__()
        self._settings, self._current_theme = settings, current_theme
        self.problem = ProblemLine()
        self.recent = RecentList(settings, current_theme, runner)
        self.recent.chosen.connect(self._open_recent)
        self.reviewer = ReviewerName(settings)
        self.name_prompt = NamePrompt(settings)
        self.drops = DropZone(self, current_theme, runner)
        self._make_buttons()
        inner = QWidget()
        asked = self.problem, self.name_prompt
        parts = self._heading(), *asked, self._choices(), self._footer()
        column(2, *parts, 3, spacing=16, parent=inner)
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
        self.sample_button = make(spectrum, title, "")
        about = self.tr("40 public ones of SDSS, DESI and Hubble")
        self.real_button = make(spectrum, self.tr("Try real spectra"), about)
        title, about = self.tr("Open a list"), self.tr("CSV, ECSV, FITS, VOTable or Parquet")
        self.list_button = make(table, title, about, self._key("open_list"))
        title = self.tr("Open a folder of spectra")
        about = self.tr("LAMOST, SDSS, DESI and other FITS or text spectra")
        self.folder_button = make(folder, title, about)
        title, about = self.tr("Find in a folder"), self.tr("Members of a class in a whole survey")
        self.find_button = make(search, title, about)
        title = self.tr("Open a session")
        about = self.tr("Continue where you left off, or view a colleague's session")
        self.session_button = make(session, title, about, self._key("open_session"))
        self.sample_button.clicked.connect(partial(self._request_sample, "sample"))
        self.real_button.clicked.connect(partial(self._request_sample, "sample_real"))
        self.name_prompt.answered.connect(self._focus_first)

    def _choices(self) -> QHBoxLayout:
        text = self.tr("Or drop lists, folders, spectra or a session anywhere on this page.")
        hint = wrapped_label(text, "dim")
        hint.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        lists = self.list_button, self.folder_button, self.find_button
        ways = column(
            self.sample_button, self.real_button, *lists, self.session_button, Space(4), hint, 1
        )
        self._sides = row((ways, 4), (self.recent, 5), spacing=16)
        return self._sides

    def _footer(self) -> FlowLayout:
        offline = short_label(self.tr("Works offline."), "dim")
        self.about = about = QPushButton(self.tr("What this is, and what it is not"))
        about.setObjectName("about_link")
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
        has_own = bool(self._settings.settings.recent)
        self.sample_button.set_first(not has_own)
        sides = QHBoxLayout.Direction
        self._sides.setDirection(sides.RightToLeft if has_own else sides.LeftToRight)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._focus_first)

    def _focus_first(self) -> None:
        """Enter opens the last session, or the sample where there is none."""
        if self.isVisible() and not self.name_prompt.is_needed:
            (self.recent.last or self.sample_button).setFocus(Qt.FocusReason.TabFocusReason)

    def _key(self, name: str) -> str:
        keys = self._settings.settings.keys.get(name, ACTIONS[name].keys)
        return keys[0] if keys else ""

    def _request_sample(self, name: str) -> None:
        self.problem.clear()
        self.sample_requested.emit(name)

    def _open_recent(self, location: str) -> None:
        # Older versions noted *** in place of a password, which no server takes.
        is_address = "://" in location
        self.session_chosen.emit(shown_location(location) if is_address else Path(location))


class NamePrompt(QFrame):
    """Enter saves the typed name; Esc keeps the proposed one.

    Opening a session without an answer saves what was typed, else keeps the proposed name.
    """

    answered = Signal()
    dismissed = Signal()

    def __init__(self, settings: SettingsStore) -> None:
        super().__init__()
        self._settings = settings
        self._was_shown = False
        self.setProperty("role", "notice")
        question = self.tr("Welcome. Which name should your verdicts be saved under?")
        note = self.tr("Your name is saved with each verdict and stays on this computer.")
        self.title, self.note = short_label(question, "title"), short_label(note, "dim")
        self.field = CancellableField()
        self.field.setMaxLength(MAX_NAME)
        self.field.setAcceptDrops(False)
        self.field.setFixedWidth(FIELD_PX)
        self.field.setAccessibleName(self.tr("Your name"))
        self.keep_button = button(self.tr("Save"), "primary", self.answer)
        texts = (column(self.title, self.note, spacing=2), 1)
        row(texts, self.field, self.keep_button, margins=(16, 10, 12, 10), parent=self)
        self.field.setText(reviewer_name(settings.settings))
        self.field.returnPressed.connect(self.answer)
        self.field.cancelled.connect(self.dismiss)
        settings.changed.connect(self._follow)
        self._follow(None)

    @property
    def is_needed(self) -> bool:
        """Whether the name is unknown and the question was not answered or dismissed yet."""
        settings = self._settings.settings
        is_known = settings.reviewer.strip() or name_from_environment()
        return not is_known and NAME_ASKED not in settings.told

    def ask_before(self, call: Callable[[], object]) -> None:
        """Call it once the question is answered or dismissed; at once if there is none."""
        once = Qt.ConnectionType.SingleShotConnection
        if self.is_needed:
            self.answered.connect(call, once)
            self.dismissed.connect(call, once)
        else:
            call()

    def answer(self) -> None:
        self._save_name()
        self.answered.emit()

    def dismiss(self) -> None:
        self._mark_asked()
        self.dismissed.emit()

    def skip(self) -> None:
        """Stop asking because a session is being opened."""
        if not (self.is_needed and self._was_shown):
            return
        if self.field.isModified():
            self._save_name()
        else:
            self._mark_asked()

    def _save_name(self) -> None:
        typed = " ".join(self.field.text().split())
        self._mark_asked(**{"reviewer": typed} if typed.isprintable() and typed else {})

    def _mark_asked(self, **changes: str) -> None:
        """Save the changes, and do not ask again."""
        self._settings.change(told=(*self._settings.settings.told, NAME_ASKED), **changes)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._take_focus)

    def _take_focus(self) -> None:
        if self.isVisible():
            self._was_shown = True
            self.field.setFocus()
            self.field.selectAll()

    def _follow(self, _: object) -> None:
        self.setVisible(self.is_needed)


# A large button of the welcome page: icon, title, description and key.
def spectrum(painter: QPainter) -> None:
    points = ((2, 16), (6, 14), (9, 15), (12, 4), (15, 15), (18, 13), (22, 14))
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))
    painter.drawLine(QPointF(2, 20.5), QPointF(22, 20.5))


def table(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(3, 4, 18, 16), 2, 2)
    painter.drawLine(QPointF(3, 9), QPointF(21, 9))
    painter.drawLine(QPointF(3, 14.5), QPointF(21, 14.5))
    painter.drawLine(QPointF(9.5, 9), QPointF(9.5, 20))


def folder(painter: QPainter) -> None:
    points = ((3, 19), (3, 5), (9.5, 5), (11.5, 8), (21, 8), (21, 19), (3, 19))
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))


def search(painter: QPainter) -> None:
    painter.drawEllipse(QRectF(3, 3, 13, 13))
    painter.drawLine(QPointF(14.2, 14.2), QPointF(21, 21))


def session(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(5, 3, 14, 18), 2, 2)
    painter.drawPolyline(QPolygonF([QPointF(8.5, 12), QPointF(11, 15), QPointF(15.5, 8.5)]))


def draw_icon(painter: QPainter, icon: Icon, target: QRectF, colour: QColor) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(target.topLeft())
    painter.scale(target.width() / 24.0, target.height() / 24.0)
    pen = QPen(colour, 1.6)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    icon(painter)
    painter.restore()


PAD, ICON, GAP = 14, 26, 14
WRAPPED = int(Qt.TextFlag.TextWordWrap.value)
RADIUS = 8.0
FIRST_ALPHA, HOVER_ALPHA, PRESSED_ALPHA = 24, 18, 40


class StartButton(RowButton):
    """`set_first` highlights the button meant for newcomers."""

    def __init__(
        self, current_theme: CurrentTheme, icon: Icon, title: str, about: str, key: str = ""
    ) -> None:
        super().__init__()
        self._current_theme, self._icon, self._about, self._key = current_theme, icon, about, key
        self._is_first = False
        self.setText(title)
        self.setAccessibleName(title)
        self.setAccessibleDescription(about)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        current_theme.changed.connect(self.update)

    def set_first(self, is_first: bool) -> None:
        self._is_first = is_first
        self.update()

    def set_description(self, about: str) -> None:
        self._about = about
        self.setAccessibleDescription(about)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        wide = max(
            QFontMetrics(self._bold()).horizontalAdvance(self.text()) + self._key_width(),
            self.fontMetrics().horizontalAdvance(self._about),
        )
        return QSize(wide + 2 * PAD + ICON + 2 * GAP, 2 * line + 2 * PAD + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(220, self.sizeHint().height())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        """Title and description wrap."""
        _, about = self._boxes(width)
        return max(about.bottom() + 1 + PAD, self.sizeHint().height())

    def _boxes(self, width: int) -> tuple[QRect, QRect]:
        """Where title and description are."""
        left, most = PAD + ICON + GAP, 10_000
        room = max(width - left - PAD, 1)
        upper = QRect(left, PAD, max(room - self._key_width(), 1), most)
        title = QFontMetrics(self._bold()).boundingRect(upper, WRAPPED, self.text())
        lower = QRect(left, title.bottom() + 3, room, most)
        return title, self.fontMetrics().boundingRect(lower, WRAPPED, self._about)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth_painter(self)
        ink, dim = self._draw_background(painter, self._current_theme.theme)
        draw_icon(painter, self._icon, QRectF(PAD, (self.height() - ICON) / 2, ICON, ICON), ink)
        self._draw_text(painter, ink, dim)

    def _draw_background(self, painter: QPainter, theme: Theme) -> tuple[QColor, QColor]:
        """Draw the background; returns the colours of title and description."""
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        edge = QColor(theme.accent if self._is_first or self.hasFocus() else theme.border)
        painter.setPen(QPen(edge, 2.0 if self.hasFocus() else 1.0))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(frame, RADIUS, RADIUS)
        touched = PRESSED_ALPHA if self.isDown() else HOVER_ALPHA if self.underMouse() else 0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(translucent(theme.accent, touched + FIRST_ALPHA * self._is_first))
        painter.drawRoundedRect(frame, RADIUS, RADIUS)
        is_lit = self._is_first or self.underMouse()
        return QColor(theme.accent if is_lit else theme.text), QColor(theme.dim)

    def _draw_text(self, painter: QPainter, ink: QColor, dim: QColor) -> None:
        title, about = self._boxes(self.width())
        painter.setFont(self._bold())
        painter.setPen(ink)
        painter.drawText(title, WRAPPED, self.text())
        painter.setFont(self.font())
        painter.setPen(dim)
        painter.drawText(about, WRAPPED, self._about)
        if self._key:
            width = self._key_width()
            key = QRect(self.width() - PAD - width, PAD, width, self.fontMetrics().height())
            painter.drawText(key, RIGHT, self._key)

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _key_width(self) -> int:
        return self.fontMetrics().horizontalAdvance(self._key) + GAP if self._key else 0
