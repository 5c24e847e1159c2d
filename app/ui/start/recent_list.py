"""The list of recent sessions; a click opens one."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QDate, QLocale, QRect, QRectF, QSize, Qt, QTime, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QToolButton, QWidget

from agent.errors import WorkbenchError
from app.core.database.locations import shown_location
from app.core.session.session import open_session
from app.core.statistics.pace import progress
from app.ui.base.background.runner import Runner
from app.ui.base.settings.settings import reviewer_name
from app.ui.base.settings.settings_check import MAX_RECENT
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.labels import column, short_label, wrapped_label
from app.ui.widgets.painted_button import RowButton, smooth_painter, translucent
from app.ui.widgets.text_width import how_much_larger

PAD = 10  # lengths are in pixels
REMOVE_PX = 24  # side of the button in text of the usual size
RIGHT_SHARE = 0.6  # of the width; more would leave too little of the name
RADIUS = 6.0  # of the corners under the mouse
LINE_GAP = 3
HOVER_ALPHA = 22  # of 255: the text stays easy to read
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RecentList(QFrame):
    """Shows the names at once and reads the summaries in the background."""

    chosen = Signal(str)  # path or URL of the session

    def __init__(
        self, settings: SettingsStore, current_theme: CurrentTheme, runner: Runner
    ) -> None:
        super().__init__()
        self._settings, self._current_theme, self._runner = settings, current_theme, runner
        self._pending: list[Future[Any]] = []
        self.rows: dict[str, RecentRow] = {}
        self.setProperty("role", "card")
        title = short_label(self.tr("Recent sessions"), "title")
        title.setIndent(PAD)
        none = self.tr("No sessions yet. Sessions you open are listed here with your progress.")
        self.empty = wrapped_label(none, "dim")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._body = QWidget(autoFillBackground=False)
        self._body.setObjectName("recent_rows")
        self._column = column((self.empty, 1), 0, spacing=2, parent=self._body)
        self._area = area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._body)
        area.viewport().setAutoFillBackground(False)
        column(title, (area, 1), margins=(6, 14, 6, 8), parent=self)
        settings.changed.connect(self._follow)
        self.refresh()

    @property
    def last(self) -> RecentRow | None:
        """The session opened last of those that are there."""
        return next((row for row in self.rows.values() if row.session.exists), None)

    def refresh(self) -> None:
        for future in self._pending:
            future.cancel()
        for row in self.rows.values():
            self._column.removeWidget(row)
            row.hide()  # without a parent, a visible row would become a window of its own
            row.deleteLater()
        self.rows = {}
        recent = self._settings.settings.recent
        reviewer = reviewer_name(self._settings.settings)
        for number, location in enumerate(recent):
            row = RecentRow(RecentSession(location=location), self._current_theme)
            row.opened.connect(self.chosen)
            row.removed.connect(self._forget)
            self._column.insertWidget(number, row)
            self.rows[location] = row
        self.empty.setVisible(not recent)
        self._area.updateGeometry()  # grow with the number of rows, if there is room
        # To the row that asked, so that an older answer that comes late does not hide a newer one.
        self._pending = [
            self._runner.run(partial(describe_session, each, reviewer), row.show_session, owner=row)
            for each, row in self.rows.items()
        ]

    def _forget(self, location: str) -> None:
        kept = (each for each in self._settings.settings.recent if each != location)
        self._settings.change(recent=tuple(kept))

    def _follow(self, _: object) -> None:
        if tuple(self.rows) != self._settings.settings.recent:
            self.refresh()


class RecentRow(RowButton):
    """One recent session: name and folder on the left, progress, class and date on the right."""

    opened = Signal(str)
    removed = Signal(str)

    def __init__(self, session: RecentSession, current_theme: CurrentTheme) -> None:
        super().__init__()
        self._current_theme, self.session = current_theme, session
        self.remove_button = QToolButton(self, autoRaise=True)
        self.remove_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.remove_button.setText("✕")
        self.remove_button.setToolTip(self.tr("Remove from this list; the file is kept"))
        self.remove_button.setAccessibleName(self.tr("Remove from this list"))
        self.remove_button.setProperty("role", "mark")
        self.remove_button.clicked.connect(partial(self.removed.emit, session.location))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)
        current_theme.changed.connect(self.update)
        self.show_session(session)

    def show_session(self, session: RecentSession) -> None:
        self.session = session
        self.setAccessibleName(f"{session.name}, {self.state_text()}")
        self.setToolTip(session.problem or session.shown)
        usable = session.exists
        self.setCursor(Qt.CursorShape.PointingHandCursor if usable else Qt.CursorShape.ArrowCursor)
        self.update()

    def state_text(self) -> str:
        """Progress, or why the session cannot be opened."""
        session = self.session
        if not session.exists:
            return self.tr("file not found")
        if session.problem:
            return self.tr("cannot be opened")
        if not session.task:
            return "" if session.is_file else self.tr("team database")
        text = self.tr("{done} of {total} judged")
        return text.replace("{done}", f"{session.done:,}").replace("{total}", f"{session.total:,}")

    def sizeHint(self) -> QSize:
        return QSize(360, 2 * self.fontMetrics().height() + LINE_GAP + 2 * PAD)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        side = self._remove_px
        top = (self.height() - side) // 2
        self.remove_button.setGeometry(self.width() - side - 4, top, side, side)

    @property
    def _remove_px(self) -> int:
        return round(REMOVE_PX * how_much_larger(self))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth_painter(self)
        if self.underMouse() or self.hasFocus():
            self._paint_highlight(painter)
        theme = self._current_theme.theme
        line = self.fontMetrics().height()
        inner = self.rect().adjusted(PAD, PAD, -PAD - self._remove_px, -PAD)
        session = self.session
        used = short_date(session.used) if session.used else ""
        texts = self.state_text(), " · ".join(filter(None, (task_text(session.task), used)))
        wanted = max(map(self.fontMetrics().horizontalAdvance, texts)) + 2 * PAD
        right = min(wanted, round(RIGHT_SHARE * inner.width()))
        split = inner.right() - right
        left = QRect(inner.left(), inner.top(), split - inner.left(), line)
        upper = QRect(split + PAD, inner.top(), right - PAD, line)
        is_usable = self.session.exists and not self.session.problem
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        drop = line + LINE_GAP
        painter.setFont(bold)
        _draw(painter, left, LEFT, self.session.name, theme.text if is_usable else theme.dim)
        painter.setFont(self.font())
        _draw(painter, left.translated(0, drop), LEFT, short_folder(self.session), theme.dim)
        _draw(painter, upper, RIGHT, texts[0], theme.text if is_usable else theme.warning)
        _draw(painter, upper.translated(0, drop), RIGHT, texts[1], theme.dim)

    def _paint_highlight(self, painter: QPainter) -> None:
        theme, is_chosen = self._current_theme.theme, self.hasFocus()
        painter.setPen(QPen(QColor(theme.accent), 1.0) if is_chosen else Qt.PenStyle.NoPen)
        painter.setBrush(translucent(theme.accent if is_chosen else theme.text, HOVER_ALPHA))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)

    def _open(self) -> None:
        if self.session.exists:
            self.opened.emit(self.session.location)


def _draw(painter: QPainter, area: QRect, side: Qt.AlignmentFlag, text: str, colour: str) -> None:
    """Draw a line of text; where room is short, the left side loses its middle, the right its end.

    Of a folder's path both ends matter.
    """
    modes = Qt.TextElideMode
    mode = modes.ElideMiddle if side == LEFT else modes.ElideRight
    painter.setPen(QColor(colour))
    painter.drawText(area, side, painter.fontMetrics().elidedText(text, mode, area.width()))


def short_folder(session: RecentSession) -> str:
    """The folder of the session, with the home folder as ~."""
    if not session.is_file:
        return session.shown
    folder = Path(session.location).parent
    home = Path.home()
    if folder == home:
        return "~"
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def short_date(moment: datetime) -> str:
    """The time if it is today, else the date."""
    locale = QLocale()
    is_today = moment.date() == datetime.now().date()
    day, time = QDate(moment.year, moment.month, moment.day), QTime(moment.hour, moment.minute)
    return locale.toString(time if is_today else day, QLocale.FormatType.ShortFormat)


@dataclass(frozen=True, kw_only=True)
class RecentSession:
    """A session that was opened before.

    `location` is a path or a database URL. `used` is when the file was last written, if known.
    `problem` says why an existing file cannot be opened.
    """

    location: str
    exists: bool = True
    task: str = ""
    done: int = 0
    total: int = 0
    used: datetime | None = None
    problem: str = ""

    @property
    def is_file(self) -> bool:
        return "://" not in self.location

    @property
    def name(self) -> str:
        return Path(self.location).stem if self.is_file else self.shown.rpartition("/")[2]

    @property
    def shown(self) -> str:
        return self.location if self.is_file else shown_location(self.location)


def remember(recent: Sequence[str], location: str) -> tuple[str, ...]:
    """The list with `location` moved to the front."""
    return (location, *(each for each in recent if each != location))[:MAX_RECENT]


def describe_session(location: str, reviewer: str) -> RecentSession:
    """Summarize a session; do not call on the GUI thread.

    A file is opened read-only, so that nobody working on it is disturbed; servers are not queried.
    """
    if "://" in location:
        return RecentSession(location=location)
    try:
        used = datetime.fromtimestamp(Path(location).stat().st_mtime)
    except (OSError, ValueError, OverflowError):
        return RecentSession(location=location, exists=False)
    try:
        with open_session(Path(location), reviewer, read_only=True) as session:
            judged = progress(session, reviewer)
            task, done, total = session.task.name, judged.done, judged.total
            return RecentSession(location=location, task=task, done=done, total=total, used=used)
    except WorkbenchError as error:
        return RecentSession(location=location, used=used, problem=translate_message(str(error)))
